"""Codes for resources that a service rejects, and that the current profiles do not create.

The codes are checked when a template is deployed on the embedded cloud, and in a review. Templates can be
edited manually, and other stacks use the construct library.
"""

from __future__ import annotations

from config.rules.deployed import eks, hyperpod, machines, openzfs, pcs, services, storage

CODES = (
    *storage.CODES,
    *openzfs.CODES,
    *machines.CODES,
    *hyperpod.CODES,
    *pcs.CODES,
    *eks.CODES,
    *services.CODES,
)
