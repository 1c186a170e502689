"""What nodes run: scripts, images, people: in a stack."""
