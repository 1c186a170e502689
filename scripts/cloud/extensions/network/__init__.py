"""Networks, subnets, addresses and interfaces: what moto lacks of them."""
