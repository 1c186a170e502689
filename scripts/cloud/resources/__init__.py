"""Resource types: how each is created, changed and deleted through its service's own API."""
