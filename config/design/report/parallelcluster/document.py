"""The complete ParallelCluster configuration of a profile, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from config.catalog import catalog
from config.design.model import Design
from config.design.report.parallelcluster.ids import KnownIds, UnknownId, identify
from config.design.report.parallelcluster.nodes import head_node, login_pools
from config.design.report.parallelcluster.queues import queues
from config.design.report.parallelcluster.slurm import slurm_settings
from config.design.report.parallelcluster.storage import shared_storage
from config.design.tags import profile_tags

Json = dict[str, Any]

OS = "alinux2023"
"""An operating system that all instance types of the catalogue support; rhel8, rocky8 and rhel9 have no
driver for GB200 (UNSUPPORTED_OSES_FOR_P6E_GB200)."""

_LOG_DAYS = 90
"""The default log retention of a profile."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A ParallelCluster configuration, and the ids that the user must add to it."""

    configuration: Mapping[str, Any] = field(hash=False)
    unknown: tuple[UnknownId, ...]


def configuration(design: Design, known_ids: KnownIds | None = None) -> Written:
    """Return the configuration of a design; the ParallelCluster rules must have accepted the design."""
    known_ids = known_ids or KnownIds()
    ids = identify(design, known_ids)
    iam = _iam(design)
    pools = list(login_pools(design, ids, iam))
    shared = list(shared_storage(design, ids.file_systems, ids.home_volume))
    found: Json = {
        "Region": design.profile.region,
        "Image": {"Os": OS} | ({"CustomAmi": known_ids.image} if known_ids.image else {}),
        "HeadNode": head_node(design, ids, iam),
        **({"LoginNodes": {"Pools": pools}} if pools else {}),
        "Scheduling": {
            "Scheduler": "slurm",
            "SlurmSettings": slurm_settings(design),
            "SlurmQueues": list(queues(design, ids, iam)),
        },
        **({"SharedStorage": shared} if shared else {}),
        "Monitoring": _monitoring(design),
        "Imds": {"ImdsSupport": "v2.0"},
        "Tags": [{"Key": key, "Value": value} for key, value in profile_tags(design.profile).items()],
    }
    return Written(configuration=_unshared(found), unknown=ids.unknown)


def _iam(design: Design) -> Json:
    """Return the policy for Session Manager, which needs no key and no public address on the nodes."""
    region = catalog().regions.get(design.profile.region)
    partition = region.partition if region else "aws"
    return {
        "AdditionalIamPolicies": [
            {"Policy": f"arn:{partition}:iam::aws:policy/AmazonSSMManagedInstanceCore"},
        ]
    }


def _monitoring(design: Design) -> Json:
    declared = design.profile.observability
    return {
        "Logs": {
            "CloudWatch": {
                "Enabled": True,
                "RetentionInDays": declared.log_retention_days if declared else _LOG_DAYS,
                "DeletionPolicy": "Delete" if design.profile.disposable else "Retain",
            }
        }
    }


def _unshared(value: Any) -> Any:
    """Return a deep copy, since YAML would write shared parts as references."""
    if isinstance(value, dict):
        return {key: _unshared(inner) for key, inner in value.items()}
    return [_unshared(inner) for inner in value] if isinstance(value, list) else value
