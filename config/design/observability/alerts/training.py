"""Training as its own metrics tell it, and GPUs that a job holds and does not use."""

from __future__ import annotations

from functools import partial

from config.design.observability.alerts.model import HOUR, MINUTE, NODE, Alert, Expression, Threshold, percent

_RUN = "cluster, run"
_PLACE = "run {{ $labels.run }}"
_LOG = "the job's log, and stacks of its ranks: `py-spy dump --pid`"
_alert = partial(Alert, family="training")

ALERTS = (
    _alert(
        name="CheckpointOld",
        severity="critical",
        # a gauge that nobody has set yet is 0, which is no time: then it counts from when the run was first seen
        asks=f"time() - max by ({_RUN}) (<train_checkpoint_time> > 0) > $threshold"
        f" or max by ({_RUN}) (<train_checkpoint_time> == 0 and <train_checkpoint_time> offset $window == 0)"
        " + $threshold",
        threshold=Threshold(value=2 * HOUR, unit="s", intervals=3, least=MINUTE),
        summary=_PLACE + ": no checkpoint for {{ humanizeDuration $value }}",
        meaning="A failure now costs all the work since then.",
        look=("whether checkpoints are being written at all", "LustreTargetFull, LustreServerHot"),
        cure="Let the job write one by hand where it can; find out why it does not by itself.",
    ),
    _alert(
        name="TrainingStalled",
        severity="critical",
        # before the first step there is nothing to go on from, and a run that ended shows nothing; one that goes on
        # from a checkpoint begins with its step, and has to have shown it for as long
        asks=f"max by ({_RUN}) (changes(<train_iteration>[10m])) == 0"
        f" and max by ({_RUN}) (<train_iteration>) > 0"
        f" and max by ({_RUN}) (<train_iteration> offset 10m) > 0",
        summary=_PLACE + ": no step for 10 minutes",
        meaning="The job holds its GPUs and does nothing: a rank hangs, or waits for storage.",
        look=(_LOG, "XIDs, NodeLost and EfaUnresponsive of its nodes", "LustreUnhealthy of its nodes"),
        cure="Stop the job and start it from its last checkpoint without the node that hangs.",
    ),
    _alert(
        name="TrainingLossNan",
        severity="critical",
        # NaN is the one number that is not itself
        asks=f"count by ({_RUN}) ((<train_loss> != <train_loss>) or (abs(<train_loss>) == Inf)) > 0",
        summary=_PLACE + ": the loss is no number",
        meaning="The model is lost from here on; every further step is wasted.",
        look=(
            "the loss before, and the norm of gradients",
            "double-bit errors and XIDs 48, 94, 95 of its nodes",
        ),
        cure="Stop the job; start it from a checkpoint before the loss broke.",
        for_s=2 * MINUTE,
    ),
    _alert(
        name="TrainingSlow",
        asks=f"(1 - sum by ({_RUN}) (rate(<train_tokens>[5m]))"
        f" / sum by ({_RUN}) (rate(<train_tokens>[1h]))) * 100 > $threshold",
        threshold=percent(20, "percent fewer than in the last hour"),
        summary=_PLACE + ": {{ printf `%.0f` $value }} % fewer tokens a second",
        meaning="The job runs, but slower than it did: one slow node slows all.",
        look=(
            "GpuThrottled, EfaRetransmits and LustreServerHot",
            "step times by rank, where the job tells them",
        ),
        cure="Take the slow node out of the job.",
        for_s=10 * MINUTE,
    ),
    _alert(
        name="IdleGpus",
        asks=f"sum by ({NODE}) (ultracluster:idle_dollars_per_hour) > $threshold",
        threshold=Threshold(value=0, unit="dollars an hour"),
        summary="{{ $labels.node }}: GPUs that a program holds are idle, for {{ printf `%.2f` $value }} dollars an hour",
        meaning="Programs hold memory of these GPUs and have not computed anything for half an hour.",
        look=("`nvidia-smi` on the node: whose programs they are",),
        cure="Ask the owner; end what nobody needs.",
        for_s=15 * MINUTE,
    ),
    _alert(
        name="IdleGpusUnpriced",
        asks=(
            Expression(
                text='ultracluster:idle_gpus{instance_type="$instance_type"} > 0', each="unpriced-type"
            ),
        ),
        summary="{{ $labels.node }}: {{ $value }} GPUs that a program holds are idle",
        meaning="As IdleGpus, for machines whose price nobody has stated.",
        look=("`nvidia-smi` on the node: whose programs they are",),
        cure="Ask the owner; end what nobody needs.",
        for_s=15 * MINUTE,
    ),
)
