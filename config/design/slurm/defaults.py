"""Slurm settings that ultracluster sets by itself where GPU nodes are; the profile's own win."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from config.design.capacity.groups import GroupPlan

FOLDER = "/opt/ultracluster/slurm"
PROLOG = f"{FOLDER}/prolog.sh"
EPILOG = f"{FOLDER}/epilog.sh"
"""Where the node scripts put what slurmd calls: on every node of a cluster, whatever its type."""

NO_HOLD = "nohold_on_prolog_fail"
"""A job whose prolog fails is queued again; without it Slurm holds it until somebody releases it
(https://slurm.schedmd.com/slurm.conf.html)."""

DEFAULT_QUEUE: Mapping[str, str] = MappingProxyType({"Default": "YES"})
"""Settings of the queue that takes jobs which name none; without one, Slurm refuses such jobs."""


def slurm_defaults(groups: Sequence[GroupPlan]) -> Mapping[str, str]:
    """Prolog and epilog of a cluster with GPU nodes; nothing for one without.

    Between jobs nodes check themselves by a timer of their own, so that Slurm needs no health check.

    A prolog that fails drains its node and requeues the job before it has started, which needs the flag
    Alloc (https://slurm.schedmd.com/prolog_epilog.html). UltraServers need NoHold beside it
    (https://docs.aws.amazon.com/pcs/latest/userguide/capacity-blocks-nvidia-imex.html).
    """
    if not any(group.instance_type.is_gpu for group in groups):
        return {}
    whole = any(group.instance_type.ultraserver_only for group in groups)
    return {
        "Epilog": EPILOG,
        "Prolog": PROLOG,
        "PrologFlags": "Alloc,NoHold" if whole else "Alloc",
        "SchedulerParameters": NO_HOLD,
    }


def settled(defaults: Mapping[str, str], stated: Mapping[str, str | None]) -> dict[str, str]:
    """The settings that hold, by name: the profile's over ultracluster's; null takes one away."""
    merged = {**defaults, **stated}
    return {name: value.strip() for name, value in sorted(merged.items()) if value is not None}
