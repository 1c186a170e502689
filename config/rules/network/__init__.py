"""Networks, subnets, addresses and interfaces: in the rules."""
