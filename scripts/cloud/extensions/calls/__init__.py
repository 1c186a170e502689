"""Calls as such: faults, what moto does not know, what must be kept."""
