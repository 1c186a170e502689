"""Slurm: nodes that take no jobs, and a controller that is slow or silent."""

from __future__ import annotations

from functools import partial

from config.design.observability.alerts.model import MINUTE, Alert, Threshold

_PLANES = ("hyperpod-slurm", "pcs")
# Slurm itself counts the nodes of the cluster, its exporter those of each partition
_PARTITION = "cluster, partition"
_OF = "{{ with $labels.partition }} ({{ . }}){{ end }}"
_alert = partial(Alert, family="scheduler", planes=_PLANES)

ALERTS = (
    _alert(
        name="SlurmSilent",
        severity="critical",
        asks='max by (cluster) (<up>{job="slurm"}) == 0',
        summary="{{ $labels.cluster }}: Slurm's controller shows no metrics",
        meaning="The controller, or what asks it, is down: running jobs go on, no new ones start.",
        look=("`scontrol ping` and slurmctld's log",),
        cure="Start slurmctld again; on PCS look at the cluster's state.",
    ),
    _alert(
        name="SlurmNodesDown",
        asks=f"max by ({_PARTITION}) (<slurm_nodes_down>) > $threshold",
        threshold=Threshold(value=0, unit="nodes"),
        summary="{{ $labels.cluster }}: {{ $value }} nodes are down in Slurm" + _OF,
        meaning="Slurm does not hear from them, and starts no jobs there.",
        look=("`sinfo -R` and `scontrol show node`",),
        cure="`scontrol update nodename=NODE state=resume` once a node answers; have it replaced when it does not.",
        for_s=10 * MINUTE,
    ),
    _alert(
        name="SlurmNodesDrained",
        asks=f"max by ({_PARTITION}) (<slurm_nodes_drained>) > $threshold",
        threshold=Threshold(value=0, unit="nodes"),
        summary="{{ $labels.cluster }}: {{ $value }} nodes are drained in Slurm" + _OF,
        meaning="They cost as before, and run nothing; a check drained them, or somebody did.",
        look=("`sinfo -R`: a reason that begins with `ultracluster` is a check's",),
        cure="What the reason says; a check's drain is lifted by itself when the check passes.",
        for_s=30 * MINUTE,
    ),
    _alert(
        name="SlurmSchedulerSlow",
        asks="max by (cluster) (<slurm_scheduler_cycle>) / 1e6 > $threshold",
        threshold=Threshold(value=5, unit="s"),
        summary="{{ $labels.cluster }}: a scheduling cycle takes {{ printf `%.1f` $value }} s",
        meaning="Jobs start late, and commands of users wait.",
        look=("`sdiag`: which calls there are many of, and who makes them",),
        cure="Stop scripts that ask squeue in a loop; submit arrays in the place of single jobs.",
        for_s=15 * MINUTE,
    ),
)
