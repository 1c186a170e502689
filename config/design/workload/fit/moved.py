"""Traffic of a GPU in one step, within and between NVLink domains."""

from __future__ import annotations

import math
from dataclasses import dataclass

from config.design.workload.fit import traffic
from config.design.workload.fit.machines import Machines
from config.design.workload.fit.shape import Model, Split

EXCHANGED_BYTES = {"bf16": 2.0, "fp8": 1 + 4 / 128, "fp4": 1 + 4 / 128}
"""Bytes per value of a token that is sent to experts, by the model's precision: bf16, or fp8 with one fp32
scale for 128 values (DeepSeek-V3). Experts return bf16."""
_BF16_BYTES = 2
_SUMS, _SUMS_TWICE = 4, 6
_ROUNDS, _ROUNDS_SHARED = 2, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """Token traffic between experts: bytes that a GPU sends in one layer for a micro-batch, and in one step.

    `leaving_share` is the share that leaves the domain if each copy of a token is sent separately.
    `leaving_once_share` is the share if each other domain receives one copy and forwards it to its GPUs.
    """

    layer_bytes: float
    step_bytes: float
    leaving_share: float
    leaving_once_share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """Bytes that one GPU sends in a step, by purpose: within its NVLink domain, and to other domains."""

    tensor: tuple[float, float] = (0, 0)
    context: tuple[float, float] = (0, 0)
    replicas: tuple[float, float] = (0, 0)
    stages: tuple[float, float] = (0, 0)
    experts: tuple[float, float] = (0, 0)
    exchange: Exchange | None = None

    @property
    def nvlink(self) -> float:
        """All traffic within the domain."""
        return sum(part[0] for part in self._parts)

    @property
    def efa(self) -> float:
        """All traffic between domains."""
        return sum(part[1] for part in self._parts)

    @property
    def _parts(self) -> tuple[tuple[float, float], ...]:
        return (self.tensor, self.context, self.replicas, self.stages, self.experts)


def moved(
    model: Model, machines: Machines, split: Split, micro_batches: int, parameters: tuple[float, float]
) -> Moved:
    """Return the traffic of a split; 0 if the layers of the model are not known."""
    body = model.body
    if body is None:
        return Moved()
    domain = domain_of(machines, split.gpus)
    layers = math.ceil(body.layers / split.pipeline)
    sums = _SUMS_TWICE if model.recomputation == "full" else _SUMS
    a = (body.sequence, model.micro_batch, body.hidden)
    stage = traffic.stage_bytes(*a, split.tensor, split.context, micro_batches) if split.pipeline > 1 else 0.0
    kv, heads = (model.kv_heads or 1, model.heads or 1)
    exchange = _exchange(model, split, domain, layers, micro_batches)
    rounds = _ROUNDS_SHARED if model.sharding == "weights" else _ROUNDS
    return Moved(
        tensor=_side(
            traffic.tensor_bytes(*a, split.tensor, split.context, layers, micro_batches, sums),
            split.tensor, split.gpus, domain,
        ),
        context=_side(
            traffic.context_bytes(*a, heads, kv, split.tensor, split.context, layers, micro_batches),
            split.tensor * split.context, split.gpus, domain,
        ),
        replicas=_replicas(split, domain, rounds, parameters),
        stages=_side(stage, split.gpus, split.gpus, domain),
        experts=_experts(exchange),
        exchange=exchange,
    )  # fmt: skip


def domain_of(machines: Machines, gpus: int) -> int:
    """Return the GPUs that a run uses in each domain; all UltraServers have the same number."""
    domain = machines.domain_gpus
    domains = -(-gpus // domain)
    alike = gpus < machines.gpus and gpus % (domains * machines.gpus_per_node) == 0
    return gpus // domains if alike and domain > machines.gpus_per_node else domain


def together(group: int, gpus: int, domain: int) -> float:
    """Return the mean number of a group's GPUs that share a domain, for the group that is split the worst.

    Groups use consecutive GPUs: a group of 64 GPUs in domains of 72 can begin in one domain and end in the
    next.
    """
    if gpus <= domain:
        return group
    starts = {number * group % domain for number in range(min(gpus // group, domain))}
    return min(_together(start, group, domain) for start in starts)


def _together(start: int, group: int, domain: int) -> float:
    """Return the mean number of GPUs that share a domain, for a group that begins inside a domain."""
    first = min(group, domain - start)
    whole, last = divmod(group - first, domain)
    return (first**2 + whole * domain**2 + last**2) / group


def stays(group: int, gpus: int, domain: int) -> bool:
    """Return True if each group is in one domain; False if a group is larger or crosses a boundary."""
    return gpus <= domain or (group <= domain and domain % group == 0)


def _side(sent: float, group: int, gpus: int, domain: int) -> tuple[float, float]:
    return (sent, 0.0) if stays(group, gpus, domain) else (0.0, sent)


def _replicas(split: Split, domain: int, rounds: int, parameters: tuple[float, float]) -> tuple[float, float]:
    """Return the traffic of gradients and weights within a domain, and of a GPU's share between domains."""
    experts, others = parameters
    inside = outside = 0.0
    spread = split.stage_gpus / split.expert_shards
    for held, replicas, neighbours in (
        (others, split.data * split.context, split.tensor),
        (experts, spread, split.expert_shards),
    ):
        here = min(replicas, max(1, domain // neighbours))
        inside += traffic.replica_bytes(held, _BF16_BYTES, rounds, here)
        outside += traffic.replica_bytes(held / here, _BF16_BYTES, rounds, max(1, replicas / here))
    return inside, outside


def _exchange(model: Model, split: Split, domain: int, layers: int, micro_batches: int) -> Exchange | None:
    """Return the traffic of tokens to and from experts on other GPUs, in forward and backward pass."""
    body, top = model.body, model.experts_per_token
    if body is None or top is None or not model.experts or split.expert == 1:
        return None
    tokens = body.sequence * model.micro_batch / split.tensor / split.context
    there = traffic.exchange_bytes(tokens, top, body.hidden, EXCHANGED_BYTES[model.precision])
    back = traffic.exchange_bytes(tokens, top, body.hidden, _BF16_BYTES)
    sent = 2 * (there + back) * (split.expert - 1) / split.expert
    near = together(split.expert, split.gpus, domain)
    share = traffic.leaving_share(split.expert, near)
    of_sent = share * split.expert / (split.expert - 1)
    domains = split.expert / near
    once = traffic.domains_reached(domains, top) / top * split.expert / (split.expert - 1) if share else 0.0
    return Exchange(
        layer_bytes=sent,
        step_bytes=sent * layers * micro_batches,
        leaving_share=min(1.0, of_sent),
        leaving_once_share=min(1.0, of_sent, once),
    )


def _experts(exchange: Exchange | None) -> tuple[float, float]:
    """Return the NVLink and the EFA traffic if each domain receives one copy and forwards it to its GPUs."""
    if exchange is None:
        return 0.0, 0.0
    out = exchange.step_bytes * exchange.leaving_once_share
    return exchange.step_bytes - out, out
