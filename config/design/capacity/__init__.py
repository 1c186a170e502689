"""Design of node groups: purchase options, reservations, rotation and spare nodes."""
