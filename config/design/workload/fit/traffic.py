"""Formulas for the traffic of a GPU in one step, in bytes; values are bf16 unless another size is given.

Each function is one formula in docs/reference/fit.md, with the same names.
"""

from __future__ import annotations


def tensor_bytes(
    sequence: float,
    micro_batch: float,
    hidden: float,
    tensor: float,
    context: float,
    layers: float,
    micro_batches: float,
    sums: float,
) -> float:
    """Return the traffic of ring all-reduces in a tensor group, in each layer and micro-batch."""
    return (
        layers
        * micro_batches
        * sums
        * 2
        * (tensor - 1)
        / tensor
        * 2
        * sequence
        * micro_batch
        * hidden
        / context
    )


def context_bytes(
    sequence: float,
    micro_batch: float,
    hidden: float,
    heads: float,
    kv_heads: float,
    tensor: float,
    context: float,
    layers: float,
    micro_batches: float,
) -> float:
    """Return the traffic of keys and values in a context group: once forward, twice backward."""
    return (
        layers
        * micro_batches
        * 3
        * (context - 1)
        / context
        * 4
        * sequence
        * micro_batch
        * hidden
        * kv_heads
        / heads
        / tensor
    )


def replica_bytes(parameters: float, value_bytes: float, rounds: float, replicas: float) -> float:
    """Return the traffic of gradients and weights between replicas: 2 rounds, or 3 with ZeRO-3."""
    return parameters * value_bytes * rounds * (replicas - 1) / replicas


def stage_bytes(
    sequence: float, micro_batch: float, hidden: float, tensor: float, context: float, micro_batches: float
) -> float:
    """Return the traffic of activations to the next pipeline stage, and of gradients back."""
    return 4 * sequence * micro_batch * hidden * micro_batches / tensor / context


def exchange_bytes(tokens: float, experts_per_token: float, hidden: float, value_bytes: float) -> float:
    """Return the traffic of one layer in one direction: tokens to their experts, or results back."""
    return tokens * experts_per_token * hidden * value_bytes


def leaving_share(expert: float, domain_gpus: float) -> float:
    """Return the share of expert traffic that leaves the NVLink domain if tokens are spread evenly."""
    return max(0, expert - domain_gpus) / expert


def domains_reached(domains: float, experts_per_token: float) -> float:
    """Return the expected number of other domains that receive a token if all experts are equally likely."""
    reached: float = (domains - 1) * (1 - (1 - 1 / domains) ** experts_per_token)
    return reached


def hbm_bytes(
    parameters: float,
    weight_bytes: float,
    gradient_bytes: float,
    optimizer_memory: float,
    activation_bytes: float,
    micro_batches: float,
) -> float:
    """Return the minimum memory traffic: weights, gradients, activations and optimizer state move twice."""
    return (
        2 * micro_batches * (parameters * (weight_bytes + gradient_bytes) + activation_bytes)
        + 2 * optimizer_memory
    )
