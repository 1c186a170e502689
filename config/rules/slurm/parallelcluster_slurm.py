"""Rules for Slurm with ParallelCluster: settings that it rejects, and features that only PCS has."""

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
    "PCL030", ERROR, "ParallelCluster accepts the Slurm settings",
    why="CustomSlurmSettingsValidator rejects settings that ParallelCluster sets itself. ultracluster writes some of these "
    "settings in another form: Prolog and Epilog as files, `OverSubscribe: EXCLUSIVE` as JobExclusiveAllocation, and Weight as a "
    "priority.",
    source=_SETTINGS, reads="orchestrator compute", where="pcs",
)  # fmt: skip
def slurm_settings_are_accepted(design: Design) -> Iterator[Finding]:
    """Check the settings of the cluster, the queues and the groups."""
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
    hint = (
        f"set `OverSubscribe: EXCLUSIVE`, or remove {name}" if name == "OverSubscribe" else f"remove {name}"
    )
    return Finding(
        at=at,
        message=f"ParallelCluster chooses {name} of {of} and does not accept another value",
        hint=hint,
    )


@rule(
    "PCL031", ERROR, "the profile uses no features that only PCS has",
    why="With ParallelCluster, accounting requires your own database. ParallelCluster has no REST API and no settings of "
    "cgroup.conf. All queues have the same idle time.",
    source=_SCHEDULING, reads="orchestrator compute", where="pcs",
)  # fmt: skip
def no_pcs_features(design: Design) -> Iterator[Finding]:
    """Report keys of PCS without an equivalent in ParallelCluster."""
    pcs = pcs_of(design)
    if pcs is None:
        return
    for key, declared, what in (
        ("accounting", pcs.accounting is not None, "database for accounting"),
        ("rest_api", pcs.rest_api, "a REST API"),
        ("cgroup_settings", bool(pcs.cgroup_settings), "settings of cgroup.conf"),
    ):
        if declared:
            hint = (
                "remove `accounting`, and set SlurmSettings.Database to your own database"
                if key == "accounting"
                else ""
            )
            yield Finding(
                at=("orchestrator", key),
                message=f"ParallelCluster has no {what}",
                hint=hint or f"remove `{key}`",
            )
    for at, group in design.placed_groups:
        if group.idle_seconds is not None and group.idle_seconds != pcs.idle_seconds:
            yield Finding(
                at=(*at, "idle_seconds"),
                message=f"group {group.name} has an idle time of {group.idle_seconds} s, but ParallelCluster has one idle time for "
                f"all groups ({pcs.idle_seconds} s)",
                hint="remove `idle_seconds` of the group, and set `orchestrator.idle_seconds`",
            )


@rule(
    "PCL032", ERROR, "nodes in a Capacity Block are static",
    why="With a Capacity Block, ComputeResourceSizeValidator requires MinCount to equal MaxCount and to be more than 0.",
    source=_SCHEDULING, reads="orchestrator compute", where="capacity-block",
)  # fmt: skip
def blocks_are_static(design: Design) -> Iterator[Finding]:
    """Report `scaling: dynamic` with a Capacity Block."""
    for at, group in design.placed_groups:
        if purchase_of(group.capacity).block and group.scaling == "dynamic":
            yield Finding(
                at=(*at, "scaling"),
                message=f"group {group.name} is dynamic (0 to {group.count} nodes), but ParallelCluster requires static nodes in a "
                "Capacity Block",
                hint="set `scaling: static`",
            )


@rule(
    "PCL033", ERROR, "a group is in one queue only",
    why="A compute resource belongs to one queue. A group in two queues would have twice as many instances.",
    source=_SCHEDULING, reads="orchestrator compute", where="pcs",
)  # fmt: skip
def groups_have_one_queue(design: Design) -> Iterator[Finding]:
    """Report groups in several queues."""
    shared = Counter(group.name for queue in partitions(design) for group in queue.groups)
    for name, queues in shared.items():
        if queues > 1:
            yield Finding(
                at=("orchestrator", "queues"),
                message=f"{queues} queues contain group {name}, but with ParallelCluster a group belongs to one queue",
                hint="merge the queues, or use a separate group for each queue",
            )


@rule(
    "PCL034", NOTE, "the Slurm version is the version that ParallelCluster installs",
    why=f"ParallelCluster {limits.VERSION} installs Slurm {limits.SLURM}. Its configuration has no key for another version.",
    source="https://github.com/aws/aws-parallelcluster/releases", reads="orchestrator", where="pcs",
)  # fmt: skip
def slurm_version_is_installed(design: Design) -> Iterator[Finding]:
    """Compare `slurm_version` with ParallelCluster's Slurm version."""
    pcs = pcs_of(design)
    if pcs is not None and pcs.slurm_version != limits.SLURM:
        yield Finding(
            at=("orchestrator", "slurm_version"),
            message=f"the configuration leaves out `slurm_version: {pcs.slurm_version}`, because ParallelCluster installs Slurm "
            f"{limits.SLURM}",
            hint=f'set `slurm_version: "{limits.SLURM}"`',
        )


@rule(
    "PCL035", WARNING, "the image is built for ParallelCluster",
    why="ParallelCluster requires its own software in the image. An image for PCS contains the software of PCS.",
    source=_IMAGE, reads="compute", where="pcs",
)  # fmt: skip
def image_is_for_parallelcluster(design: Design) -> Iterator[Finding]:
    """Report `ami_id` of groups."""
    for at, group in design.placed_groups if pcs_of(design) else ():
        if group.ami_id is not None:
            yield Finding(
                at=(*at, "ami_id"),
                message=f"the configuration leaves out {group.ami_id}, because it is an image for PCS",
                hint="build an image with `pcluster build-image` and pass `--ami ID`, or remove `ami_id`",
            )


@rule(
    "PCL036", NOTE, "the profile has no image repositories and caches",
    why="ParallelCluster does not create repositories or caches. Nodes can pull only the images that the policies in `Iam` allow.",
    source=_SCHEDULING, reads="images", where="images",
)  # fmt: skip
def repositories_are_absent(design: Design) -> Iterator[Finding]:
    """Report `images` of the profile."""
    if design.images is not None:
        policy = "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly"
        yield Finding(
            at=("images",),
            message="the configuration leaves out repositories and caches, because ParallelCluster does not create them",
            hint=f"deploy the repositories and caches with a data profile, and add {policy} to `Iam` of each queue",
        )
