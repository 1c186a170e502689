"""Networks, subnets, addresses and interfaces: their resource types."""

from . import gateways, security_groups, vpc

MODELS = (*gateways.MODELS, *security_groups.MODELS, *vpc.MODELS)
