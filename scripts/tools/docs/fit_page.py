"""Page docs/reference/fit.md: formulas that check whether a model fits a cluster, with sources."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator

from config.catalog import catalog
from config.catalog.workload.fit import fit_facts
from config.design.workload.fit.formulas import COMPUTE, FORMULAS, MEMORY, TRAFFIC, FitFormula
from config.design.workload.fit.split import ROOM
from scripts.tools.docs.markdown import number, page, source, table

_INTRO = """\
If a profile has a `workload`, `ultracluster plan` estimates how the model fits the cluster. This page lists
the formulas. A test reads them from this page, computes them, and compares the results with published
values. 1 GB is 10^9 bytes, and 1 GiB is 2^30 bytes.

The estimates are bounds. Memory includes only the model itself. Times assume peak rates for everything at
the same time, so a real run is not faster, and most runs take at least 1.5 times as long."""

_DECLARED = """\
```yaml
extends: p6-b200
name: pretrain-fit
workload:
  parameters: 70.6e9
  layers: 80
  hidden_size: 8192
  heads: 64
  kv_heads: 8
  feed_forward_size: 28672
  vocabulary: 128256
  sequence_length: 8192
  global_batch_sequences: 512
  training_tokens: 2e12
  parallelism: {tensor: 4, pipeline: 4}
```

Without `parallelism`, the plan searches for splits. It uses all GPUs of the group, or the next lower power
of two, and a limited number of divisors of GPUs, heads, layers and experts. Splits that fit in memory are
first, then splits with the lowest time per token (including the pipeline bubble), then splits with the
least traffic.

With fewer keys, the plan has fewer estimates. With `parameters` only, it contains the memory of weights,
gradients and optimizer.

The rules [WRK006 to WRK018](rules/workload.md#wrk006) report impossible splits and splits that do not fit.
"""

_ASSUMED = """\
- A run uses the largest GPU group, without spare nodes and nodes left out of an UltraServer.
- Ranks are ordered as in Megatron: tensor groups, then context groups, then replicas, then pipeline stages.
  A group is in one NVLink domain if it is not larger than the domain and does not cross its boundary. If a
  run does not use all GPUs of UltraServers, it uses the same number of each. For expert groups that cross a
  boundary, the worst split counts.
- Tensor parallelism includes sequence parallelism. Activations have 16 bits.
- `selective` does not store attention scores, as with FlashAttention, and their recomputation is not
  counted. `full` stores only the input of each layer and recomputes one layer at a time, with one third
  more FLOPs.
- The fullest pipeline stage counts. Layers are distributed evenly. The first stage stores the activations
  of one micro-batch for each stage.
- Each expert is on one of the `expert` GPUs. Every layer has experts, and tokens are spread evenly over
  them. A token is sent to its experts in `precision` and returns in bf16, forward and backward. fp8 has one
  fp32 scale for 128 values; fp4 counts as fp8, because no fp4 format is published.
- The bound includes only expert traffic that must leave an NVLink domain: each token is sent once to every
  other domain and forwarded there over NVLink. The plan also shows the traffic if each copy is sent
  separately.
- Replicas reduce gradients within a domain first. Then each GPU sends its share between domains, in bf16.
- Matrices run at the peak rate of `precision`, attention at the peak rate of bf16. NVLink and EFA send and
  receive at the same time.
- The minimum time of a step is the longest of compute, HBM, NVLink and EFA. The plan shows the pipeline
  bubble separately.
- CUDA context, NCCL buffers, fragmentation and memory of the framework are not included. A split that
  leaves less than {room:.0%} of the memory free is marked *tight* and listed after the others. This limit
  is a choice of ultracluster, not a published value."""

_UNITS = "`hidden` is `hidden_size`, and `sequence` is `sequence_length`. Other names are keys or explained."


def fit_page() -> str:
    """Return the page: usage, formulas, published values, assumptions and sources."""
    return page(
        "Fit to the model",
        _INTRO,
        _DECLARED.strip(),
        "## Memory of a GPU",
        _UNITS,
        _formulas(MEMORY),
        "## Compute",
        _formulas(COMPUTE),
        "## Traffic of a step",
        _formulas(TRAFFIC),
        "## Published values",
        "A test compares these published values with the results of the formulas.",
        table(
            ("published", "formula", "with", "result", "published value", "within", "source"), _published()
        ),
        "## Assumptions",
        _ASSUMED.format(room=ROOM),
        "## Sources",
        table(("key", "source"), _sources()),
    )


def _formulas(formulas: Iterable[FitFormula]) -> str:
    rows = (
        (f"`{one.name}`", f"`{one.text}`", one.unit or "-", one.gives, ", ".join(one.sources))
        for one in formulas
    )
    return table(("name", "formula", "unit", "result", "sources"), rows)


def _published() -> Iterator[tuple[str, ...]]:
    functions = {one.name: one.function for one in FORMULAS}
    for row in fit_facts().published:
        function = functions[row.formula]
        names = inspect.signature(function).parameters
        shown = ", ".join(f"{name} = {number(row.arguments[name])}" for name in names)
        gives = function(**row.arguments)
        yield (
            row.what, f"`{row.formula}`", shown, f"{gives:.5g}", f"{row.published:.5g}", f"{row.within:.1%}",
            row.source,
        )  # fmt: skip


def _sources() -> Iterator[tuple[str, str]]:
    facts = fit_facts()
    keys = {key for formula in FORMULAS for key in formula.sources} | {row.source for row in facts.published}
    known = catalog().sources
    for key in sorted(keys):
        yield key, source(known[key])
