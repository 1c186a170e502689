"""Resource types: creation, update and deletion of each one through its service's API."""
