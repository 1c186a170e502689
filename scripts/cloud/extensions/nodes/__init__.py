"""What nodes run: scripts, images, people: what moto lacks of them."""

from . import associations, commands, images, pull_through

EXTENSIONS = (associations, commands, images, pull_through)
