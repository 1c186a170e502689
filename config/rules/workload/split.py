"""Rules for the split of a training run, which must divide the model and the GPUs evenly."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from config.design.model import Design
from config.rules.registry import ERROR, WARNING, Finding, rule

if TYPE_CHECKING:
    from config.design.workload.fit.machines import Machines
    from config.profile.workload import Parallelism, Workload

_PAGE = "docs/reference/fit.md"
_MEGATRON = "https://docs.nvidia.com/megatron-core/developer-guide/0.16.0/user-guide/features/moe.html"
_READS = "workload compute orchestrator"
_AT = ("workload", "parallelism")


def declared(design: Design) -> tuple[Workload, Parallelism, Machines] | None:
    """Return the split that a profile sets, with its GPUs; None if it does not set one."""
    workload = design.profile.workload
    if workload is None or workload.parallelism is None:
        return None
    from config.design.workload.fit.machines import machines_for

    machines = machines_for(design.groups, workload.precision)
    return (workload, workload.parallelism, machines) if machines else None


def divisors(number: int, most: int = 4096) -> list[int]:
    """Return the divisors of a number, up to a limit."""
    return [one for one in range(1, min(number, most) + 1) if number % one == 0]


def _near(number: int, wanted: int) -> str:
    """Return the next lower and higher divisors of a number, for a hint."""
    below = [one for one in divisors(number, wanted) if one < wanted][-1:]
    above = [one for one in divisors(number, 4 * wanted) if one > wanted][:1]
    return " or ".join(str(one) for one in (*below, *above)) or "1"


@rule(
    "WRK010", ERROR, "tensor parallelism divides the heads and the feed-forward width",
    why="Each GPU of a tensor group computes an equal part of the heads and of the feed-forward layer. The training framework "
    "rejects other sizes when it starts. Key and value heads are copied if the tensor group has more GPUs than key and value "
    "heads.",
    source="https://arxiv.org/abs/1909.08053", reads="workload", where="workload",
)  # fmt: skip
def tensor_divides_the_heads(design: Design) -> Iterator[Finding]:
    """Compare the heads and the feed-forward width with the tensor group."""
    workload = design.profile.workload
    if workload is None or workload.parallelism is None:
        return
    tensor, at = workload.parallelism.tensor, (*_AT, "tensor")
    kv, width = workload.kv_heads, workload.feed_forward_size
    if workload.heads is not None and workload.heads % tensor:
        yield Finding(
            at=at,
            message=f"`tensor: {tensor}` does not divide the {workload.heads} attention heads evenly",
            hint=f"set `tensor` to {_near(workload.heads, tensor)}",
        )
    elif kv is not None and kv % tensor and tensor % kv:
        yield Finding(
            at=at,
            message=f"`tensor: {tensor}` is neither a divisor nor a multiple of the {kv} key and value heads",
            hint=f"set `tensor` to {_near(kv, tensor)}, or to a multiple of {kv}",
        )
    if width is not None and not workload.experts and width % tensor:
        yield Finding(
            at=at,
            message=f"`tensor: {tensor}` does not divide `feed_forward_size: {width}` evenly",
            hint=f"set `tensor` to {_near(width, tensor)}",
        )


@rule(
    "WRK011", ERROR, "a split divides the GPUs of the group, or uses whole nodes of the group",
    why="Every GPU belongs to one tensor group, one pipeline stage and one replica. A job does not start if its split "
    "does not divide the number of GPUs.",
    source=_PAGE, reads=_READS, where="workload",
)  # fmt: skip
def a_split_divides_the_gpus(design: Design) -> Iterator[Finding]:
    """Compare the product of the split with the number of GPUs for jobs."""
    found = declared(design)
    if found is None:
        return
    _, split, machines = found
    inner = split.tensor * split.pipeline * split.context
    parts = f"tensor {split.tensor} x pipeline {split.pipeline} x context {split.context}"
    if split.data:
        parts += f" x data {split.data}"
    product = inner * (split.data or 1)
    if _takes_nodes(product, machines) if split.data else machines.gpus % inner == 0:
        return
    fits = machines.gpus % inner == 0
    hint = f"set `data: {machines.gpus // inner}`, or remove `data`" if fits else _counts(machines, product)
    yield Finding(
        at=(*_AT, "data") if fits else _AT,
        message=f"the split {parts} needs {product:,} GPUs, but does not fit evenly on the {machines.gpus:,} GPUs that group "
        f"{machines.group} has for jobs ({machines.gpus_per_node} in each node)",
        hint=hint,
    )


def _takes_nodes(gpus: int, machines: Machines) -> bool:
    """Return True if the number of GPUs is that of whole nodes, or divides the GPUs of one node evenly."""
    each = machines.gpus_per_node
    return gpus <= machines.gpus and (gpus % each == 0 or each % gpus == 0)


def _counts(machines: Machines, product: int) -> str:
    """Return a hint with the next lower and higher numbers of nodes for the split."""
    step = product // math.gcd(product, machines.gpus_per_node)
    below = machines.nodes // step * step
    few = " or ".join(f"{nodes:,}" for nodes in (below, below + step) if nodes)
    return f"use {few} nodes for jobs, or a split that divides {machines.gpus:,}"


def _more_replicas(found: tuple[Workload, Parallelism, Machines]) -> int:
    """Return the maximum number of replicas that the GPUs, the batch and the expert groups allow."""
    from config.design.workload.fit.search import shares_batch
    from config.design.workload.fit.shape import model_of

    workload, split, machines = found
    model, in_stage = model_of(workload), split.tensor * split.context
    at_most = machines.gpus // (in_stage * split.pipeline)
    can_be = (
        data for data in range(at_most, 0, -1)
        if in_stage * data % split.expert == 0 and shares_batch(model, data)
    )  # fmt: skip
    return next(can_be, 0)


@rule(
    "WRK012", WARNING, "a split uses all GPUs for jobs",
    why="AWS bills reserved capacity even if jobs do not use it.",
    source=_PAGE, reads=_READS, where="workload",
)  # fmt: skip
def no_gpu_is_idle(design: Design) -> Iterator[Finding]:
    """Report a split with `data` that does not use all GPUs."""
    found = declared(design)
    if found is None or found[1].data is None:
        return
    _, split, machines = found
    inner, data = split.tensor * split.pipeline * split.context, found[1].data
    used, more = inner * data, _more_replicas(found)
    if used < machines.gpus and _takes_nodes(used, machines):
        rest = f"use {used // machines.gpus_per_node or 1:,} nodes for jobs"
        yield Finding(
            at=(*_AT, "data"),
            message=f"the split uses {used:,} of the {machines.gpus:,} GPUs of group {machines.group}",
            hint=f"set `data: {more}`, or {rest}" if more > data else f"{rest}, or change the split",
        )


@rule(
    "WRK013", ERROR, "expert parallelism divides the experts and the GPUs of a pipeline stage",
    why="Each GPU of a pipeline stage has the same number of experts of a layer. The training framework rejects other sizes when "
    "it starts.",
    source=_MEGATRON, reads=_READS, where="workload",
)  # fmt: skip
def experts_are_shared_out(design: Design) -> Iterator[Finding]:
    """Compare the experts and the GPUs of a stage with the expert group."""
    found = declared(design)
    if found is None or found[1].expert == 1:
        return
    workload, split, machines = found
    at = (*_AT, "expert")
    if not workload.experts:
        yield Finding(
            at=at,
            message=f"`expert: {split.expert}` is set, but the model does not have experts",
            hint="set `experts` and `experts_per_token`, or remove `expert`",
        )
        return
    if workload.experts % split.expert:
        yield Finding(
            at=at,
            message=f"`expert: {split.expert}` does not divide the {workload.experts} experts evenly",
            hint=f"set `expert` to {_near(workload.experts, split.expert)}",
        )
    data = split.data or machines.gpus // (split.tensor * split.context * split.pipeline)
    stage = split.tensor * split.context * data
    if stage and stage % split.expert:
        yield Finding(
            at=at,
            message=f"`expert: {split.expert}` does not divide the {stage} GPUs of a pipeline stage evenly "
            f"(tensor {split.tensor} x context {split.context} x data {data})",
            hint=f"set `expert` to {_near(stage, split.expert)}",
        )


@rule(
    "WRK014", ERROR, "a pipeline has at most one stage per layer, and context divides the sequence",
    why="A stage needs at least one layer. Each GPU of a context group computes two equal parts of the sequence, one part from "
    "each end, so that all GPUs have the same work.",
    source="https://github.com/NVIDIA/Megatron-LM/blob/main/megatron/core/utils.py",
    reads="workload", where="workload",
)  # fmt: skip
def stages_and_sequences_are_whole(design: Design) -> Iterator[Finding]:
    """Compare the stages with the layers, and the context group with the sequence."""
    workload = design.profile.workload
    if workload is None or workload.parallelism is None:
        return
    split, layers, sequence = workload.parallelism, workload.layers, workload.sequence_length
    if layers is not None and split.pipeline > layers:
        yield Finding(
            at=(*_AT, "pipeline"),
            message=f"`pipeline: {split.pipeline}` is more than the {layers} layers of the model",
            hint=f"set `pipeline` to {layers} or less",
        )
    if sequence is not None and split.context > 1 and sequence % (2 * split.context):
        yield Finding(
            at=(*_AT, "context"),
            message=f"`context: {split.context}` does not divide a sequence of {sequence:,} tokens into "
            f"{2 * split.context} equal parts",
            hint=f"set `context` to a divisor of {sequence // 2:,}, such as {_near(max(1, sequence // 2), split.context)}",
        )


@rule(
    "WRK015", ERROR, "replicas share the global batch evenly",
    why="Each replica computes the same number of micro-batches in a step. The training framework rejects other batch sizes. A "
    "batch size in tokens is rounded, but the batch must contain at least one micro-batch for each replica.",
    source="https://arxiv.org/abs/2104.04473", reads=_READS, where="workload",
)  # fmt: skip
def replicas_share_the_batch(design: Design) -> Iterator[Finding]:
    """Compare the sequences of a step with the replicas and the micro-batch."""
    found = declared(design)
    if found is None:
        return
    from config.design.workload.fit.shape import batch_sequences

    workload, split, machines = found
    batch = batch_sequences(workload)
    data = split.data or machines.gpus // (split.tensor * split.context * split.pipeline)
    at_a_time = data * workload.micro_batch
    exact = workload.global_batch_sequences is not None
    if not at_a_time or batch is None or (batch >= at_a_time and not (exact and batch % at_a_time)):
        return
    key = "global_batch_sequences" if exact else "global_batch_tokens"
    size = f"{max(1, round(batch / at_a_time)) * at_a_time:,} sequences"
    yield Finding(
        at=("workload", key),
        message=f"{data:,} replicas with micro-batches of {workload.micro_batch} cannot share a batch of {batch:,} "
        "sequences evenly",
        hint=f"use a batch of {size}, or fewer replicas",
    )
