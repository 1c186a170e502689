"""Memory of each GPU and bounds of a step for one split."""

from __future__ import annotations

import math
from dataclasses import dataclass

from config.design.workload.fit import compute, memory
from config.design.workload.fit.machines import Machines
from config.design.workload.fit.moved import Moved, moved
from config.design.workload.fit.shape import Model, Split
from config.design.workload.fit.traffic import hbm_bytes
from config.profile.workload import Recomputation

BYTES_PER_GIB = 2**30
ROOM = 0.1
"""Share of the memory that should remain free for uses that are not counted; a choice of ultracluster."""
STAGES_OF_MICRO_BATCHES = 4
"""Micro-batches per stage if the profile does not set a batch; the bubble is then below a quarter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Bytes on a GPU of the stage that uses most memory; activations by recomputation, None if not known."""

    weights: float
    gradients: float
    optimizer: float
    activations: dict[Recomputation, float] | None
    chosen: Recomputation

    @property
    def total(self) -> float:
        """Total with the recomputation of the workload."""
        kept = self.activations[self.chosen] if self.activations else 0
        return self.weights + self.gradients + self.optimizer + kept


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Minimum seconds of one step for compute, HBM, NVLink and EFA; None if no source lists the peak rate."""

    tokens: float
    compute_s: float
    hbm_s: float | None
    nvlink_s: float | None
    efa_s: float | None
    bubble: float

    @property
    def parts(self) -> dict[str, float]:
        """The known bounds."""
        by_name = {"compute": self.compute_s, "HBM": self.hbm_s, "NVLink": self.nvlink_s, "EFA": self.efa_s}
        return {name: seconds for name, seconds in by_name.items() if seconds is not None}

    @property
    def bound_s(self) -> float:
        """Minimum seconds of a step if all parts run at the same time."""
        return max(self.parts.values())

    @property
    def bottleneck(self) -> str:
        """The part with the longest time."""
        return max(self.parts, key=lambda name: self.parts[name])


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A split with its memory, traffic and step; `step` is None if the compute time is not known."""

    split: Split
    micro_batches: int
    held: Held
    moved: Moved
    step: Step | None

    def fits(self, machines: Machines) -> bool:
        """Return True if the counted memory fits a GPU."""
        return self.held.total <= machines.memory_gib * BYTES_PER_GIB

    def has_room(self, machines: Machines) -> bool:
        """Return True if enough memory remains free for uses that are not counted."""
        return self.held.total <= machines.memory_gib * BYTES_PER_GIB * (1 - ROOM)


def outcome(model: Model, machines: Machines, split: Split) -> Outcome:
    """Return memory, traffic and step of a split."""
    micro_batches = micro_batches_of(model, split)
    parameters = parameters_on_gpu(model, split)
    held = _held(model, split, micro_batches)
    sent = moved(model, machines, split, micro_batches, parameters)
    return Outcome(
        split=split,
        micro_batches=micro_batches,
        held=held,
        moved=sent,
        step=_step(model, machines, split, micro_batches, held, sent),
    )


def micro_batches_of(model: Model, split: Split) -> int:
    """Return the micro-batches of one replica in a step."""
    if model.batch_sequences is None:
        return STAGES_OF_MICRO_BATCHES * split.pipeline
    return max(1, round(model.batch_sequences / split.data / model.micro_batch))


def parameters_on_gpu(model: Model, split: Split) -> tuple[float, float]:
    """Return the numbers of expert and other parameters on a GPU of the stage that uses most memory."""
    layers = model.body.layers if model.body else None
    stage = math.ceil(layers / split.pipeline) / layers if layers else 1 / split.pipeline
    others = (model.parameters - model.experts_hold) * stage / split.tensor
    return model.experts_hold * stage / split.expert_shards, others


def _held(model: Model, split: Split, micro_batches: int) -> Held:
    experts, others = parameters_on_gpu(model, split)
    replicas = split.data * split.context
    copies = max(1, split.stage_gpus / split.expert_shards)

    def states(weights: float, gradients: float, optimizer: float, *shared: str) -> float:
        found = 0.0
        for parameters, over in ((others, replicas), (experts, copies)):
            shards = over if model.sharding in shared else 1
            found += memory.model_states_bytes(
                parameters, weights, gradients, optimizer, shards, shards, shards
            )
        return found

    return Held(
        weights=states(model.weight_bytes, 0, 0, "weights"),
        gradients=states(0, model.gradient_bytes, 0, "weights", "gradients"),
        optimizer=states(0, 0, model.optimizer_bytes, "weights", "gradients", "optimizer"),
        activations=_activations(model, split, micro_batches),
        chosen=model.recomputation,
    )


def _activations(model: Model, split: Split, micro_batches: int) -> dict[Recomputation, float] | None:
    body = model.body
    if body is None:
        return None

    def of_layer(heads_kept: int) -> float:
        return memory.layer_bytes(
            body.sequence,
            model.micro_batch,
            body.hidden,
            body.block_bytes,
            heads_kept,
            split.tensor,
            split.context,
        )

    layers = memory.layers_kept(body.layers, split.pipeline, micro_batches)
    edges = memory.edge_bytes(
        body.sequence,
        model.micro_batch,
        body.hidden,
        body.vocabulary,
        split.tensor,
        split.context,
        split.pipeline,
    )
    inputs = memory.layer_input_bytes(body.sequence, model.micro_batch, body.hidden, split.context)
    selective = of_layer(0)
    known: dict[Recomputation, float] = {
        "selective": layers * selective + edges,
        # in addition to the inputs of all layers, all activations of one layer are stored
        "full": min(layers * inputs + selective, layers * selective) + edges,
    }
    if model.heads is not None:
        known["none"] = layers * of_layer(model.heads) + edges
    elif model.recomputation == "none":
        return None
    return known


def _step(
    model: Model, machines: Machines, split: Split, micro_batches: int, held: Held, sent: Moved
) -> Step | None:
    if model.body is None:
        return None
    tokens = float(micro_batches * model.micro_batch * split.data * model.body.sequence)
    compute_s = _compute_s(model, machines, split, tokens)
    if compute_s is None:
        return None
    hbm = _hbm(model, split, micro_batches, held)
    return Step(
        tokens=tokens,
        compute_s=compute_s,
        hbm_s=hbm / machines.hbm_per_s if machines.hbm_per_s else None,
        nvlink_s=sent.nvlink / machines.nvlink_per_s if machines.nvlink_per_s else None,
        efa_s=sent.efa / machines.efa_per_s if machines.efa_per_s else None,
        bubble=compute.bubble(split.pipeline, micro_batches),
    )


def _hbm(model: Model, split: Split, micro_batches: int, held: Held) -> float:
    activations = 0.0
    if model.body and held.activations:
        # activations are stored for all micro-batches in progress
        under_way = memory.layers_kept(model.body.layers, split.pipeline, micro_batches)
        own = memory.layers_kept(model.body.layers, split.pipeline, 1)
        activations = held.activations[model.recomputation] * own / under_way
    return hbm_bytes(
        parameters=sum(parameters_on_gpu(model, split)),
        weight_bytes=model.weight_bytes,
        gradient_bytes=model.gradient_bytes,
        optimizer_memory=held.optimizer,
        activation_bytes=activations,
        micro_batches=micro_batches,
    )


def _compute_s(model: Model, machines: Machines, split: Split, tokens: float) -> float | None:
    flops = model.flops_per_token
    if flops is None or machines.tflops is None or machines.bf16_tflops is None:
        return None
    matrices, attention = flops
    if model.recomputation == "full":  # one more forward pass, which is one third of forward and backward
        matrices, attention = matrices * 4 / 3, attention * 4 / 3
    return compute.seconds_at(tokens, matrices, split.gpus, machines.tflops) + compute.seconds_at(
        tokens, attention, split.gpus, machines.bf16_tflops
    )
