"""The fit section of a plan: splits of the model, memory, the bounds of a step, and assumptions."""

from __future__ import annotations

from config.design.report.fit import FitExchange, FitMemory, FitReport, FitSplit, FitStep, FitTraining
from config.design.workload.experts import Experts
from scripts.cli.plan.document import Writer, amount
from scripts.cli.plan.sections.storage import duration

_LARGE = ((1e12, "T"), (1e9, "B"), (1e6, "M"))
_SHORT_S = 10
_MANY_DAYS = 100


def write_fit(out: Writer, fit: FitReport, experts: Experts | None = None) -> None:
    """Write how the workload's model fits the largest GPU group."""
    out.heading("fit to the model (estimates)")
    out.fact(
        "model",
        f"{_model(fit)}, on {fit.gpus:,} x {fit.gpu} in group {fit.group}, NVLink domains of "
        f"{amount(fit.nvlink_domain_gpus, 'GPU')}",
    )
    if experts:
        out.fact("experts", _experts(experts))
    if fit.splits:
        _write_splits(out, fit)
        _write_best(out, fit, fit.splits[0])
    else:
        out.fact("splits", "no combination of parallel sizes divides both the GPUs and the batch")
    if fit.training:
        out.fact("training run", _training(fit.training))
    if fit.checkpoint:
        point = fit.checkpoint
        saved = (
            f"{point.gb:,.0f} GB, saved in {duration(point.write_s)}, restored in {duration(point.restore_s)}"
        )
        out.fact("checkpoint", f"{saved} (see the section on checkpoints)")
    if fit.missing:
        keys = ", ".join(f"`workload.{key}`" for key in fit.missing)
        out.fact("missing keys", f"set {keys} to get more estimates")
    out.fact("assumptions", f"{'; '.join(fit.assumptions)} ({fit.page})")


def _model(fit: FitReport) -> str:
    size = f"{_count(fit.parameters)} parameters"
    if fit.active_parameters is not None and fit.active_parameters != fit.parameters:
        size += f" ({_count(fit.active_parameters)} active)"
    return f"{size} in {fit.precision}"


def _experts(experts: Experts) -> str:
    spread = f"{experts.experts} experts, spread over {amount(experts.gpus, 'GPU')}"
    if not experts.over_efa:
        return f"{spread}: tokens do not leave one NVLink domain of {experts.nvlink_domain_gpus} GPUs"
    network = f"EFA ({experts.efa_gbps:,g} Gbps per node)" if experts.efa_gbps else "ENA (without EFA)"
    domains = f"NVLink domains of {amount(experts.nvlink_domain_gpus, 'GPU')}"
    return f"{spread}: tokens travel between {domains} over {network}"


def _write_splits(out: Writer, fit: FitReport) -> None:
    order = "fastest" if fit.splits[0].step else "best"
    out.fact(
        "splits",
        "as set in `workload.parallelism`" if fit.stated
        else f"{fit.fitting} of {amount(fit.possible, 'candidate split')} fit in GPU memory; {order} first:",
    )  # fmt: skip
    out.table(
        ("tensor", "pipeline", "context", "data", "expert", "GPUs", "GiB/GPU", "fits", "step", "limit"),
        [_row(split) for split in fit.splits],
        right=(0, 1, 2, 3, 4, 5, 6, 8),
    )


def _row(split: FitSplit) -> tuple[str, ...]:
    return (
        str(split.tensor), str(split.pipeline), str(split.context), f"{split.data:,}", str(split.expert),
        f"{split.gpus:,}", f"{split.memory.total_gib:,.1f}", _fits(split.memory),
        _seconds(split.step.bound_s) if split.step else "-", split.step.bottleneck if split.step else "-",
    )  # fmt: skip


def _fits(memory: FitMemory) -> str:
    return "yes" if memory.has_room else "tight" if memory.fits else "no"


def _write_best(out: Writer, fit: FitReport, split: FitSplit) -> None:
    out.fact("memory", _memory(split.memory))
    other = _recomputed(split.memory)
    if other:
        out.fact("", other)
    if split.step:
        out.fact("step", _step(split.step, split.micro_batches))
        out.fact(
            "traffic",
            f"each GPU sends {_gb(split.step.nvlink_gb)} over NVLink and {_gb(split.step.efa_gb)} over EFA "
            "in a step",
        )
    if split.exchange:
        out.fact("token traffic", _exchange(split.exchange))


def _memory(memory: FitMemory) -> str:
    parts = [
        f"weights {memory.weights_gib:,.1f}",
        f"gradients {memory.gradients_gib:,.1f}",
        f"optimizer {memory.optimizer_gib:,.1f}",
        "activations unknown"
        if memory.activations_gib is None
        else f"activations {memory.activations_gib:,.1f}",
    ]
    return f"{', '.join(parts)}: {memory.total_gib:,.1f} of {memory.gpu_gib:,.4g} GiB per GPU"


def _recomputed(memory: FitMemory) -> str:
    ways = (
        ("without recomputation", memory.without_recomputation_gib),
        ("with selective recomputation", memory.with_selective_gib),
        ("with full recomputation", memory.with_full_gib),
    )
    shown = [f"{gib:,.1f} {way}" for way, gib in ways if gib is not None]
    return f"GiB of activations: {', '.join(shown)}" if shown else ""


def _step(step: FitStep, micro_batches: int) -> str:
    parts = (("compute", step.compute_s), ("HBM", step.hbm_s), ("NVLink", step.nvlink_s), ("EFA", step.efa_s))
    shown = ", ".join(f"{name} {_seconds(seconds)}" for name, seconds in parts if seconds is not None)
    bubble = f"; the pipeline bubble adds {step.bubble_percent:g} %" if step.bubble_percent else ""
    return (
        f"{_count(step.tokens)} tokens in {amount(micro_batches, 'micro-batch', 'micro-batches')}: at least "
        f"{_seconds(step.bound_s)} ({shown}), limited by {step.bottleneck}; "
        f"at most {_count(step.tokens_per_s)} tokens/s{bubble}"
    )


def _exchange(exchange: FitExchange) -> str:
    layer, step = _gb(exchange.layer_gb), _gb(exchange.step_gb)
    sent = f"each GPU sends {layer} per layer and micro-batch, {step} per step"
    if not exchange.leaving_percent:
        return f"{sent}; these tokens do not leave the NVLink domain"
    return (
        f"{sent}; {exchange.leaving_percent:g} % leaves the NVLink domain over EFA if each copy of a token "
        f"is sent separately, {exchange.leaving_once_percent:g} % if one copy is sent to each domain"
    )


def _training(training: FitTraining) -> str:
    tokens, least = _count(training.tokens), _days(training.days_at_least)
    run = f"{tokens} tokens need {training.flops:.3g} FLOPs: at least {least}"
    if training.days_at_published_share is None:
        return run
    low, high = training.days_at_published_share
    return f"{run}; {_days(low)} to {_days(high)} at the utilization that Llama 3 405B reached on H100"


def _days(days: float) -> str:
    return f"{days:,.0f} days" if days >= _MANY_DAYS else f"{days:.3g} days"


def _seconds(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds < _SHORT_S else duration(seconds)


def _gb(gb: float) -> str:
    return f"{gb / 1000:,.3g} TB" if gb >= 1000 else f"{gb:,.3g} GB"


def _count(number: float) -> str:
    for size, letter in _LARGE:
        if number >= size:
            return f"{number / size:,.4g}{letter}"
    return f"{number:,.0f}"
