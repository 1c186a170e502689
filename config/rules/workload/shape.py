"""A model that contradicts itself: heads, experts, batches and parameters that cannot all be true."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.model import Design
from config.rules.registry import ERROR, WARNING, Finding, rule

_PAGE = "docs/reference/fit.md"
_READS = "workload"
_ALIKE = 0.25
_SAME_BATCH = 0.1


@rule(
    "WRK006", ERROR, "heads of attention divide the width of the model, and heads of keys divide them",
    why="A head is an equal part of the model's width, and each head of keys and values serves as many heads.",
    source=_PAGE, reads=_READS, where="workload",
)  # fmt: skip
def heads_divide_the_width(design: Design) -> Iterator[Finding]:
    """Width against heads, heads against those of keys and values."""
    workload = design.profile.workload
    if workload is None or workload.heads is None:
        return
    hidden, heads, kv = workload.hidden_size, workload.heads, workload.kv_heads
    if hidden is not None and hidden % heads:
        yield Finding(
            at=("workload", "heads"),
            message=f"{heads} heads do not divide hidden_size {hidden:,}",
            hint=f"write {_nearest(hidden, heads)}, or the hidden_size of the model",
        )
    if kv is not None and heads % kv:
        yield Finding(
            at=("workload", "kv_heads"),
            message=f"{kv} heads of keys and values do not divide the {heads} heads",
            hint=f"write {_nearest(heads, kv)}",
        )


@rule(
    "WRK007", ERROR, "a token goes to no more experts than there are, and through no more parameters",
    why="A mixture of experts sends each token to a few of its experts; everything that follows of its memory, "
    "traffic and time goes by how many.",
    source=_PAGE, reads=_READS, where="workload",
)  # fmt: skip
def experts_agree(design: Design) -> Iterator[Finding]:
    """Top-k against experts, active parameters against all."""
    workload = design.profile.workload
    if workload is None:
        return
    top, experts, active = workload.experts_per_token, workload.experts, workload.active_parameters
    if top is not None and top > experts:
        of = f"of {experts} experts" if experts else "and the model has no experts"
        yield Finding(
            at=("workload", "experts_per_token"),
            message=f"a token goes to {top} experts {of}",
            hint=f"write at most {experts}"
            if experts
            else "state `experts`, or leave `experts_per_token` out",
        )
    if active is not None and active > workload.parameters:
        yield Finding(
            at=("workload", "active_parameters"),
            message=f"{active:.4g} parameters are active of {workload.parameters:.4g}",
            hint="`parameters` counts all experts, `active_parameters` those that one token goes through",
        )
    elif active is not None and not experts and active < workload.parameters:
        yield Finding(
            at=("workload", "active_parameters"),
            message=f"{active:.4g} of {workload.parameters:.4g} parameters are active in a model without experts",
            hint="state `experts` and `experts_per_token`, or leave `active_parameters` out",
        )


@rule(
    "WRK008", ERROR, "a batch that is stated twice is the same batch",
    why="Steps, tokens a second and the splits that are possible go by the global batch.",
    source=_PAGE, reads=_READS, where="workload",
)  # fmt: skip
def batches_agree(design: Design) -> Iterator[Finding]:
    """Tokens against sequences."""
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
            message=f"{sequences:,} sequences of {workload.sequence_length:,} are {of_sequences:,} tokens, "
            f"not {tokens:,.0f}",
            hint="leave one of `global_batch_sequences` and `global_batch_tokens` out",
        )


@rule(
    "WRK009", WARNING, "a model has about the parameters that its shape has",
    why="Memory goes by `parameters`, activations and traffic by the shape: where they are of different models, "
    "the fit is of neither.",
    source=_PAGE, reads=_READS, where="workload",
)  # fmt: skip
def parameters_are_those_of_the_shape(design: Design) -> Iterator[Finding]:
    """Stated parameters against attention, feed-forward blocks and embeddings."""
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
        message=f"the model has {workload.parameters:.4g} parameters, its shape {of_shape:.4g}: {_shape(design)}",
        hint="correct `parameters` or the shape; `feed_forward_size` is that of one expert, and 4 times "
        "`hidden_size` without one",
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
    """The divisor of a number that is nearest to a figure."""
    low = next(one for one in range(min(wanted, number), 0, -1) if number % one == 0)
    high = next((one for one in range(wanted, min(number, 2 * wanted) + 1) if number % one == 0), low)
    return high if high - wanted < wanted - low else low
