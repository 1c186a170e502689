"""Alerts for training jobs, from their own metrics, and for idle GPUs."""

from __future__ import annotations

from functools import partial

from config.design.observability.alerts.model import HOUR, MINUTE, NODE, Alert, Expression, Threshold, percent

_RUN = "cluster, run"
_PLACE = "run {{ $labels.run }}"
_LOG = "Check the job's log and the stacks of its ranks (`py-spy dump --pid PID`)."
_alert = partial(Alert, family="training")

ALERTS = (
    _alert(
        name="CheckpointOld",
        severity="critical",
        # a gauge that is not yet set is 0, which is not a time: then the age is counted from the first sample of the run
        queries=f"time() - max by ({_RUN}) (<train_checkpoint_time> > 0) > $threshold"
        f" or max by ({_RUN}) (<train_checkpoint_time> == 0 and <train_checkpoint_time> offset $window == 0)"
        " + $threshold",
        threshold=Threshold(value=2 * HOUR, unit="s", intervals=3, least=MINUTE),
        summary=_PLACE + ": no checkpoint for {{ humanizeDuration $value }}",
        meaning="The last checkpoint is too old. If the job fails now, all work since that checkpoint is lost.",
        checks=(
            "Check whether the job writes checkpoints at all.",
            "Check the alerts LustreTargetFull and LustreServerHot.",
        ),
        remedy="Start a checkpoint manually if the job supports it. Find out why the job does not write checkpoints.",
    ),
    _alert(
        name="TrainingStalled",
        severity="critical",
        # before the first step there is no value to compare, and a run that ended has no series. A run that continues
        # from a checkpoint starts with the checkpoint's step, and must also have shown that step for ten minutes
        queries=f"max by ({_RUN}) (changes(<train_iteration>[10m])) == 0"
        f" and max by ({_RUN}) (<train_iteration>) > 0"
        f" and max by ({_RUN}) (<train_iteration> offset 10m) > 0",
        summary=_PLACE + ": no step for 10 minutes",
        meaning="The job occupies its GPUs but does not progress. A rank hangs, or waits for storage.",
        checks=(
            _LOG,
            "Check the XID alerts, NodeLost and EfaUnresponsive for the nodes of the job.",
            "Check the alert LustreUnhealthy for the nodes of the job.",
        ),
        remedy="Stop the job. Restart it from its last checkpoint, without the node that hangs.",
    ),
    _alert(
        name="TrainingLossNan",
        severity="critical",
        # only NaN is not equal to itself
        queries=f"count by ({_RUN}) ((<train_loss> != <train_loss>) or (abs(<train_loss>) == Inf)) > 0",
        summary=_PLACE + ": the loss is NaN or infinite",
        meaning="The loss is not a finite number. The model cannot recover, and further training steps are wasted.",
        checks=(
            "Check the earlier loss and the gradient norm.",
            "Check the nodes of the job for double-bit errors and XIDs 48, 94 and 95.",
        ),
        remedy="Stop the job. Restart it from a checkpoint that is older than the first bad loss.",
        for_s=2 * MINUTE,
    ),
    _alert(
        name="TrainingSlow",
        queries=f"(1 - sum by ({_RUN}) (rate(<train_tokens>[5m]))"
        f" / sum by ({_RUN}) (rate(<train_tokens>[1h]))) * 100 > $threshold",
        threshold=percent(20, "percent fewer tokens than in the last hour"),
        summary=_PLACE + ": {{ printf `%.0f` $value }} % fewer tokens per second",
        meaning="The job processes fewer tokens per second than in the last hour. One slow node slows down all nodes.",
        checks=(
            "Check the alerts GpuThrottled, EfaRetransmits and LustreServerHot.",
            "Compare the step times of the ranks, if the job reports them.",
        ),
        remedy="Restart the job without the slow node.",
        for_s=10 * MINUTE,
    ),
    _alert(
        name="IdleGpus",
        queries=f"sum by ({NODE}) (ultracluster:idle_dollars_per_hour) > $threshold",
        threshold=Threshold(value=0, unit="USD per hour"),
        summary="{{ $labels.node }}: occupied but idle GPUs cost {{ printf `%.2f` $value }} USD per hour",
        meaning="Programs occupy memory of these GPUs, but the GPUs have been idle for half an hour.",
        checks=("Run `nvidia-smi` on the node to find the programs and their owners.",),
        remedy="Contact the owner of the programs. Stop programs that are not needed.",
        for_s=15 * MINUTE,
    ),
    _alert(
        name="IdleGpusUnpriced",
        queries=(
            Expression(
                text='ultracluster:idle_gpus{instance_type="$instance_type"} > 0', each="unpriced-type"
            ),
        ),
        summary="{{ $labels.node }}: occupied but idle GPUs: {{ $value }}",
        meaning="Programs occupy memory of these GPUs, but the GPUs have been idle for half an hour. The price of this "
        "instance type is not known.",
        checks=("Run `nvidia-smi` on the node to find the programs and their owners.",),
        remedy="Contact the owner of the programs. Stop programs that are not needed.",
        for_s=15 * MINUTE,
    ),
)
