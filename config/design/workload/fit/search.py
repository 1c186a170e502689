"""Search for the best splits of a run over the GPUs of a group."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from config.design.workload.fit.machines import Machines
from config.design.workload.fit.moved import domain_of, stays
from config.design.workload.fit.shape import Model, Split
from config.design.workload.fit.split import Outcome, outcome

_LONG_SEQUENCE = 32768
_CONTEXTS = (2, 4, 8, 16)
_MOST_STAGES = 64
_MOST_OF_EACH = 10
SHOWN = 5
"""Maximum number of splits in a plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Result of a search: counts of possible and fitting splits, and the best splits, fitting ones first."""

    possible: int
    fitting: int
    best: tuple[Outcome, ...]


def search(model: Model, machines: Machines) -> Found:
    """Return the best splits: over all GPUs, or over the next lower power of two if that is better."""
    outcomes = [outcome(model, machines, split) for split in candidates(model, machines)]
    ranked = sorted(outcomes, key=lambda one: rank(one, machines))
    return Found(
        possible=len(ranked),
        fitting=sum(one.fits(machines) for one in ranked),
        best=tuple(ranked[:SHOWN]),
    )


def rank(one: Outcome, machines: Machines) -> tuple[float, ...]:
    """Sort key: splits that fit with room, then just fit, then do not fit; each kind by time per token."""
    split = one.split
    simple = (split.tensor * split.context, split.pipeline, split.expert)
    if not one.fits(machines):
        return (2.0, one.held.total, *simple)
    barely = 0.0 if one.has_room(machines) else 1.0
    if one.step is None:
        return (barely, -split.gpus, *simple)
    a_token = one.step.bound_s * (1 + one.step.bubble) / one.step.tokens
    sent = sum(seconds for seconds in (one.step.nvlink_s, one.step.efa_s) if seconds) / one.step.tokens
    return (barely, float(f"{a_token:.4g}"), sent, *simple)


def candidates(model: Model, machines: Machines) -> Iterator[Split]:
    """Yield every possible split; the number of sizes in each direction is limited."""
    for gpus in _gpus(machines):
        for tensor in _tensors(model, machines, gpus):
            for context in _contexts(model):
                for pipeline in _stages(model, gpus, tensor * context):
                    data = gpus // (tensor * context * pipeline)
                    if not shares_batch(model, data):
                        continue
                    for expert in _experts(model, tensor * context * data):
                        yield Split(
                            tensor=tensor, pipeline=pipeline, context=context, data=data, expert=expert
                        )


def splits_layers(model: Model, tensor: int) -> bool:
    """Return True if a tensor group divides heads and layers evenly; it may copy key and value heads."""
    heads, kv = model.heads, model.kv_heads
    if model.width is not None and model.width % tensor:
        return False
    if heads is None or kv is None:
        return True
    return heads % tensor == 0 and (kv % tensor == 0 or tensor % kv == 0)


def shares_batch(model: Model, data: int) -> bool:
    """Return True if the replicas divide the batch.

    A batch in tokens must only be large enough for each replica.
    """
    if model.batch_sequences is None:
        return True
    at_a_time = data * model.micro_batch
    if model.batch_is_exact:
        return model.batch_sequences % at_a_time == 0
    return model.batch_sequences >= at_a_time


def divisors(number: int, most: int) -> list[int]:
    """Return the divisors of a number, up to a limit."""
    return [candidate for candidate in range(1, min(number, most) + 1) if number % candidate == 0]


def _gpus(machines: Machines) -> list[int]:
    """Return the number of GPUs and the next lower power of two: 68 has few divisors, 64 has more."""
    power = 1 << (machines.gpus.bit_length() - 1)
    return [machines.gpus] if power in (machines.gpus, 0) else [machines.gpus, power]


def _tensors(model: Model, machines: Machines, gpus: int) -> list[int]:
    found = [
        tensor
        for tensor in divisors(gpus, machines.domain_gpus)
        if stays(tensor, gpus, domain_of(machines, gpus)) and splits_layers(model, tensor)
    ]
    return _few(found)


def _contexts(model: Model) -> list[int]:
    if model.body is None or model.body.sequence < _LONG_SEQUENCE:
        return [1]
    return [1, *(context for context in _CONTEXTS if model.body.sequence % (2 * context) == 0)]


def _stages(model: Model, gpus: int, inner: int) -> list[int]:
    if gpus % inner:
        return []
    layers = model.body.layers if model.body else _MOST_STAGES
    return _few(divisors(gpus // inner, min(layers, _MOST_STAGES)))


def _experts(model: Model, stage_gpus: int) -> list[int]:
    if not model.experts:
        return [1]
    return _few([expert for expert in divisors(model.experts, stage_gpus) if stage_gpus % expert == 0])


def _few(found: Iterable[int]) -> list[int]:
    """Limit a list to `most` values: powers of two are preferred, and the smallest and largest are kept."""
    every = list(found)
    if len(every) <= _MOST_OF_EACH:
        return every
    powers = [one for one in every if one & (one - 1) == 0]
    others = [one for one in every if one & (one - 1)]
    return sorted({*powers[:_MOST_OF_EACH], *others[: max(0, _MOST_OF_EACH - len(powers))], every[-1]})
