"""The splits that a run could have on a group: all that can be, best first."""

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
"""Splits that a plan shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search saw: how many splits can be, how many fit, and the best ones, those that fit first."""

    possible: int
    fitting: int
    best: tuple[Outcome, ...]


def search(model: Model, machines: Machines) -> Found:
    """The best splits over all GPUs, or over a power of two of them where that brings more."""
    outcomes = [outcome(model, machines, split) for split in candidates(model, machines)]
    ranked = sorted(outcomes, key=lambda one: rank(one, machines))
    return Found(
        possible=len(ranked),
        fitting=sum(one.fits(machines) for one in ranked),
        best=tuple(ranked[:SHOWN]),
    )


def rank(one: Outcome, machines: Machines) -> tuple[float, ...]:
    """What fits with room first, then what barely fits; of those what trains a token soonest."""
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
    """Every split that can be, of a bounded number in each direction."""
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
    """Whether a tensor group splits heads and blocks evenly; heads of keys and values may be copied."""
    heads, kv = model.heads, model.kv_heads
    if model.width is not None and model.width % tensor:
        return False
    if heads is None or kv is None:
        return True
    return heads % tensor == 0 and (kv % tensor == 0 or tensor % kv == 0)


def shares_batch(model: Model, data: int) -> bool:
    """Whether so many replicas share the batch evenly; one in tokens only has to reach all of them."""
    if model.batch_sequences is None:
        return True
    at_a_time = data * model.micro_batch
    if model.batch_is_exact:
        return model.batch_sequences % at_a_time == 0
    return model.batch_sequences >= at_a_time


def divisors(number: int, most: int) -> list[int]:
    """What divides a number, up to a bound."""
    return [candidate for candidate in range(1, min(number, most) + 1) if number % candidate == 0]


def _gpus(machines: Machines) -> list[int]:
    """All GPUs, and the power of two below: 68 GPUs of an UltraServer split badly, 64 of them well."""
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
    """So many at most: the powers of two among them first, the smallest and the largest kept."""
    every = list(found)
    if len(every) <= _MOST_OF_EACH:
        return every
    powers = [one for one in every if one & (one - 1) == 0]
    others = [one for one in every if one & (one - 1)]
    return sorted({*powers[:_MOST_OF_EACH], *others[: max(0, _MOST_OF_EACH - len(powers))], every[-1]})
