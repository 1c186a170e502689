"""File systems, data repositories, buckets and local disks: what services refuse of them."""

from scripts.cloud.validation.rules.registry import rules_of

from . import (
    buckets,
    directory_buckets,
    emptied_buckets,
    linked_buckets,
    lustre,
    lustre_kinds,
    lustre_tiering,
    nfs_exports,
    openzfs,
    repositories,
)

RULES = rules_of(
    lustre,
    lustre_kinds,
    lustre_tiering,
    repositories,
    emptied_buckets,
    linked_buckets,
    buckets,
    directory_buckets,
    openzfs,
    nfs_exports,
)
