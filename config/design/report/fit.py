"""The fit of the cluster to its model in figures, as a plan shows it: estimates, with what they assume."""

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
    """GiB on one GPU of the fullest stage. Activations are None until the model's shape is stated.

    `activations_gib` are those with the recomputation that the workload states, and in the total; beside them
    stand the other ways. `has_room`: a tenth stays free for what is not counted.
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
    """Bounds of one step: no step is shorter than `bound_s`, and no more tokens a second than `tokens_per_s`.

    Seconds by what each part does at its peak, None where no source has it. `bubble_percent` is what a
    pipeline adds without interleaving; it is not in the bound. GB are those that one GPU sends.
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
    """Tokens between experts. GB are those that one GPU sends: in a layer for a micro batch, and in a step.

    `leaving_percent` of them leave the NVLink domain where each copy goes by itself, `leaving_once_percent`
    where a token is sent once to each other domain. The step's bound counts the latter.
    """

    expert: int
    nvlink_domain_gpus: int
    layer_gb: float
    step_gb: float
    leaving_percent: float
    leaving_once_percent: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FitSplit:
    """One way to split the run, with what a GPU then holds and what bounds a step."""

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
    """A whole run: FLOPs, days at the bound, and at the share of the peak that Llama 3 405B reached."""

    tokens: float
    flops: float
    days_at_least: float
    days_at_published_share: tuple[float, float] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FitCheckpoint:
    """The checkpoint of the storage plan, for one look: GB and s."""

    gb: float
    write_s: float
    restore_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FitReport:
    """How the cluster suits the model of its workload.

    `splits` has the stated one, or the best, those that fit first. `missing` names keys of `workload` that
    would make more known; `assumptions` say what the estimates rest on.
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
    """The fit of a profile's workload to its largest group of GPUs; None without either."""
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
        stated=found.stated,
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
    """Four digits: estimates have no more."""
    return float(f"{value:.4g}")


def _known(value: float | None) -> float | None:
    return None if value is None else _figure(value)


def assumptions(workload: Workload, model: Model, machines: Machines) -> list[str]:
    """What the estimates rest on, in the words of the plan."""
    sizes = workload.training_bytes
    said = [
        f"{sizes.weights:g} + {sizes.gradients:g} + {sizes.optimizer:g} bytes per parameter for weights, "
        f"gradients and optimizer; replicas share {_SHARED[model.sharding]}",
        "CUDA context, NCCL buffers and fragmentation are not counted",
    ]
    if model.body:
        shape = "the block of GPT, 4 times as wide as the model" if workload.feed_forward_size is None else ""
        said.append(
            "activations as in Korthikanti et al. 2022 with sequence parallelism, in 16 bits"
            + (f"; feed-forward is {shape}" if shape else "")
        )
        said.append("bounds are peaks with perfect overlap: compute, HBM, NVLink and EFA at once, no bubble")
        said.append("attention is counted without a causal mask, as published utilization is")
    if model.body and model.batch_sequences is None:
        said.append("no batch is stated: 4 micro batches for each pipeline stage are assumed")
    if model.experts:
        held = "tokens spread evenly over experts; every layer has them"
        said.append(held if model.experts_hold else "experts are not told apart from the other parameters")
    if model.precision == "fp4":
        said.append("tokens travel to experts as with fp8: nothing is published of fp4")
    if not machines.efa_per_s and machines.gpus > machines.domain_gpus:
        said.append("the nodes have no EFA: what moves between them is not in the bounds")
    return said


_SHARED = {
    "none": "nothing",
    "optimizer": "the optimizer (ZeRO-1)",
    "gradients": "optimizer and gradients (ZeRO-2)",
    "weights": "optimizer, gradients and weights (ZeRO-3)",
}
