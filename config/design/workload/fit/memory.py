"""Formulas for the memory of a GPU in training, in bytes.

Each function is one formula in docs/reference/fit.md, with the same names.
"""

from __future__ import annotations

import math


def model_states_bytes(
    parameters: float,
    weight_bytes: float,
    gradient_bytes: float,
    optimizer_bytes: float,
    weight_shards: float,
    gradient_shards: float,
    optimizer_shards: float,
) -> float:
    """Return the memory for weights, gradients and optimizer state, each divided by its number of shards."""
    return parameters * (
        weight_bytes / weight_shards + gradient_bytes / gradient_shards + optimizer_bytes / optimizer_shards
    )


def shape_parameters(
    layers: float,
    hidden: float,
    heads: float,
    kv_heads: float,
    matrices: float,
    feed_forward: float,
    experts: float,
    embeddings: float,
    vocabulary: float,
) -> float:
    """Return the parameters of a shape: attention, feed-forward layers and embeddings, without norms."""
    return (
        layers * (2 * hidden**2 * (1 + kv_heads / heads) + matrices * hidden * feed_forward * max(1, experts))
        + embeddings * vocabulary * hidden
    )


def expert_parameters(
    parameters: float, active_parameters: float, experts: float, experts_per_token: float
) -> float:
    """Return the parameters of all experts, computed from the number of inactive parameters and experts."""
    return (parameters - active_parameters) * experts / (experts - experts_per_token)


def feed_forward_bytes(hidden: float, feed_forward: float) -> float:
    """Return the activations of a token in a feed-forward layer without a gate (GPT)."""
    return 3 * hidden + 4 * feed_forward


def gated_feed_forward_bytes(hidden: float, feed_forward: float) -> float:
    """Return the activations of a token in a feed-forward layer with a gate (SwiGLU), without dropout."""
    return 2 * hidden + 6 * feed_forward


def layer_bytes(
    sequence: float,
    micro_batch: float,
    hidden: float,
    block_bytes: float,
    heads_kept: float,
    tensor: float,
    context: float,
) -> float:
    """Return the activations of a layer: norms, attention, feed-forward, and stored attention scores."""
    return sequence * micro_batch * (15 * hidden + block_bytes + 5 * heads_kept * sequence) / tensor / context


def layer_input_bytes(sequence: float, micro_batch: float, hidden: float, context: float) -> float:
    """Return the input of a layer, the only stored activation with full recomputation."""
    return 2 * sequence * micro_batch * hidden / context


def layers_kept(layers: float, pipeline: float, micro_batches: float) -> float:
    """Return how many layer activations the first stage stores: layers times micro-batches in progress."""
    return math.ceil(layers / pipeline) * min(pipeline, micro_batches)


def edge_bytes(
    sequence: float,
    micro_batch: float,
    hidden: float,
    vocabulary: float,
    tensor: float,
    context: float,
    pipeline: float,
) -> float:
    """Return the activations of the embedding, and of the output layer if it is in the same stage."""
    output = 4 * (hidden + vocabulary) if pipeline < 2 else 0
    return sequence * micro_batch * (hidden * pipeline + output) / tensor / context
