"""The fit report of a plan: estimates of how the model fits the cluster, with their assumptions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from config.design.model import Design
from config.records import copied

if TYPE_CHECKING:
    from config.design.workload.fit.machines import Machines
    from config.design.workload.fit.shape import Model
    from config.design.workload.fit.split import Outcome, Step
    from config.profile.workload import Workload

_GIB, _GB = 2**30, 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class FitMemory:
    """GiB on one GPU of the pipeline stage that uses most memory; activations are None without a model shape.

    `activations_gib` assumes the recomputation that the workload declares; the total includes this value. The
    last three fields are the activations without recomputation, with selective and with full recomputation.
    `has_room` is true if a tenth of the memory remains free for uses that the estimate does not count.
    """

    weights_gib: float
    gradients_gib: float
    optimizer_gib: float
    activations_gib: float | None
    total_gib: float
    gpu_gib: float
    fits: bool
    has_room: bool
    without_recomputation_gib: float | None
    with_selective_gib: float | None
    with_full_gib: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FitStep:
    """Limits of one step: it lasts at least `bound_s`, and processes at most `tokens_per_s`.

    The other times assume that each part works at its peak; None if no source lists the peak.
    `bubble_percent` is the time that a pipeline without interleaving adds; the bound does not include it.
    The GB values are what one GPU sends.
    """

    tokens: float
    compute_s: float
    hbm_s: float | None
    nvlink_s: float | None
    efa_s: float | None
    bound_s: float
    bottleneck: str
    bubble_percent: float
    tokens_per_s: float
    nvlink_gb: float
    efa_gb: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FitExchange:
    """Token traffic between experts: GB that one GPU sends in one layer for a micro-batch, and in one step.

    `leaving_percent` is the share of the traffic that leaves the NVLink domain if each copy of a token is
    sent separately. `leaving_once_percent` is the share if only one copy is sent to each other domain. The
    bounds of a step use `leaving_once_percent`.
    """

    expert: int
    nvlink_domain_gpus: int
    layer_gb: float
    step_gb: float
    leaving_percent: float
    leaving_once_percent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FitSplit:
    """One split of the training run, with the memory of a GPU and the bounds of a step."""

    tensor: int
    pipeline: int
    context: int
    data: int
    expert: int
    gpus: int
    micro_batches: int
    memory: FitMemory
    step: FitStep | None
    exchange: FitExchange | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FitTraining:
    """A whole training run: FLOPs, minimum days, and days at the utilization of the Llama 3 405B training."""

    tokens: float
    flops: float
    days_at_least: float
    days_at_published_share: tuple[float, float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FitCheckpoint:
    """The checkpoint of the storage plan, in GB and s."""

    gb: float
    write_s: float
    restore_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FitReport:
    """The fit of the workload's model to the cluster.

    `splits` contains the split that the workload sets, or the best ones; splits that fit in memory are first.
    `missing` lists the keys of `workload` that would allow more estimates. `assumptions` lists what the
    estimates assume.
    """

    group: str
    instance_type: str
    gpu: str
    gpus: int
    nvlink_domain_gpus: int
    parameters: float
    active_parameters: float | None
    precision: str
    stated: bool
    possible: int
    fitting: int
    splits: tuple[FitSplit, ...]
    training: FitTraining | None
    checkpoint: FitCheckpoint | None
    missing: tuple[str, ...]
    assumptions: tuple[str, ...]
    page: str = "docs/reference/fit.md"


def fit_report(design: Design) -> FitReport | None:
    """Return the fit of a profile's workload to its largest GPU group; None without a workload or GPUs."""
    from config.design.workload.fit.judged import judged

    found = judged(design.profile.workload, design.groups)
    if found is None:
        return None
    model, machines = found.model, found.machines
    splits = tuple(_split(one, machines) for one in found.outcomes)
    return FitReport(
        group=machines.group,
        instance_type=machines.instance_type,
        gpu=machines.gpu,
        gpus=machines.gpus,
        nvlink_domain_gpus=machines.domain_gpus,
        parameters=model.parameters,
        active_parameters=model.active_parameters,
        precision=model.precision,
        stated=found.declared,
        possible=found.possible,
        fitting=found.fitting,
        splits=splits,
        training=_training(model, machines, splits),
        checkpoint=_checkpoint(design),
        missing=model.missing,
        assumptions=tuple(assumptions(found.workload, model, machines)),
    )


def _split(one: Outcome, machines: Machines) -> FitSplit:
    split, exchange = one.split, one.moved.exchange
    return copied(
        FitSplit,
        split,
        micro_batches=one.micro_batches,
        memory=_memory(one, machines),
        step=_step(one.step, one) if one.step else None,
        exchange=FitExchange(
            expert=split.expert,
            nvlink_domain_gpus=machines.domain_gpus,
            layer_gb=_figure(exchange.layer_bytes / _GB),
            step_gb=_figure(exchange.step_bytes / _GB),
            leaving_percent=round(exchange.leaving_share * 100, 1),
            leaving_once_percent=round(exchange.leaving_once_share * 100, 1),
        )
        if exchange
        else None,
    )


def _memory(one: Outcome, machines: Machines) -> FitMemory:
    held = one.held
    by_way = held.activations or {}

    def gib(way: str) -> float | None:
        return next((round(size / _GIB, 2) for name, size in by_way.items() if name == way), None)

    parts = [round(part / _GIB, 2) for part in (held.weights, held.gradients, held.optimizer)]
    activations = gib(held.chosen)
    return FitMemory(
        weights_gib=parts[0],
        gradients_gib=parts[1],
        optimizer_gib=parts[2],
        activations_gib=activations,
        total_gib=round(sum(parts) + (activations or 0), 2),
        gpu_gib=machines.memory_gib,
        fits=one.fits(machines),
        has_room=one.has_room(machines),
        without_recomputation_gib=gib("none"),
        with_selective_gib=gib("selective"),
        with_full_gib=gib("full"),
    )


def _step(step: Step, one: Outcome) -> FitStep:
    return FitStep(
        tokens=step.tokens,
        compute_s=_figure(step.compute_s),
        hbm_s=_known(step.hbm_s),
        nvlink_s=_known(step.nvlink_s),
        efa_s=_known(step.efa_s),
        bound_s=_figure(step.bound_s),
        bottleneck=step.bottleneck,
        bubble_percent=round(step.bubble * 100, 1),
        tokens_per_s=_figure(step.tokens / step.bound_s),
        nvlink_gb=_figure(one.moved.nvlink / _GB),
        efa_gb=_figure(one.moved.efa / _GB),
    )


def _training(model: Model, machines: Machines, splits: tuple[FitSplit, ...]) -> FitTraining | None:
    from config.catalog.workload.fit import reached_shares
    from config.design.workload.fit.compute import days_for, seconds_at, training_flops

    flops, tokens = model.flops_per_token, model.training_tokens
    if tokens is None or flops is None or not splits or splits[0].step is None:
        return None
    published = None
    if machines.bf16_tflops and model.precision == "bf16":
        slow, fast = (
            days_for(tokens, 1 / seconds_at(1, sum(flops), splits[0].gpus, machines.bf16_tflops * share))
            for share in reached_shares()
        )
        published = (_figure(fast), _figure(slow))
    return FitTraining(
        tokens=tokens,
        flops=_figure(training_flops(tokens, sum(flops))),
        days_at_least=_figure(days_for(tokens, splits[0].step.tokens_per_s)),
        days_at_published_share=published,
    )


def _checkpoint(design: Design) -> FitCheckpoint | None:
    from config.design.report.checkpoints import checkpoint_report

    plan = design.checkpoints
    if plan is None:
        return None
    return copied(FitCheckpoint, checkpoint_report(plan))


def _figure(value: float) -> float:
    """Round to four significant digits."""
    return float(f"{value:.4g}")


def _known(value: float | None) -> float | None:
    return None if value is None else _figure(value)


def assumptions(workload: Workload, model: Model, machines: Machines) -> list[str]:
    """Return the assumptions of the estimates, as the plan prints them."""
    sizes = workload.training_bytes
    said = [
        f"{sizes.weights:g} + {sizes.gradients:g} + {sizes.optimizer:g} bytes per parameter for weights, "
        f"gradients and optimizer; {_SHARED[model.sharding]}",
        "CUDA context, NCCL buffers and fragmentation are not counted",
    ]
    if model.body:
        said.append("activations as in Korthikanti et al. 2022 with sequence parallelism, in 16 bits")
        if workload.feed_forward_size is None:
            said.append("the feed-forward layer is 4 times as wide as the model, as in GPT")
        said.append("bounds assume peak rates and that compute, HBM, NVLink and EFA overlap without a bubble")
        said.append("attention is counted without a causal mask, as in published utilization")
    if model.body and model.batch_sequences is None:
        said.append("4 micro-batches for each pipeline stage, because the profile does not set a batch")
    if model.experts:
        held = "tokens are spread evenly over the experts, and every layer has experts"
        said.append(held if model.experts_hold else "expert parameters are not separated from the others")
    if model.precision == "fp4":
        said.append("tokens are sent to experts in fp8, because no fp4 format is published")
    if not machines.efa_per_s and machines.gpus > machines.domain_gpus:
        said.append("the bounds do not include traffic between nodes, because the nodes have no EFA")
    return said


_SHARED = {
    "none": "replicas are not sharded",
    "optimizer": "replicas shard the optimizer (ZeRO-1)",
    "gradients": "replicas shard optimizer and gradients (ZeRO-2)",
    "weights": "replicas shard optimizer, gradients and weights (ZeRO-3)",
}
