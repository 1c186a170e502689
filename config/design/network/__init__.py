"""Design of networks, subnets, addresses and interfaces."""
