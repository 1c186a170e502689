"""UltraServers: machines of one NVLink domain, reserved, placed and scheduled as a whole."""

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
from config.profile.source.fault_words import shown
from config.rules.parts import partitions
from config.rules.registry import ERROR, WARNING, Finding, rule

_HYPERPOD = "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ultraserver.html"
_EKS = "https://docs.aws.amazon.com/eks/latest/userguide/ml-eks-nvidia-ultraserver.html"
_BLOCKS = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html"
_PCS = "https://docs.aws.amazon.com/pcs/latest/userguide/capacity-blocks-nvidia-imex.html"


@rule(
    "CAP008", ERROR, "UltraServer machines are reserved as whole UltraServers, with their spare",
    why="p6e-gb200 is sold only by the UltraServer (9 or 18 machines in one NVLink domain); one machine of each is the spare.",
    source=_HYPERPOD, reads="compute", where="capacity-block training-plan",
)  # fmt: skip
def ultraservers_are_whole(design: Design) -> Iterator[Finding]:
    """The reservation's UltraServer fits the type, and the count its units."""
    for at, group, plan in design.planned_groups:
        if not group.capacity.paid_in_advance:
            continue
        here = (*at, "capacity", "ultraserver")
        if not plan.instance_type.ultraserver_only:
            if group.capacity.ultraserver:
                yield Finding(
                    at=here,
                    message=f"{group.instance_type} is not part of an UltraServer",
                    hint="take `ultraserver` out",
                )
            continue
        fitting = catalog().units_of(group.instance_type)
        unit = fitting.get(group.capacity.ultraserver or "")
        if unit is None:
            yield Finding(
                at=here,
                message=f"{group.instance_type} is reserved by the UltraServer; {_not_one(group.capacity.ultraserver)} its units",
                hint=f"write one of {', '.join(sorted(fitting))}",
            )
        else:
            yield from _whole(at, group, unit)


def _not_one(named: str | None) -> str:
    return "`ultraserver` names none of" if named is None else f"{shown(named)} is not one of"


def _whole(at: Path, group: Group, unit: UltraServer) -> Iterator[Finding]:
    here, count = (*at, "count"), group.count
    if purchase_of(group.capacity).block and count not in (0, unit.instances - 1, unit.instances):
        yield Finding(
            at=here,
            message=f"{count} machines of a Capacity Block that is one {unit.name}, which has {unit.instances}",
            hint=f"write {unit.instances - 1} (one kept as the spare) or {unit.instances}; another block is another group",
        )
    elif count % unit.instances and count % (unit.instances - 1):
        units = max(1, round(count / unit.instances))
        yield Finding(
            at=here,
            message=f"{count} machines are not whole units of {unit.name}, which has {unit.instances}",
            hint=f"write {units * (unit.instances - 1)} (one machine of each UltraServer kept as its spare) or {units * unit.instances}",
        )


@rule(
    "USV001", ERROR, "UltraServers run under a version that knows them",
    why="NVLink between machines needs IMEX and block topology: Kubernetes has them by DRA from 1.33, PCS from Slurm 25.05.",
    source=_EKS, reads="compute orchestrator", where="eks hyperpod-eks pcs",
)  # fmt: skip
def version_runs_ultraservers(design: Design) -> Iterator[Finding]:
    """The control plane's version, for groups of UltraServer machines."""
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
            message=f"{', '.join(machines)} under {plane.title} needs {first}, the profile has {version}",
            hint=f'write `{key}: "{first}"` or newer',
        )


@rule(
    "USV002", ERROR, "an UltraServer belongs to one group",
    why="An UltraServer block is one NVLink domain and cannot be shared: two node groups would each see a part of it, and "
    "a job over both has no NVLink between them.",
    source=_BLOCKS, reads="compute", where="capacity-block",
)  # fmt: skip
def blocks_are_not_shared(design: Design) -> Iterator[Finding]:
    """UltraServer blocks by their ids."""
    owners: dict[str, Group] = {}
    for at, group, plan in design.planned_groups:
        block = group.capacity.reservation_id if plan.purchase.block else None
        if block is None or not plan.instance_type.ultraserver_only:
            continue
        owner = owners.setdefault(block, group)
        if owner is not group:
            yield Finding(
                at=(*at, "capacity", "reservation_id"),
                message=f"groups {owner.name} and {group.name} name the same UltraServer block {block}",
                hint="name another block, or make one group of both",
            )


@rule(
    "USV003", ERROR, "a PCS queue of UltraServers holds nothing else, in sizes that double",
    why="PCS writes block topology for the queue: it takes UltraServer groups alone, and sizes of which each is a power of "
    "two times the smallest (9 and 18, 2 and 8).",
    source=_PCS, reads="compute orchestrator", where="pcs",
)  # fmt: skip
def queues_have_one_block_topology(design: Design) -> Iterator[Finding]:
    """Queues that several groups share, where one has UltraServer machines."""
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
                    message=f"queue {queue} has UltraServers ({whole[0].name}) and {plan.instance_type.name} ({plan.name})",
                    hint="give one of the groups a `partition` of its own",
                )
            elif not _doubles(plan.count, min(other.count for other in whole)):
                yield Finding(
                    at=(*at, "count"),
                    message=f"queue {queue} has groups of {min(other.count for other in whole)} and {plan.count} machines",
                    hint="make each count a power of two times the smallest, or use queues of their own",
                )


def _doubles(count: int, smallest: int) -> bool:
    if smallest == 0 or count % smallest:
        return count == smallest
    ratio = count // smallest
    return ratio & (ratio - 1) == 0


@rule(
    "USV004", ERROR, "UltraServers stand in the zone that sells them",
    why="They are sold in single zones alone: a reservation elsewhere does not exist, and a group elsewhere never starts.",
    source=_BLOCKS, reads="compute network data availability_zone availability_zone_id",
    ages="the zones that sell UltraServers", where="capacity-block training-plan",
)  # fmt: skip
def ultraservers_stand_where_they_are_sold(design: Design) -> Iterator[Finding]:
    """The zone of a group, and that of its reservation, against the UltraServer's."""
    for at, group, plan in design.planned_groups:
        if plan.unit is None or plan.unit.instance_type != group.instance_type:
            continue
        sold = catalog().zone(plan.unit.zone)
        names = {sold.name, sold.zone_id} if sold else {plan.unit.zone}
        reserved, zone = group.capacity.availability_zone_id, group.zone or design.profile.zone
        here: Path = (*at, "capacity", "availability_zone_id") if reserved else (*at, "instance_type")
        for stands in dict.fromkeys(filter(None, (reserved, zone))):
            if stands not in names:
                yield Finding(
                    at=here,
                    message=f"{plan.unit.name} is sold in {' or '.join(sorted(filter(None, names)))}, not in {stands}",
                    hint=f"use the zone {sold.zone_id if sold else plan.unit.zone} for profile and reservation",
                )
                break


@rule(
    "USV005", WARNING, "a job on UltraServers of PCS has its IMEX domain set up by a prolog",
    why="GPUs of several nodes share memory over NVLink once the IMEX service of each knows the job's nodes. PCS leaves "
    "that to a prolog of yours, of which AWS's page has the text; ultracluster's prolog checks nodes and does not do it. "
    "A prolog of two lines runs both.",
    source=_PCS, reads="compute orchestrator", where="pcs",
)  # fmt: skip
def imex_is_set_up(design: Design) -> Iterator[Finding]:
    """Groups of UltraServers under PCS with ultracluster's own prolog."""
    if design.pcs is None or design.pcs.settings.get("Prolog") != PROLOG:
        return
    for at, group, plan in design.planned_groups:
        if plan.instance_type.ultraserver_only:
            yield Finding(
                at=(*at, "instance_type"),
                message=f"jobs on group {group.name} have no NVLink between nodes: ultracluster's prolog does not set up IMEX",
                hint="put AWS's 91_nvidia_imex_prolog.sh on a file system of all nodes, beside it a script that runs "
                f"`{PROLOG}` and then that, name it in `settings: {{Prolog: ...}}`, and submit with --exclusive",
            )
            return
