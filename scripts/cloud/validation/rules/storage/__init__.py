"""File systems, data repositories, buckets and local disks: what services refuse of them."""

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

RULES = (
    *lustre.RULES,
    *lustre_kinds.RULES,
    *lustre_tiering.RULES,
    *repositories.RULES,
    *emptied_buckets.RULES,
    *linked_buckets.RULES,
    *buckets.RULES,
    *directory_buckets.RULES,
    *openzfs.RULES,
    *nfs_exports.RULES,
)
