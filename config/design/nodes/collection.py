"""What nodes do for metrics, as a part of their scripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmCollection:
    """What a bundle has for collection.

    `files` and `settings` (metrics-settings.env) are the bundle's. `parameters` are what nodes read once
    the cluster is there, `secret_arns` what they read of Secrets Manager, `bucket` (`bucket/folder`) where
    archives are. `reads_cloudwatch`: one of them asks CloudWatch for the metrics of file systems.
    `kubernetes`: exporters run as pods, and nodes write files alone.
    """

    files: Mapping[str, str] = field(hash=False)
    settings: Mapping[str, str] = field(hash=False)
    parameters: tuple[str, ...] = ()
    secret_arns: tuple[str, ...] = ()
    bucket: str | None = None
    reads_cloudwatch: bool = False
    kubernetes: bool = False
