"""Metadata key under which a template records the size of its reservations."""

from __future__ import annotations

METADATA_KEY = "ultracluster:capacity"
"""Key in the metadata of a resource that runs nodes; its value maps each reservation (ID or ARN) to its size."""
