"""Slurm settings of a ParallelCluster configuration; rejected settings are translated if possible."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from config.design.model import Design
from config.design.report.parallelcluster.limits import (
    DENIED_OF_CLUSTER,
    DENIED_OF_GROUP,
    DENIED_OF_QUEUE,
    MIN_PRIORITY,
)
from config.design.slurm.defaults import settled
from config.profile.capacity.groups import Group
from config.profile.slurm.pcs import Pcs

Json = dict[str, Any]

HOOKS = ("Prolog", "Epilog")
"""Programs that run before and after jobs; ParallelCluster runs all files of `.../scripts/prolog.d`."""

EXCLUSIVE = "EXCLUSIVE"


def pcs_of(design: Design) -> Pcs | None:
    """Return the PCS section of the profile, None with HyperPod."""
    orchestrator = design.profile.orchestrator
    return orchestrator if isinstance(orchestrator, Pcs) else None


def of_cluster(design: Design) -> dict[str, str]:
    """Return the settings of the profile; ultracluster's defaults need its node scripts and are left out."""
    pcs = pcs_of(design)
    return settled({}, pcs.settings) if pcs else {}


def denied_of_cluster(settings: Mapping[str, str]) -> Iterator[str]:
    """Yield cluster settings that ParallelCluster rejects and that have no translation."""
    return (name for name in settings if name.lower() in DENIED_OF_CLUSTER and name not in HOOKS)


def denied_of_queue(settings: Mapping[str, str]) -> Iterator[str]:
    """Yield queue settings that ParallelCluster rejects; the setting for exclusive nodes is translated."""
    for name, value in settings.items():
        if name.lower() in DENIED_OF_QUEUE and not is_exclusive(name, value):
            yield name


def denied_of_group(settings: Mapping[str, str]) -> Iterator[str]:
    """Yield group settings that ParallelCluster rejects; a weight becomes a priority."""
    return (name for name in settings if name.lower() in DENIED_OF_GROUP and name.lower() != "weight")


def is_exclusive(name: str, value: str) -> bool:
    """Return True for `OverSubscribe: EXCLUSIVE`, which becomes JobExclusiveAllocation."""
    return name.lower() == "oversubscribe" and value.upper() == EXCLUSIVE


def hooks(design: Design) -> dict[str, str]:
    """Return the programs that run before and after jobs, by `prolog` and `epilog`."""
    settings = of_cluster(design)
    return {name.lower(): settings[name] for name in HOOKS if name in settings}


def slurm_settings(design: Design) -> Json:
    """Return the SlurmSettings section; an update drains the nodes that it replaces."""
    found: Json = {"QueueUpdateStrategy": "DRAIN"}
    pcs = pcs_of(design)
    if pcs and any(group.scaling == "dynamic" for _, group in design.placed_groups):
        found["ScaledownIdletime"] = math.ceil(pcs.idle_seconds / 60)
    custom = {name: value for name, value in of_cluster(design).items() if name not in HOOKS}
    if custom:
        found["CustomSlurmSettings"] = [{name: value} for name, value in custom.items()]
    return found


def of_queue(settings: Mapping[str, str]) -> Json:
    """Return the configuration of a queue's settings."""
    custom = {name: value for name, value in settings.items() if not is_exclusive(name, value)}
    found: Json = {"JobExclusiveAllocation": True} if len(custom) < len(settings) else {}
    return found | ({"CustomSlurmSettings": custom} if custom else {})


def of_group(declared: Group) -> Json:
    """Return the configuration of a group's settings; nodes with low weight or priority are used first."""
    settings = settled({}, declared.slurm_settings)
    custom = {name: value for name, value in settings.items() if name.lower() != "weight"}
    weight = next((value for name, value in settings.items() if name.lower() == "weight"), None)
    found: Json = {"CustomSlurmSettings": custom} if custom else {}
    if weight is not None and weight.isdecimal():
        priority = max(MIN_PRIORITY, int(weight))
        found |= {"StaticNodePriority": priority, "DynamicNodePriority": priority}
    return found
