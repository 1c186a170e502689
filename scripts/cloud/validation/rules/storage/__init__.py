"""Validation of storage resources: values that AWS services reject."""

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
