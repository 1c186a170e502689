"""reference/fit.md: the formulas of the fit to the model, each with its source, beside published figures."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator

from config.catalog import catalog
from config.catalog.workload.fit import fit_facts
from config.design.workload.fit.formulas import COMPUTE, FORMULAS, MEMORY, TRAFFIC, FitFormula
from config.design.workload.fit.split import ROOM
from scripts.tools.docs.markdown import number, page, source, table

_INTRO = """What `ultracluster plan` says of the fit of a cluster to the model that it trains, and how it is
computed, where a profile states a `workload`. Formulas stand in the names that the code has; a test reads
them from this page, computes them, and holds them against what others published. GB are 10^9 bytes, GiB 2^30.

All of it is an estimate. Memory is what the model itself takes; bounds are peaks, with everything at the
same time: no run is faster, and most are slower by half or more."""

_STATED = """\
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

Without `parallelism` the plan looks for splits itself: all of the group's GPUs, or the power of two below
them, by divisors of GPUs, heads, layers and experts, of a bounded number in each direction. Splits that
fit come first, then those that train a token soonest (with the bubble of their pipeline), then those that
send least. Fewer keys give less: `parameters` alone gives the memory of weights, gradients and optimizer.

What cannot be, or does not fit, is told by [WRK006 to WRK018](rules/workload.md#wrk006), all at once.
"""

_ASSUMED = """\
- A run has the largest group of GPUs, without the nodes that are spare or left out of an UltraServer.
- Ranks are laid out as Megatron does: tensor groups first, then context, then replicas; pipeline stages
  last. A group stays in an NVLink domain where it is no larger and does not lie across its edge. A run that
  leaves GPUs of UltraServers free takes as many of each. Of expert groups across an edge the one that is cut
  worst counts.
- Tensor parallelism comes with sequence parallelism; activations have 16 bits.
- `selective` keeps no attention scores, as FlashAttention does, and their second computation is not counted;
  `full` keeps the input of each layer and computes one layer at a time again, a third more FLOPs.
- The fullest stage counts: layers are shared out as evenly as they can be, and stage 1 holds activations
  of as many micro batches as there are stages.
- Experts lie on `expert` GPUs, each whole; every layer has experts, tokens spread evenly over them. A
  token goes to its experts in `precision` (fp8: one fp32 scale for 128 values; fp4 as fp8, nothing is
  published) and comes back in bf16, forward and backward.
- Of what experts exchange, the bound counts what must leave a domain: each token once to every other
  domain, handed on there over NVLink. The plan also says what leaves where each copy goes by itself.
- Replicas sum within a domain first; each GPU then sends its share between domains, in bf16.
- Matrices run at the peak of `precision`, attention at that of bf16. NVLink and EFA go both ways at once.
- A step is no shorter than the longest of compute, HBM, NVLink and EFA; the bubble of a pipeline is told
  beside it.
- CUDA context, NCCL buffers, fragmentation and what a framework keeps of its own are not counted. A split
  that leaves less than {room:.0%} of the memory free for them fits *barely*, and stands behind those that
  leave more: a choice of this tool, not a published figure."""

_UNITS = "`hidden` is `hidden_size`, `sequence` is `sequence_length`; other names are keys or explained."


def fit_page() -> str:
    """The page: how to ask, formulas, published figures, assumptions and sources."""
    return page(
        "Fit to the model",
        _INTRO,
        _STATED.strip(),
        "## Memory of a GPU",
        _UNITS,
        _formulas(MEMORY),
        "## What a token costs",
        _formulas(COMPUTE),
        "## What moves in a step",
        _formulas(TRAFFIC),
        "## Published figures",
        "What others published, and what the formulas give; a test holds one against the other.",
        table(("published", "formula", "with", "gives", "they say", "within", "source"), _published()),
        "## What is assumed",
        _ASSUMED.format(room=ROOM),
        "## Sources",
        table(("key", "source"), _sources()),
    )


def _formulas(formulas: Iterable[FitFormula]) -> str:
    rows = (
        (f"`{one.name}`", f"`{one.text}`", one.unit or "-", one.gives, ", ".join(one.sources))
        for one in formulas
    )
    return table(("name", "formula", "unit", "gives", "sources"), rows)


def _published() -> Iterator[tuple[str, ...]]:
    functions = {one.name: one.function for one in FORMULAS}
    for row in fit_facts().published:
        function = functions[row.formula]
        names = inspect.signature(function).parameters
        shown = ", ".join(f"{name} = {number(row.given[name])}" for name in names)
        gives = function(**row.given)
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
