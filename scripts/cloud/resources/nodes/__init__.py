"""What nodes run: scripts, images, people: their resource types."""
