"""Codes of what a service refuses of a resource, where no profile of today can ask for it.

They are checked when a template is deployed on the embedded cloud, and when it is reviewed: templates are
edited by hand, and other stacks use the construct library.
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
