"""Networks, subnets, addresses and interfaces: in the catalogue."""
