"""Resource types of VPCs, subnets, gateways and security groups."""

from scripts.cloud.resources.base import models_of

from . import gateways, security_groups, vpc

MODELS = models_of(gateways, security_groups, vpc)
