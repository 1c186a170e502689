"""Alerts for Slurm nodes that run no jobs, and for a slow or unreachable Slurm controller."""

from __future__ import annotations

from functools import partial

from config.design.observability.alerts.model import MINUTE, Alert, Threshold

_PLANES = ("hyperpod-slurm", "pcs")
# Slurm itself counts the nodes of the cluster, its exporter counts the nodes of each partition
_PARTITION = "cluster, partition"
_OF = "{{ with $labels.partition }} ({{ . }}){{ end }}"
_alert = partial(Alert, family="scheduler", planes=_PLANES)

ALERTS = (
    _alert(
        name="SlurmSilent",
        severity="critical",
        queries='max by (cluster) (<up>{job="slurm"}) == 0',
        summary="{{ $labels.cluster }}: the Slurm controller reports no metrics",
        meaning="The Slurm controller or its exporter is down. If the controller is down, running jobs continue but no new jobs "
        "start.",
        checks=("Run `scontrol ping`, and check the log of slurmctld.",),
        remedy="Restart slurmctld. With PCS, check the status of the cluster.",
    ),
    _alert(
        name="SlurmNodesDown",
        queries=f"max by ({_PARTITION}) (<slurm_nodes_down>) > $threshold",
        threshold=Threshold(value=0, unit="nodes"),
        summary="{{ $labels.cluster }}: nodes down in Slurm: {{ $value }}" + _OF,
        meaning="These nodes do not respond to Slurm, so Slurm does not start jobs on them.",
        checks=("Run `sinfo -R` and `scontrol show node`.",),
        remedy="If a node responds again, run `scontrol update nodename=NODE state=resume`. Otherwise replace it.",
        for_s=10 * MINUTE,
    ),
    _alert(
        name="SlurmNodesDrained",
        queries=f"max by ({_PARTITION}) (<slurm_nodes_drained>) > $threshold",
        threshold=Threshold(value=0, unit="nodes"),
        summary="{{ $labels.cluster }}: nodes drained in Slurm: {{ $value }}" + _OF,
        meaning="A check or an administrator drained these nodes. They run no jobs but still cost money.",
        checks=("Run `sinfo -R`. If the reason begins with `ultracluster`, a check drained the node.",),
        remedy="Repair what the reason describes. A node that a check drained resumes automatically when the check passes.",
        for_s=30 * MINUTE,
    ),
    _alert(
        name="SlurmSchedulerSlow",
        queries="max by (cluster) (<slurm_scheduler_cycle>) / 1e6 > $threshold",
        threshold=Threshold(value=5, unit="s"),
        summary="{{ $labels.cluster }}: a scheduling cycle takes {{ printf `%.1f` $value }} s",
        meaning="The Slurm controller is slow. Jobs start late, and Slurm commands wait.",
        checks=("Run `sdiag` to find the most frequent calls and the users that send them.",),
        remedy="Stop scripts that run squeue in a loop. Submit job arrays instead of single jobs.",
        for_s=15 * MINUTE,
    ),
)
