"""Rules for instance types, purchase options, reservations and spare nodes."""
