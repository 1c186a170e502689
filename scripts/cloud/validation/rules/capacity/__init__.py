"""Groups of machines: how they are bought, reserved, rotated and kept spare: what services refuse of them."""

from scripts.cloud.validation.rules.registry import rules_of

from . import interfaces, launches

RULES = rules_of(interfaces, launches)
