"""Networks, subnets, addresses and interfaces: what services refuse of them."""
