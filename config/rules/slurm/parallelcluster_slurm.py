"""Slurm of a ParallelCluster file: settings that it denies, and what PCS has and it has not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from config.design.capacity.purchase import purchase_of
from config.design.model import Design
from config.design.report.parallelcluster import limits
from config.design.report.parallelcluster.queues import partitions
from config.design.report.parallelcluster.slurm import (
    denied_of_cluster,
    denied_of_group,
    denied_of_queue,
    of_cluster,
    pcs_of,
)
from config.design.slurm.defaults import settled
from config.diagnostics import Path
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_SETTINGS = "https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-configuration-settings-v3.html"
_SCHEDULING = "https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html"
_IMAGE = "https://docs.aws.amazon.com/parallelcluster/latest/ug/Image-v3.html"


@rule(
    "PCL030", ERROR, "Slurm's settings are ones that ParallelCluster leaves to you",
    why="CustomSlurmSettingsValidator refuses settings that ParallelCluster makes itself. Prolog and Epilog go into its "
    "folders, `OverSubscribe: EXCLUSIVE` is JobExclusiveAllocation, Weight a priority; the others have no other way.",
    source=_SETTINGS, reads="orchestrator compute", where="pcs",
)  # fmt: skip
def settings_are_not_denied(design: Design) -> Iterator[Finding]:
    """Settings of the cluster, the queues and the groups."""
    pcs = pcs_of(design)
    if pcs is None:
        return
    for name in denied_of_cluster(of_cluster(design)):
        yield _denied(("orchestrator", "settings", name), name, "the cluster")
    for i, queue in enumerate(pcs.queues or ()):
        for name in denied_of_queue(settled({}, queue.settings)):
            yield _denied(("orchestrator", "queues", i, "settings", name), name, f"queue {queue.name}")
    for at, group in design.placed_groups:
        for name in denied_of_group(settled({}, group.slurm_settings)):
            yield _denied((*at, "slurm_settings", name), name, f"group {group.name}")


def _denied(at: Path, name: str, of: str) -> Finding:
    hint = "write `OverSubscribe: EXCLUSIVE`, or take it out" if name == "OverSubscribe" else "take it out"
    return Finding(at=at, message=f"ParallelCluster denies {name} of {of}: it sets it itself", hint=hint)


@rule(
    "PCL031", ERROR, "what PCS does by itself is not asked of a file",
    why="ParallelCluster keeps accounting in a database of yours, has no REST API, no settings of cgroup.conf, and one idle "
    "time for all queues.",
    source=_SCHEDULING, reads="orchestrator compute", where="pcs",
)  # fmt: skip
def pcs_alone_does_it(design: Design) -> Iterator[Finding]:
    """Keys of PCS without a counterpart."""
    pcs = pcs_of(design)
    if pcs is None:
        return
    for key, stated, what in (
        ("accounting", pcs.accounting is not None, "accounting without a database of yours"),
        ("rest_api", pcs.rest_api, "a REST API"),
        ("cgroup_settings", bool(pcs.cgroup_settings), "settings of cgroup.conf"),
    ):
        if stated:
            hint = "take it out; SlurmSettings.Database names a database" if key == "accounting" else ""
            yield Finding(
                at=("orchestrator", key),
                message=f"ParallelCluster has no {what}",
                hint=hint or f"take `{key}` out",
            )
    for at, group in design.placed_groups:
        if group.idle_seconds is not None and group.idle_seconds != pcs.idle_seconds:
            yield Finding(
                at=(*at, "idle_seconds"),
                message=f"nodes of group {group.name} would go after {group.idle_seconds} s, ParallelCluster has "
                f"{pcs.idle_seconds} s for all",
                hint="take it out, and state `idle_seconds` of the orchestrator",
            )


@rule(
    "PCL032", ERROR, "nodes of a Capacity Block are there all the time",
    why="ComputeResourceSizeValidator wants MinCount to be MaxCount and more than 0 where machines are a block's.",
    source=_SCHEDULING, reads="orchestrator compute", where="capacity-block",
)  # fmt: skip
def blocks_are_static(design: Design) -> Iterator[Finding]:
    """`scaling: dynamic` on a block."""
    for at, group in design.placed_groups:
        if purchase_of(group.capacity).block and group.scaling == "dynamic":
            yield Finding(
                at=(*at, "scaling"),
                message=f"group {group.name} has from 0 to {group.count} nodes of a block, ParallelCluster wants all",
                hint="write `scaling: static`",
            )


@rule(
    "PCL033", ERROR, "a group runs the jobs of one queue",
    why="A compute resource belongs to its queue: the same machines in two queues would be bought twice.",
    source=_SCHEDULING, reads="orchestrator compute", where="pcs",
)  # fmt: skip
def groups_have_one_queue(design: Design) -> Iterator[Finding]:
    """Groups that several queues share."""
    shared = Counter(group.name for queue in partitions(design) for group in queue.groups)
    for name, queues in shared.items():
        if queues > 1:
            yield Finding(
                at=("orchestrator", "queues"),
                message=f"{queues} queues share group {name}, a compute resource has one",
                hint="make one queue of them, or groups of their own",
            )


@rule(
    "PCL034", NOTE, "the Slurm is the one that ParallelCluster brings",
    why=f"ParallelCluster {limits.VERSION} has Slurm {limits.SLURM}, and no key for another one.",
    source="https://github.com/aws/aws-parallelcluster/releases", reads="orchestrator", where="pcs",
)  # fmt: skip
def slurm_is_theirs(design: Design) -> Iterator[Finding]:
    """`slurm_version`."""
    pcs = pcs_of(design)
    if pcs is not None and pcs.slurm_version != limits.SLURM:
        yield Finding(
            at=("orchestrator", "slurm_version"),
            message=f"left out of the file: Slurm is {limits.SLURM}, not {pcs.slurm_version}",
            hint=f'write `slurm_version: "{limits.SLURM}"`',
        )


@rule(
    "PCL035", WARNING, "the image is one of ParallelCluster's",
    why="Nodes start with software that is in the image; an image of PCS has PCS's.",
    source=_IMAGE, reads="compute", where="pcs",
)  # fmt: skip
def image_is_theirs(design: Design) -> Iterator[Finding]:
    """`ami_id`."""
    for at, group in design.placed_groups if pcs_of(design) else ():
        if group.ami_id is not None:
            yield Finding(
                at=(*at, "ami_id"),
                message=f"left out of the file: {group.ami_id} is an image for PCS",
                hint="build one with `pcluster build-image` and give `--ami ID`, or take `ami_id` out",
            )


@rule(
    "PCL036", NOTE, "repositories and caches are made by the stack",
    why="A cluster of ParallelCluster makes neither, and its nodes may pull what their own policies allow.",
    source=_SCHEDULING, reads="images", where="images",
)  # fmt: skip
def images_are_the_stacks(design: Design) -> Iterator[Finding]:
    """`images`."""
    if design.images is not None:
        policy = "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly"
        yield Finding(
            at=("images",),
            message="left out of the file: neither repositories nor caches are made for it",
            hint=f"deploy them as a data profile, and add {policy} to `Iam` of each queue",
        )
