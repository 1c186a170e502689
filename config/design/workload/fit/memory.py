"""What training takes of a GPU's memory, from plain figures, in bytes.

Each function is one formula of docs/reference/fit.md, which prints it in the same names.
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
    """Weights, gradients and states of the optimizer, each shared out among so many replicas."""
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
    """Parameters that follow from a shape: attention, feed-forward blocks and embeddings, without norms."""
    return (
        layers * (2 * hidden**2 * (1 + kv_heads / heads) + matrices * hidden * feed_forward * max(1, experts))
        + embeddings * vocabulary * hidden
    )


def expert_parameters(
    parameters: float, active_parameters: float, experts: float, experts_per_token: float
) -> float:
    """Parameters of all experts: what all of them have above the active ones, by the experts left out."""
    return (parameters - active_parameters) * experts / (experts - experts_per_token)


def feed_forward_bytes(hidden: float, feed_forward: float) -> float:
    """What the backward pass needs of a token in a block without a gate (GPT)."""
    return 3 * hidden + 4 * feed_forward


def gated_feed_forward_bytes(hidden: float, feed_forward: float) -> float:
    """The same of a block with a gate (SwiGLU), without dropout."""
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
    """Activations of a layer: norms, attention, its feed-forward block, and the scores of heads kept."""
    return sequence * micro_batch * (15 * hidden + block_bytes + 5 * heads_kept * sequence) / tensor / context


def layer_input_bytes(sequence: float, micro_batch: float, hidden: float, context: float) -> float:
    """The input of a layer alone, which is kept where the whole layer is computed again."""
    return 2 * sequence * micro_batch * hidden / context


def layers_kept(layers: float, pipeline: float, micro_batches: float) -> float:
    """Layers whose activations the first stage holds: its own, for each micro batch under way."""
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
    """Activations of the embedding, and of the output layer where one stage has both."""
    output = 4 * (hidden + vocabulary) if pipeline < 2 else 0
    return sequence * micro_batch * (hidden * pipeline + output) / tensor / context
