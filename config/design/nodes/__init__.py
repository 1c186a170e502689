"""What nodes run: scripts, images, people: in the design."""
