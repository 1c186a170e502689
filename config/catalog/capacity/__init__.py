"""Catalogue of control planes, reservations and service quotas."""
