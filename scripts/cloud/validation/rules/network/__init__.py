"""Networks, subnets, addresses and interfaces: what services refuse of them."""

from . import blocks, security_groups

RULES = (*blocks.RULES, *security_groups.RULES)
