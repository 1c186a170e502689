"""Networks, subnets, addresses and interfaces: their resource types."""
