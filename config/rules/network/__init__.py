"""Rules for networks, subnets, addresses and interfaces."""
