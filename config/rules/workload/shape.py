"""Rules for the consistency of a model: heads, experts, batches and parameters."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.model import Design
from config.rules.registry import ERROR, WARNING, Finding, rule

_PAGE = "docs/reference/fit.md"
_READS = "workload"
_ALIKE = 0.25
_SAME_BATCH = 0.1


@rule(
    "WRK006", ERROR, "attention heads divide the width of the model, and key heads divide attention heads",
    why="Each head is an equal part of the model's width, and each key and value head serves the same number of heads.",
    source=_PAGE, reads=_READS, where="workload",
)  # fmt: skip
def heads_divide_the_width(design: Design) -> Iterator[Finding]:
    """Compare the width with the heads, and the heads with the key and value heads."""
    workload = design.profile.workload
    if workload is None or workload.heads is None:
        return
    hidden, heads, kv = workload.hidden_size, workload.heads, workload.kv_heads
    if hidden is not None and hidden % heads:
        yield Finding(
            at=("workload", "heads"),
            message=f"`heads: {heads}` does not divide `hidden_size: {hidden}` evenly",
            hint=f"set `heads` to {_nearest(hidden, heads)}, or correct `hidden_size`",
        )
    if kv is not None and heads % kv:
        yield Finding(
            at=("workload", "kv_heads"),
            message=f"`kv_heads: {kv}` does not divide the {heads} attention heads evenly",
            hint=f"set `kv_heads` to {_nearest(heads, kv)}",
        )


@rule(
    "WRK007", ERROR, "a token does not use more experts or parameters than the model has",
    why="A mixture of experts sends each token to a few experts. The estimates of memory, traffic and time depend on the number "
    "of experts.",
    source=_PAGE, reads=_READS, where="workload",
)  # fmt: skip
def experts_agree(design: Design) -> Iterator[Finding]:
    """Compare top-k with the experts, and active parameters with all parameters."""
    workload = design.profile.workload
    if workload is None:
        return
    top, experts, active = workload.experts_per_token, workload.experts, workload.active_parameters
    if top is not None and top > experts:
        of = f"but the model has {experts}" if experts else "but the model does not have experts"
        yield Finding(
            at=("workload", "experts_per_token"),
            message=f"a token uses {top} experts, {of}",
            hint=f"set `experts_per_token` to {experts} or less"
            if experts
            else "set `experts`, or remove `experts_per_token`",
        )
    if active is not None and active > workload.parameters:
        yield Finding(
            at=("workload", "active_parameters"),
            message=f"{active:.4g} active parameters are more than the {workload.parameters:.4g} parameters",
            hint="set `parameters` to the total of all experts, and `active_parameters` to the parameters that one token uses",
        )
    elif active is not None and not experts and active < workload.parameters:
        yield Finding(
            at=("workload", "active_parameters"),
            message=f"{active:.4g} of {workload.parameters:.4g} parameters are active in a model without experts",
            hint="set `experts` and `experts_per_token`, or remove `active_parameters`",
        )


@rule(
    "WRK008", ERROR, "`global_batch_sequences` and `global_batch_tokens` describe the same batch",
    why="Steps, tokens per second and the possible splits depend on the global batch.",
    source=_PAGE, reads=_READS, where="workload",
)  # fmt: skip
def batches_agree(design: Design) -> Iterator[Finding]:
    """Compare the batch in tokens with the batch in sequences."""
    workload = design.profile.workload
    if workload is None or workload.sequence_length is None:
        return
    sequences, tokens = workload.global_batch_sequences, workload.global_batch_tokens
    if sequences is None or tokens is None:
        return
    of_sequences = sequences * workload.sequence_length
    if abs(of_sequences - tokens) > _SAME_BATCH * max(of_sequences, tokens):
        yield Finding(
            at=("workload", "global_batch_tokens"),
            message=f"{sequences:,} sequences of {workload.sequence_length:,} tokens are {of_sequences:,} tokens, but "
            f"`global_batch_tokens` is {tokens:,.0f}",
            hint="remove `global_batch_sequences` or `global_batch_tokens`",
        )


@rule(
    "WRK009", WARNING, "the parameters of a model match its shape",
    why="Memory depends on `parameters`, and activations and traffic depend on the shape. If `parameters` and the shape belong to "
    "different models, the estimates of the fit are wrong.",
    source=_PAGE, reads=_READS, where="workload",
)  # fmt: skip
def parameters_are_those_of_the_shape(design: Design) -> Iterator[Finding]:
    """Compare the parameters with attention, feed-forward layers and embeddings."""
    workload = design.profile.workload
    if workload is None or workload.layers is None:
        return
    from config.design.workload.fit.shape import parameters_of_shape

    if workload.experts and workload.feed_forward_size is None:
        return
    of_shape = parameters_of_shape(workload)
    if of_shape is None or abs(of_shape - workload.parameters) <= _ALIKE * max(of_shape, workload.parameters):
        return
    yield Finding(
        at=("workload", "parameters"),
        message=f"`parameters` is {workload.parameters:.4g}, but a model with {_shape(design)} has {of_shape:.4g}",
        hint="correct `parameters` or these values; `feed_forward_size` is the width of one expert, and its default is "
        "4 times `hidden_size`",
    )


def _shape(design: Design) -> str:
    workload = design.profile.workload
    if workload is None:
        return ""
    parts = [f"{workload.layers} layers", f"hidden_size {workload.hidden_size:,}"]
    if workload.feed_forward_size:
        parts.append(f"feed_forward_size {workload.feed_forward_size:,}")
    parts += [f"{workload.experts} experts"] if workload.experts else []
    return ", ".join(parts)


def _nearest(number: int, wanted: int) -> int:
    """Return the divisor of a number that is nearest to a value."""
    low = next(one for one in range(min(wanted, number), 0, -1) if number % one == 0)
    high = next((one for one in range(wanted, min(number, 2 * wanted) + 1) if number % one == 0), low)
    return high if high - wanted < wanted - low else low
