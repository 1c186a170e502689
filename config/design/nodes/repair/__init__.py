"""Repair of faulty nodes: what is done, and by what."""
