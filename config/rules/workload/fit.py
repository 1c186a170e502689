"""A run against the machines that it is meant for: NVLink domains, memory and precision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from config.design.model import Design
from config.rules.registry import WARNING, Finding, rule
from config.rules.workload.split import divisors, stated

if TYPE_CHECKING:
    from config.profile.workload import Precision, Workload

_PAGE = "docs/reference/fit.md"
_READS = "workload compute orchestrator"
_AT = ("workload", "parallelism")


@rule(
    "WRK016", WARNING, "tensor parallelism stays in an NVLink domain",
    why="A tensor group sums its activations four times in each layer; over EFA, which has a fraction of NVLink's "
    "bandwidth, the GPUs wait for it.",
    source="https://arxiv.org/abs/2104.04473", reads=_READS, where="workload",
)  # fmt: skip
def tensor_stays_in_the_domain(design: Design) -> Iterator[Finding]:
    """The tensor group against the domain, and against its edges."""
    found = stated(design)
    if found is None:
        return
    from config.design.workload.fit.judged import split_of
    from config.design.workload.fit.moved import domain_of, stays

    _, split, machines = found
    whole = split_of(split, machines)
    domain = domain_of(machines, whole.gpus if whole else machines.gpus)
    if split.tensor == 1 or stays(split.tensor, machines.gpus, domain):
        return
    how = "is more than" if split.tensor > domain else "does not divide"
    fitting = " or ".join(str(one) for one in divisors(domain, split.tensor) if one < split.tensor) or "1"
    yield Finding(
        at=(*_AT, "tensor"),
        message=f"tensor {split.tensor} {how} the {domain} GPUs of an NVLink domain of {machines.group}: "
        "groups go over EFA",
        hint=f"write {fitting.rpartition(' or ')[2]}, and split further by `pipeline` or `context`",
    )


@rule(
    "WRK017", WARNING, "a model fits the memory of the GPUs",
    why="A run that does not fit stops with an error of memory after the machines were paid for. The figure is an "
    "estimate: docs/reference/fit.md says what is counted.",
    source=_PAGE, reads=_READS, where="workload",
)  # fmt: skip
def the_model_fits(design: Design) -> Iterator[Finding]:
    """Memory of one GPU with the stated split, or with the best one."""
    if design.profile.workload is None:
        return
    from config.design.workload.fit.judged import judged
    from config.design.workload.fit.split import BYTES_PER_GIB

    found = judged(design.profile.workload, design.groups)
    if found is None or found.fitting:
        return
    if not found.outcomes:
        if not found.stated:
            yield Finding(
                at=("workload",),
                message=f"no split of this model divides the {found.machines.gpus:,} GPUs of {found.machines.group} "
                "and its batch",
                hint="take another number of nodes, or a batch that more replicas share",
            )
        return
    best, machines = found.outcomes[0], found.machines
    needs = best.held.total / BYTES_PER_GIB
    split = best.split
    way = f"tensor {split.tensor}, pipeline {split.pipeline}, context {split.context}, data {split.data}"
    way += f", expert {split.expert}" if split.expert > 1 else ""
    least = "takes" if found.stated else "takes at least"
    yield Finding(
        at=_AT if found.stated else ("workload",),
        message=f"the model {least} {needs:,.1f} GiB of each GPU ({way}), a {machines.gpu} has "
        f"{machines.memory_gib:,.4g}",
        hint=_less_memory(found.workload, with_split=found.stated),
    )


def _less_memory(workload: Workload, *, with_split: bool) -> str:
    ways = []
    if with_split:
        ways.append("raise `tensor` or `pipeline`, or leave `parallelism` out to see the splits that fit")
    if workload.sharding != "weights":
        ways.append("share more (`sharding: weights`)")
    if workload.activation_recomputation != "full":
        ways.append("compute activations again (`activation_recomputation: full`)")
    ways.append("state `training_bytes` of your own")
    return "; ".join([*ways, "or take more nodes"])


@rule(
    "WRK018", WARNING, "the GPUs compute in the precision of the run",
    why="GPUs have no faster arithmetic for a precision that they lack: A100 has no FP8, and FP4 came with Blackwell.",
    source="docs/reference/catalogue.md", reads=_READS, where="workload",
)  # fmt: skip
def the_gpu_has_the_precision(design: Design) -> Iterator[Finding]:
    """The precision's peak of the GPU."""
    workload = design.profile.workload
    if workload is None or workload.precision == "bf16":
        return
    from config.design.workload.fit.machines import machines_for

    machines = machines_for(design.groups, workload.precision)
    if machines is None or machines.tflops is not None or machines.bf16_tflops is None:
        return
    precisions: tuple[Precision, ...] = ("bf16", "fp8")
    others = [name for name in precisions if (one := machines_for(design.groups, name)) and one.tflops]
    yield Finding(
        at=("workload", "precision"),
        message=f"a {machines.gpu} has no peak in {workload.precision}",
        hint=f"write {' or '.join(f'`precision: {name}`' for name in others)}, or take GPUs that have it",
    )
