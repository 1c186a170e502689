"""What nodes run: scripts, images, people: what moto lacks of them."""
