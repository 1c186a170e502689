"""Design of nodes: lifecycle scripts, container images, users and file systems."""
