"""Rules for the fit of a training run: NVLink domains, memory and precision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from config.design.model import Design
from config.rules.registry import WARNING, Finding, rule
from config.rules.workload.split import declared, divisors

if TYPE_CHECKING:
    from config.profile.workload import Precision, Workload

_PAGE = "docs/reference/fit.md"
_READS = "workload compute orchestrator"
_AT = ("workload", "parallelism")


@rule(
    "WRK016", WARNING, "tensor groups are within an NVLink domain",
    why="A tensor group reduces its activations four times in each layer. EFA has only a fraction of NVLink's bandwidth, so the "
    "GPUs would wait for the network.",
    source="https://arxiv.org/abs/2104.04473", reads=_READS, where="workload",
)  # fmt: skip
def tensor_stays_in_the_domain(design: Design) -> Iterator[Finding]:
    """Compare the tensor group with the NVLink domain and its boundaries."""
    found = declared(design)
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
        message=f"`tensor: {split.tensor}` {how} the {domain} {'GPU' if domain == 1 else 'GPUs'} of an NVLink domain in "
        f"group {machines.group}, so tensor groups use EFA",
        hint=f"set `tensor` to {fitting.rpartition(' or ')[2]}, and increase `pipeline` or `context`",
    )


@rule(
    "WRK017", WARNING, "a model fits the memory of the GPUs",
    why="If the model does not fit, the run fails with an out-of-memory error on instances that you pay for. The calculated "
    "memory is an estimate; docs/reference/fit.md lists what the estimate includes.",
    source=_PAGE, reads=_READS, where="workload",
)  # fmt: skip
def the_model_fits(design: Design) -> Iterator[Finding]:
    """Check the memory of one GPU with the profile's split; without a split, with the best one."""
    if design.profile.workload is None:
        return
    from config.design.workload.fit.judged import judged
    from config.design.workload.fit.split import BYTES_PER_GIB

    found = judged(design.profile.workload, design.groups)
    if found is None or found.fitting:
        return
    if not found.outcomes:
        if not found.declared:
            yield Finding(
                at=("workload",),
                message=f"this model with its batch cannot be split over the {found.machines.gpus:,} GPUs of group "
                f"{found.machines.group}",
                hint="change the number of nodes, or set a batch size with more divisors",
            )
        return
    best, machines = found.outcomes[0], found.machines
    needs = best.held.total / BYTES_PER_GIB
    split = best.split
    way = f"tensor {split.tensor}, pipeline {split.pipeline}, context {split.context}, data {split.data}"
    way += f", expert {split.expert}" if split.expert > 1 else ""
    least = "needs" if found.declared else "needs at least"
    yield Finding(
        at=_AT if found.declared else ("workload",),
        message=f"the model {least} {needs:,.1f} GiB on each GPU ({way}), but an {machines.gpu} has "
        f"{machines.memory_gib:,.4g} GiB",
        hint=_less_memory(found.workload, with_split=found.declared),
    )


def _less_memory(workload: Workload, *, with_split: bool) -> str:
    ways = []
    if with_split:
        ways.append("increase `tensor` or `pipeline`, or remove `parallelism` to list the splits that fit")
    if workload.sharding != "weights":
        ways.append("set `sharding: weights`")
    if workload.activation_recomputation != "full":
        ways.append("set `activation_recomputation: full`")
    return ", or ".join([*ways, "set `training_bytes`", "use more nodes"])


@rule(
    "WRK018", WARNING, "the GPUs compute in the precision of the run",
    why="A precision that the GPU does not support is not faster. A100 does not support FP8, and only Blackwell and newer GPUs "
    "support FP4.",
    source="docs/reference/catalogue.md", reads=_READS, where="workload",
)  # fmt: skip
def the_gpu_has_the_precision(design: Design) -> Iterator[Finding]:
    """Check that the GPU has a peak rate for the precision."""
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
        message=f"an {machines.gpu} does not have a peak rate for {workload.precision}",
        hint=f"set {' or '.join(f'`precision: {name}`' for name in others)}, or use GPUs that support {workload.precision}",
    )
