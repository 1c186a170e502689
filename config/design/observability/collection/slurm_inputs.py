"""What collection on nodes takes from elsewhere: DCGM's counters, and what to ask CloudWatch for."""

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
    """What the nodes of a profile do for metrics; None where they do nothing."""
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
    """What to ask CloudWatch of a Region for; JSON is YAML, and has one form."""
    return json.dumps(exporter_config(region)) + "\n"
