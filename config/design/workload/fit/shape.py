"""The model of a workload, with defaults and separate expert parameters."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.workload.fit.compute import attention_flops, matrix_flops
from config.design.workload.fit.memory import (
    expert_parameters,
    feed_forward_bytes,
    gated_feed_forward_bytes,
    shape_parameters,
)
from config.profile.workload import Precision, Recomputation, Sharding, Workload

_GPT_WIDTH = 4
_GATED_MATRICES, _PLAIN_MATRICES = 3, 2
_UNTIED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The layers of a model. `block_bytes` are a token's activations in the feed-forward part of a layer."""

    layers: int
    hidden: int
    sequence: int
    block_bytes: float
    vocabulary: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """The model of a run. `body` is None if its keys are not set; `missing` names these keys.

    `active_parameters` is None if a mixture of experts does not set it. `experts_hold` is the number of
    expert parameters, 0 if it is not known. `width` is the feed-forward width that tensor groups split.
    `batch_is_exact` is false for a batch in tokens, which is rounded to a multiple of the replicas.
    """

    parameters: float
    active_parameters: float | None
    experts: int
    experts_per_token: int | None
    experts_hold: float
    body: Body | None
    heads: int | None
    kv_heads: int | None
    width: int | None
    batch_sequences: int | None
    batch_is_exact: bool
    micro_batch: int
    training_tokens: float | None
    precision: Precision
    weight_bytes: float
    gradient_bytes: float
    optimizer_bytes: float
    sharding: Sharding
    recomputation: Recomputation
    missing: tuple[str, ...]

    @property
    def flops_per_token(self) -> tuple[float, float] | None:
        """FLOPs of a token in matrices and attention; None if the active parameters are not known."""
        if self.active_parameters is None:
            return None
        attention = (
            attention_flops(self.body.layers, self.body.hidden, self.body.sequence) if self.body else 0
        )
        return matrix_flops(self.active_parameters), attention


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Number of GPUs in each direction. Ranks are in Megatron's order: tensor, context, data, stages."""

    tensor: int = 1
    pipeline: int = 1
    context: int = 1
    data: int = 1
    expert: int = 1

    @property
    def gpus(self) -> int:
        """Number of GPUs of the run."""
        return self.stage_gpus * self.pipeline

    @property
    def stage_gpus(self) -> int:
        """Number of GPUs of one pipeline stage."""
        return self.tensor * self.context * self.data

    @property
    def expert_shards(self) -> int:
        """Number of GPUs over which expert parameters are split, by default the same as for other layers."""
        return self.expert if self.expert > 1 else self.tensor


def model_of(workload: Workload) -> Model:
    """Return the model of a workload."""
    active = _active(workload)
    return Model(
        parameters=workload.parameters,
        active_parameters=active,
        experts=workload.experts,
        experts_per_token=workload.experts_per_token,
        experts_hold=_experts_hold(workload, active),
        body=_body(workload),
        heads=workload.heads,
        kv_heads=workload.kv_heads or workload.heads,
        width=None if workload.experts else workload.feed_forward_size,
        batch_sequences=batch_sequences(workload),
        batch_is_exact=workload.global_batch_sequences is not None,
        micro_batch=workload.micro_batch,
        training_tokens=workload.training_tokens,
        precision=workload.precision,
        weight_bytes=workload.training_bytes.weights,
        gradient_bytes=workload.training_bytes.gradients,
        optimizer_bytes=workload.training_bytes.optimizer,
        sharding=workload.sharding,
        recomputation=workload.activation_recomputation,
        missing=tuple(_missing(workload, active)),
    )


def batch_sequences(workload: Workload) -> int | None:
    """Return the number of sequences in one step, from the profile or from its batch in tokens."""
    if workload.global_batch_sequences is not None:
        return workload.global_batch_sequences
    if workload.global_batch_tokens is None or workload.sequence_length is None:
        return None
    return max(1, round(workload.global_batch_tokens / workload.sequence_length))


def parameters_of_shape(workload: Workload) -> float | None:
    """Return the parameters of the shape; None if the shape is incomplete."""
    hidden, heads = workload.hidden_size, workload.heads
    if workload.layers is None or hidden is None or heads is None:
        return None
    gated = workload.feed_forward_size is not None and workload.gated_feed_forward
    return shape_parameters(
        layers=workload.layers,
        hidden=hidden,
        heads=heads,
        kv_heads=workload.kv_heads or heads,
        matrices=_GATED_MATRICES if gated else _PLAIN_MATRICES,
        feed_forward=workload.feed_forward_size or _GPT_WIDTH * hidden,
        experts=workload.experts,
        embeddings=_UNTIED,
        vocabulary=workload.vocabulary or 0,
    )


def _active(workload: Workload) -> float | None:
    if workload.active_parameters is not None:
        return workload.active_parameters
    if not workload.experts:
        return workload.parameters
    of_one, top = _expert_by_shape(workload), workload.experts_per_token
    if of_one is None or top is None:
        return None
    left_out = of_one * max(0, workload.experts - top)
    return workload.parameters - left_out if left_out < workload.parameters else None


def _expert_by_shape(workload: Workload) -> float | None:
    """Return the parameters of one expert in all layers."""
    layers, hidden, width = workload.layers, workload.hidden_size, workload.feed_forward_size
    if layers is None or hidden is None or width is None:
        return None
    matrices = _GATED_MATRICES if workload.gated_feed_forward else _PLAIN_MATRICES
    return float(layers * matrices * hidden * width)


def _experts_hold(workload: Workload, active: float | None) -> float:
    top = workload.experts_per_token
    if not workload.experts or top is None or active is None or top >= workload.experts:
        return 0
    held = expert_parameters(workload.parameters, active, workload.experts, top)
    return min(max(held, 0), workload.parameters)


def _body(workload: Workload) -> Body | None:
    layers, hidden, sequence = workload.layers, workload.hidden_size, workload.sequence_length
    if layers is None or hidden is None or sequence is None:
        return None
    width = workload.feed_forward_size
    if width is None:
        of_block = feed_forward_bytes(hidden, _GPT_WIDTH * hidden)
    elif workload.gated_feed_forward:
        of_block = gated_feed_forward_bytes(hidden, width)
    else:
        of_block = feed_forward_bytes(hidden, width)
    # each token is copied to `experts_per_token` experts of a layer
    copies = workload.experts_per_token or 1 if workload.experts and width is not None else 1
    return Body(
        layers=layers,
        hidden=hidden,
        sequence=sequence,
        block_bytes=of_block * copies,
        vocabulary=workload.vocabulary or 0,
    )


def _missing(workload: Workload, active: float | None) -> list[str]:
    """Return the keys that would allow more estimates."""
    keys = ["layers", "hidden_size", "heads", "sequence_length"]
    keys += ["experts_per_token", "active_parameters"] if workload.experts and active is None else []
    keys += [] if workload.global_batch_tokens or workload.global_batch_sequences else ["global_batch_tokens"]
    return [key for key in keys if getattr(workload, key) is None]
