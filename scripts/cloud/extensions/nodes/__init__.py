"""Extensions of moto for nodes: Systems Manager, images and registries."""

from . import associations, commands, images, pull_through

EXTENSIONS = (associations, commands, images, pull_through)
