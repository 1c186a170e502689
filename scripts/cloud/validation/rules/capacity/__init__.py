"""Template rules for capacity: launch templates, network interfaces and reservations."""

from scripts.cloud.validation.rules.registry import rules_of

from . import interfaces, launches

RULES = rules_of(interfaces, launches)
