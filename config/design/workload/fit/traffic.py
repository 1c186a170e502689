"""What a GPU sends and moves in one step, from plain figures, in bytes; values travel as bf16 unless stated.

Each function is one formula of docs/reference/fit.md, which prints it in the same names.
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
    """Sums over a tensor group: so many in each layer and micro batch, each as a ring moves it."""
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
    """Keys and values round a context group, three times: forward, and backward with their gradients."""
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
    """Gradients and weights among replicas: 2 rounds, 3 where the weights are shared out (ZeRO-3)."""
    return parameters * value_bytes * rounds * (replicas - 1) / replicas


def stage_bytes(
    sequence: float, micro_batch: float, hidden: float, tensor: float, context: float, micro_batches: float
) -> float:
    """Activations to the next pipeline stage and their gradients back."""
    return 4 * sequence * micro_batch * hidden * micro_batches / tensor / context


def exchange_bytes(tokens: float, experts_per_token: float, hidden: float, value_bytes: float) -> float:
    """Tokens to their experts, or back: one way, one layer."""
    return tokens * experts_per_token * hidden * value_bytes


def leaving_share(expert: float, domain_gpus: float) -> float:
    """Share of what tokens send to experts that leaves the NVLink domain, with tokens spread evenly."""
    return max(0, expert - domain_gpus) / expert


def domains_reached(domains: float, experts_per_token: float) -> float:
    """Other domains that a token goes to, each experts drawn evenly: what is sent once to each of them."""
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
    """Least to and from memory: weights, gradients, activations twice in each micro batch, states twice."""
    return (
        2 * micro_batches * (parameters * (weight_bytes + gradient_bytes) + activation_bytes)
        + 2 * optimizer_memory
    )
