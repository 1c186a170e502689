"""Rules for UltraServers, which are reserved, placed and scheduled as one NVLink domain."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import UltraServer, catalog
from config.catalog.files import version_parts
from config.design.capacity.purchase import purchase_of
from config.design.model import Design
from config.design.slurm.defaults import PROLOG
from config.diagnostics import Path
from config.profile.capacity.groups import Group
from config.profile.orchestrator import HyperPodSlurm, version_of
from config.profile.slurm.pcs import Pcs
from config.profile.source.fault_messages import shown
from config.rules.parts import partitions
from config.rules.registry import ERROR, WARNING, Finding, rule

_HYPERPOD = "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ultraserver.html"
_EKS = "https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html"
_BLOCKS = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html"
_PCS = "https://docs.aws.amazon.com/pcs/latest/userguide/capacity-blocks-nvidia-imex.html"


@rule(
    "CAP008", ERROR, "UltraServer instances are reserved as whole UltraServers",
    why="AWS offers p6e-gb200 only as UltraServers of 9 or 18 instances in one NVLink domain. One instance of each UltraServer "
    "can be a spare instance.",
    source=_HYPERPOD, reads="compute", where="capacity-block training-plan",
)  # fmt: skip
def ultraservers_are_whole(design: Design) -> Iterator[Finding]:
    """Check that `ultraserver` matches the instance type, and that the nodes are whole UltraServers."""
    for at, group, plan in design.planned_groups:
        if not group.capacity.paid_in_advance:
            continue
        here = (*at, "capacity", "ultraserver")
        if not plan.instance_type.ultraserver_only:
            if group.capacity.ultraserver:
                yield Finding(
                    at=here,
                    message=f"{group.instance_type} is not part of an UltraServer",
                    hint="remove `ultraserver`",
                )
            continue
        fitting = catalog().units_of(group.instance_type)
        unit = fitting.get(group.capacity.ultraserver or "")
        if unit is None:
            yield Finding(
                at=here,
                message=f"{group.instance_type} is reserved as whole UltraServers, but {_not_one(group.capacity.ultraserver)}",
                hint=f"set `ultraserver` to {' or '.join(sorted(fitting))}",
            )
        else:
            yield from _whole(at, group, unit)


def _not_one(named: str | None) -> str:
    return (
        "`ultraserver` is missing" if named is None else f"{shown(named)} is not an UltraServer of this type"
    )


def _whole(at: Path, group: Group, unit: UltraServer) -> Iterator[Finding]:
    here, count = (*at, "count"), group.count
    if purchase_of(group.capacity).block and count not in (0, unit.instances - 1, unit.instances):
        yield Finding(
            at=here,
            message=f"`count` is {count}, but the Capacity Block is one {unit.name}, which has {unit.instances} instances",
            hint=f"set `count` to {unit.instances - 1} (with one spare instance) or {unit.instances}; add a group for another "
            "Capacity Block",
        )
    elif count % unit.instances and count % (unit.instances - 1):
        units = max(1, round(count / unit.instances))
        yield Finding(
            at=here,
            message=f"{count} instances are not a whole number of UltraServers: each {unit.name} has {unit.instances} instances",
            hint=f"set `count` to {units * (unit.instances - 1)} (with one spare instance in each UltraServer) or "
            f"{units * unit.instances}",
        )


@rule(
    "USV001", ERROR, "the control plane's version supports UltraServers",
    why="NVLink between instances needs IMEX and block topology. Kubernetes supports UltraServers from 1.33 (dynamic resource "
    "allocation), and PCS from Slurm 25.05.",
    source=_EKS, reads="compute orchestrator", where="eks hyperpod-eks pcs",
)  # fmt: skip
def version_supports_ultraservers(design: Design) -> Iterator[Finding]:
    """Check the control plane's version if a group has UltraServer instances."""
    orchestrator, plane = design.profile.orchestrator, design.control_plane
    if orchestrator is None or plane is None or isinstance(orchestrator, HyperPodSlurm):
        return
    machines = sorted(
        {plan.instance_type.name for plan in design.groups if plan.instance_type.ultraserver_only}
    )
    key, version = version_of(orchestrator)
    first = plane.ultraserver_from
    if machines and first is not None and version_parts(version) < version_parts(first):
        yield Finding(
            at=("orchestrator", key),
            message=f"{', '.join(machines)} under {plane.title} needs version {first} or later, but the profile has {version}",
            hint=f'set `{key}: "{first}"`, or a later version',
        )


@rule(
    "USV002", ERROR, "an UltraServer belongs to one group",
    why="The Capacity Block of an UltraServer is one NVLink domain. Two node groups would each use a part of it, and a job on "
    "both groups would have no NVLink between them.",
    source=_BLOCKS, reads="compute", where="capacity-block",
)  # fmt: skip
def ultraserver_capacity_blocks_are_not_shared(design: Design) -> Iterator[Finding]:
    """Check that groups do not share the Capacity Block of an UltraServer."""
    owners: dict[str, Group] = {}
    for at, group, plan in design.planned_groups:
        block = group.capacity.reservation_id if plan.purchase.block else None
        if block is None or not plan.instance_type.ultraserver_only:
            continue
        owner = owners.setdefault(block, group)
        if owner is not group:
            yield Finding(
                at=(*at, "capacity", "reservation_id"),
                message=f"groups {owner.name} and {group.name} use the same UltraServer Capacity Block {block}",
                hint="set another `reservation_id`, or merge the two groups",
            )


@rule(
    "USV003", ERROR, "each group of a PCS queue of UltraServers has UltraServers, and group sizes differ by powers of two",
    why="PCS configures block topology for the queue. It requires that all groups are UltraServers, and that each group size is "
    "the smallest size times a power of two, such as 9 and 18.",
    source=_PCS, reads="compute orchestrator", where="pcs",
)  # fmt: skip
def queues_have_one_block_topology(design: Design) -> Iterator[Finding]:
    """Check the groups of each queue that has UltraServers."""
    if not isinstance(design.profile.orchestrator, Pcs):
        return
    for queue, members in partitions(design).items():
        whole = [plan for _, _, plan in members if plan.instance_type.ultraserver_only]
        if not whole:
            continue
        for at, _, plan in members:
            if not plan.instance_type.ultraserver_only:
                yield Finding(
                    at=(*at, "partition"),
                    message=f"queue {queue} has UltraServers (group {whole[0].name}), so it cannot contain group {plan.name} with "
                    f"{plan.instance_type.name}",
                    hint="set another `partition` for one of the groups",
                )
            elif not _doubles(plan.count, min(other.count for other in whole)):
                yield Finding(
                    at=(*at, "count"),
                    message=f"group {plan.name} has {plan.count} instances, which is not {min(other.count for other in whole)} "
                    f"(smallest group of queue {queue}) times a power of two",
                    hint=f"change `count`, or set another `partition` for group {plan.name}",
                )


def _doubles(count: int, smallest: int) -> bool:
    if smallest == 0 or count % smallest:
        return count == smallest
    ratio = count // smallest
    return ratio & (ratio - 1) == 0


@rule(
    "USV004", ERROR, "UltraServers are in the zone that offers them",
    why="AWS offers each UltraServer type in one zone only. Reservations for other zones do not exist, so a group in another zone "
    "never starts.",
    source=_BLOCKS, reads="compute network data availability_zone availability_zone_id",
    ages="the zones that offer UltraServers", where="capacity-block training-plan",
)  # fmt: skip
def ultraservers_are_in_their_zone(design: Design) -> Iterator[Finding]:
    """Compare the zones of group and reservation with the zone of the UltraServer."""
    for at, group, plan in design.planned_groups:
        if plan.unit is None or plan.unit.instance_type != group.instance_type:
            continue
        sold = catalog().zone(plan.unit.zone)
        names = {sold.name, sold.zone_id} if sold else {plan.unit.zone}
        reserved, zone = group.capacity.availability_zone_id, group.zone or design.profile.zone
        here: Path = (*at, "capacity", "availability_zone_id") if reserved else (*at, "instance_type")
        for actual in dict.fromkeys(filter(None, (reserved, zone))):
            if actual not in names:
                yield Finding(
                    at=here,
                    message=f"{plan.unit.name} is available in {' or '.join(sorted(filter(None, names)))}, not in {actual}",
                    hint="set `availability_zone_id` of the profile and of the reservation to "
                    f"{sold.zone_id if sold else plan.unit.zone}",
                )
                break


@rule(
    "USV005", WARNING, "a prolog sets up IMEX for jobs on PCS UltraServers",
    why="GPUs of several nodes share memory over NVLink only if the IMEX service on each node has the list of the job's nodes. On "
    "PCS, your own prolog must write this list, as AWS documents. ultracluster's prolog checks nodes but does not set up IMEX, so "
    "use a script that runs both prologs.",
    source=_PCS, reads="compute orchestrator", where="pcs",
)  # fmt: skip
def imex_is_set_up(design: Design) -> Iterator[Finding]:
    """Report UltraServer groups under PCS that use ultracluster's prolog only."""
    if design.pcs is None or design.pcs.settings.get("Prolog") != PROLOG:
        return
    for at, group, plan in design.planned_groups:
        if plan.instance_type.ultraserver_only:
            yield Finding(
                at=(*at, "instance_type"),
                message=f"jobs on group {group.name} have no NVLink between nodes: ultracluster's prolog does not set up IMEX",
                hint=f"put AWS's 91_nvidia_imex_prolog.sh on a shared file system, and write a script that runs `{PROLOG}` and "
                "then AWS's file; set `settings: {Prolog: SCRIPT}`, and submit jobs with --exclusive",
            )
            return
