"""Networks, subnets, addresses and interfaces: in the design."""
