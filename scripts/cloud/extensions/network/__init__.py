"""Networks, subnets, addresses and interfaces: what moto lacks of them."""

from . import flow_logs, gateways, security_groups, zones

EXTENSIONS = (flow_logs, gateways, security_groups, zones)
