"""Extensions of moto for VPCs, subnets, gateways and security groups."""

from . import flow_logs, gateways, security_groups, zones

EXTENSIONS = (flow_logs, gateways, security_groups, zones)
