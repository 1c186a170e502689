"""Template rules for VPCs, subnets and security groups."""

from scripts.cloud.validation.rules.registry import rules_of

from . import blocks, security_groups

RULES = rules_of(blocks, security_groups)
