"""Files for metrics programs on nodes: DCGM counters and the CloudWatch exporter's configuration."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from config.design.capacity.groups import GroupPlan
from config.design.nodes.clients import SharedLustre
from config.design.nodes.collection import SlurmCollection
from config.design.observability.collection.counters import counters
from config.design.observability.collection.fsx import exporter_config
from config.design.observability.collection.measured import measured
from config.design.observability.collection.slurm import plan_collection
from config.profile.model import Profile


def collection_of(
    profile: Profile, groups: Sequence[GroupPlan], file_systems: Sequence[SharedLustre]
) -> SlurmCollection | None:
    """Return the collection on the nodes of a profile; None if they do not collect metrics."""
    found = measured(profile, groups, lustre=bool(file_systems))
    by_architecture = {
        architecture: tuple(nodes for nodes in found.gpu_nodes if nodes.architecture == architecture)
        for architecture in found.architectures
    }
    return plan_collection(
        profile,
        groups,
        counters={name: counters(replace(found, gpu_nodes=nodes)) for name, nodes in by_architecture.items()},
        architectures={nodes.instance_type: nodes.architecture for nodes in found.gpu_nodes},
        fsx=_fsx(profile.region) if "fsx" in found.exporters else None,
        file_systems=file_systems,
    )


@cache
def _fsx(region: str) -> str:
    """Return the CloudWatch exporter's configuration; JSON is valid YAML and has a fixed form."""
    return json.dumps(exporter_config(region)) + "\n"
