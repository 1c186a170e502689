"""Formulas of the fit as text, each with the function that computes it.

`text` is the formula with the names of the function's arguments. A test reads the text from
docs/reference/fit.md, evaluates it, and compares the result with the function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from config.catalog.workload.fit import fit_facts
from config.design.workload.fit import compute, memory, traffic


@dataclass(frozen=True, slots=True, kw_only=True)
class FitFormula:
    """One formula with its result, unit and function."""

    gives: str
    unit: str
    text: str
    function: Callable[..., float]

    @property
    def name(self) -> str:
        """Name of the function, which is also the name on the page."""
        return self.function.__name__

    @property
    def sources(self) -> tuple[str, ...]:
        """Keys of sources in the catalogue."""
        return fit_facts().formulas[self.name]


MEMORY = (
    FitFormula(
        gives="weights, gradients and optimizer state, each sharded over its number of replicas",
        unit="bytes",
        text="parameters * (weight_bytes / weight_shards + gradient_bytes / gradient_shards "
        "+ optimizer_bytes / optimizer_shards)",
        function=memory.model_states_bytes,
    ),
    FitFormula(
        gives="parameters; `matrices` is 3 with a gate, else 2, and `embeddings` is 2, or 1 if tied",
        unit="",
        text="layers * (2 * hidden ** 2 * (1 + kv_heads / heads) + matrices * hidden * feed_forward "
        "* max(1, experts)) + embeddings * vocabulary * hidden",
        function=memory.shape_parameters,
    ),
    FitFormula(
        gives="parameters of the experts",
        unit="",
        text="(parameters - active_parameters) * experts / (experts - experts_per_token)",
        function=memory.expert_parameters,
    ),
    FitFormula(
        gives="activations of one token in a feed-forward layer without a gate (GPT)",
        unit="bytes",
        text="3 * hidden + 4 * feed_forward",
        function=memory.feed_forward_bytes,
    ),
    FitFormula(
        gives="activations of one token in a feed-forward layer with a gate (SwiGLU)",
        unit="bytes",
        text="2 * hidden + 6 * feed_forward",
        function=memory.gated_feed_forward_bytes,
    ),
    FitFormula(
        gives="activations of a layer; `heads_kept` is 0 if attention scores are recomputed",
        unit="bytes",
        text="sequence * micro_batch * (15 * hidden + block_bytes + 5 * heads_kept * sequence) "
        "/ tensor / context",
        function=memory.layer_bytes,
    ),
    FitFormula(
        gives="input of a layer, the only activation that remains with full recomputation",
        unit="bytes",
        text="2 * sequence * micro_batch * hidden / context",
        function=memory.layer_input_bytes,
    ),
    FitFormula(
        gives="layers whose activations are in the first pipeline stage",
        unit="",
        text="ceil(layers / pipeline) * min(pipeline, micro_batches)",
        function=memory.layers_kept,
    ),
    FitFormula(
        gives="activations of the embedding and the output",
        unit="bytes",
        text="sequence * micro_batch "
        "* (hidden * pipeline + (4 * (hidden + vocabulary) if pipeline < 2 else 0)) / tensor / context",
        function=memory.edge_bytes,
    ),
)
"""Formulas for the memory of a GPU."""

COMPUTE = (
    FitFormula(
        gives="FLOPs of a token in matrix multiplications, forward and backward",
        unit="FLOPs",
        text="6 * active_parameters",
        function=compute.matrix_flops,
    ),
    FitFormula(
        gives="FLOPs of a token in attention, forward and backward, without a mask",
        unit="FLOPs",
        text="12 * layers * hidden * sequence",
        function=compute.attention_flops,
    ),
    FitFormula(
        gives="FLOPs of a training run",
        unit="FLOPs",
        text="training_tokens * flops",
        function=compute.training_flops,
    ),
    FitFormula(
        gives="utilization of the peak rate",
        unit="of 1",
        text="reached_tflops / tflops",
        function=compute.utilization,
    ),
    FitFormula(
        gives="time for `tokens`, with `flops` for each token",
        unit="s",
        text="tokens * flops / gpus / tflops / 1e12",
        function=compute.seconds_at,
    ),
    FitFormula(
        gives="pipeline bubble as a share of the work time: 1F1B without interleaving",
        unit="of 1",
        text="(pipeline - 1) / micro_batches",
        function=compute.bubble,
    ),
    FitFormula(
        gives="days of a training run",
        unit="days",
        text="training_tokens / tokens_per_s / 86400",
        function=compute.days_for,
    ),
)
"""Formulas for the compute of a token and a run."""

TRAFFIC = (
    FitFormula(
        gives="reductions in a tensor group; `sums` is 4 for each layer, 6 with full recomputation",
        unit="bytes",
        text="layers * micro_batches * sums * 2 * (tensor - 1) / tensor * 2 * sequence * micro_batch "
        "* hidden / context",
        function=traffic.tensor_bytes,
    ),
    FitFormula(
        gives="keys and values in a context group, once forward and twice backward",
        unit="bytes",
        text="layers * micro_batches * 3 * (context - 1) / context * 4 * sequence * micro_batch * hidden "
        "* kv_heads / heads / tensor",
        function=traffic.context_bytes,
    ),
    FitFormula(
        gives="gradients and weights between replicas; `rounds` is 2, or 3 if weights are sharded",
        unit="bytes",
        text="parameters * value_bytes * rounds * (replicas - 1) / replicas",
        function=traffic.replica_bytes,
    ),
    FitFormula(
        gives="activations to the next pipeline stage, and gradients back",
        unit="bytes",
        text="4 * sequence * micro_batch * hidden * micro_batches / tensor / context",
        function=traffic.stage_bytes,
    ),
    FitFormula(
        gives="tokens to their experts, or back, in one layer",
        unit="bytes",
        text="tokens * experts_per_token * hidden * value_bytes",
        function=traffic.exchange_bytes,
    ),
    FitFormula(
        gives="share of this traffic that leaves the NVLink domain",
        unit="of 1",
        text="max(0, expert - domain_gpus) / expert",
        function=traffic.leaving_share,
    ),
    FitFormula(
        gives="other NVLink domains that receive a token",
        unit="",
        text="(domains - 1) * (1 - (1 - 1 / domains) ** experts_per_token)",
        function=traffic.domains_reached,
    ),
    FitFormula(
        gives="minimum memory traffic",
        unit="bytes",
        text="2 * micro_batches * (parameters * (weight_bytes + gradient_bytes) + activation_bytes) "
        "+ 2 * optimizer_memory",
        function=traffic.hbm_bytes,
    ),
)
"""Formulas for the traffic of a GPU in one step."""

FORMULAS = (*MEMORY, *COMPUTE, *TRAFFIC)
