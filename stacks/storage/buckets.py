"""New buckets for data repositories."""

from __future__ import annotations

from constructs import Construct

from config.design.storage.lustre import MAIN, LustrePlan
from config.design.storage.repositories import RepositoryPlan
from config.profile.model import Profile
from stacks.common import retention_of, tags_of
from ultracluster.storage import DataBucket, DataBucketProps, LogBucket, LogBucketProps

_ACCESS_LOG_DAYS = 365

Buckets = dict[tuple[str, str], str]
"""The names of new buckets; a key is the names of the file system and the data repository."""


def add_buckets(
    scope: Construct, profile: Profile, systems: tuple[LustrePlan, ...], key_arn: str | None
) -> Buckets:
    """Create a bucket for each data repository with `bucket: new`, and one bucket for access logs."""
    wanted = [(system, link) for system in systems for link in system.repositories if link.bucket is None]
    if not wanted:
        return {}
    # a bucket to which S3 delivers logs cannot be deleted on demand
    logs = (
        None
        if profile.disposable
        else LogBucket(
            scope,
            "AccessLogs",
            LogBucketProps(
                name=f"{profile.name}-access-logs",
                log_retention_days=_ACCESS_LOG_DAYS,
                tags=tags_of(profile),
            ),
        )
    )
    assert profile.storage is not None  # the repositories are part of `storage`
    days = profile.storage.buckets.noncurrent_version_days
    return {
        (system.name, link.name): DataBucket(
            scope,
            f"Bucket-{_name(system, link)}",
            DataBucketProps(
                name=f"{profile.name}-{_name(system, link)}",
                noncurrent_version_expiration_days=days,
                access_log_bucket_name=logs.bucket_name if logs else None,
                retention=retention_of(profile),
                key_arn=key_arn,
                tags=tags_of(profile),
            ),
        ).bucket_name
        for system, link in wanted
    }


def _name(system: LustrePlan, link: RepositoryPlan) -> str:
    # a dot, which names do not contain, so that /scratch-data and /data of a file system `scratch` differ
    return link.name if system.name == MAIN else f"{system.name}.{link.name}"
