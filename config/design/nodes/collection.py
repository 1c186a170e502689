"""Metrics collection as a part of the node scripts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class SlurmCollection:
    """The parts of a script bundle that collect metrics.

    `files` and `settings` (metrics-settings.env) are added to the bundle. Nodes read the SSM `parameters`
    after the cluster exists, and the secrets in `secret_arns`. `bucket` is the bucket and folder
    (`bucket/folder`) with the archives of the exporters. `reads_cloudwatch`: one node queries CloudWatch for
    file system metrics. `kubernetes`: exporters run as pods, and nodes only write files.
    """

    files: Mapping[str, str] = field(hash=False)
    settings: Mapping[str, str] = field(hash=False)
    parameters: tuple[str, ...] = ()
    secret_arns: tuple[str, ...] = ()
    bucket: str | None = None
    reads_cloudwatch: bool = False
    kubernetes: bool = False
