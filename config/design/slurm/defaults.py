"""Slurm settings of clusters with GPU nodes; settings of the profile override them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from config.design.capacity.groups import GroupPlan

FOLDER = "/opt/ultracluster/slurm"
PROLOG = f"{FOLDER}/prolog.sh"
EPILOG = f"{FOLDER}/epilog.sh"
"""Paths of the programs that slurmd runs; the node scripts write them on every node."""

NO_HOLD = "nohold_on_prolog_fail"
"""Requeues a job whose prolog fails; without this setting, the job is on `hold` until a user releases it
(https://slurm.schedmd.com/slurm.conf.html)."""

DEFAULT_QUEUE: Mapping[str, str] = MappingProxyType({"Default": "YES"})
"""Settings of the default queue; without a default queue, Slurm rejects jobs that do not name a queue."""


def slurm_defaults(groups: Sequence[GroupPlan]) -> Mapping[str, str]:
    """Return the prolog and epilog settings of a cluster with GPU nodes, empty without GPU nodes.

    Between jobs, a timer on the nodes runs the checks, so Slurm needs no health check.

    A prolog that fails drains its node, and requeues the job before it has started. To drain the node and
    requeue the job, Slurm requires the flag Alloc (https://slurm.schedmd.com/prolog_epilog.html).
    UltraServers also require NoHold
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


def settled(defaults: Mapping[str, str], settings: Mapping[str, str | None]) -> dict[str, str]:
    """Merge the settings of the profile over the defaults; null removes a default."""
    merged = {**defaults, **settings}
    return {name: value.strip() for name, value in sorted(merged.items()) if value is not None}
