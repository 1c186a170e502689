"""How a template says how many machines a reservation holds."""

from __future__ import annotations

METADATA_KEY = "ultracluster:capacity"
"""In the metadata of what holds nodes: reservation (id or ARN) to the number of its machines."""
