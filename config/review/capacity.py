"""Metadata key under which a template records the size of its reservations."""

from __future__ import annotations

METADATA_KEY = "ultracluster:capacity"
"""In the metadata of a resource that runs nodes: reservation (ID or ARN) to its number of instances."""
