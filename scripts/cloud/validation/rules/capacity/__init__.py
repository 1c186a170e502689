"""Groups of machines: how they are bought, reserved, rotated and kept spare: what services refuse of them."""

from . import interfaces, launches

RULES = (*interfaces.RULES, *launches.RULES)
