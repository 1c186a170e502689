"""Rules for EFA interfaces in launch templates."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import InstanceType
from config.design.model import Design
from config.design.network.interfaces import layout_of, wants_plain_efa
from config.profile.capacity.groups import Group
from config.rules.parts import partitions
from config.rules.registry import ERROR, WARNING, Finding, rule

_LAYOUTS = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html"
_EFA = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html"
_PCS = "https://docs.aws.amazon.com/pcs/latest/userguide/working-with_networking_efa_create-lt.html"
_OLD_EFA = ("p4d.", "p4de.")


@rule(
    "EFA006", ERROR, "the instance type has the interface layout",
    why="The interface types that a network card allows depend on the instance family, and EC2 rejects a launch with any other "
    "layout. Examples of rejected layouts are EFA on card 0 of p6-b300, plain interfaces on the odd cards of GB200, and device "
    "indexes that increase (EC2-03, EKS-01, EKS-02, SLURM-01, SLURM-02).",
    source=_LAYOUTS, reads="compute orchestrator",
)  # fmt: skip
def layout_exists(design: Design) -> Iterator[Finding]:
    """Check `efa.layout` against the layouts in the catalogue."""
    plane = design.control_plane
    if plane is None or not plane.launch_template:
        return
    for at, group, plan in design.planned_groups:
        orchestrator = design.profile.orchestrator
        if layout_of(group, plan.instance_type, orchestrator) is not None:
            continue
        wanted = group.efa.layout if group.efa else "ip-saving"
        here = (*at, "efa", "layout") if group.efa else at
        if not plan.instance_type.max_efa:
            yield Finding(
                at=here,
                message=f"{group.instance_type} does not support EFA, so it has no layout {wanted}",
                hint="remove `efa`, or set `efa: {layout: none}`",
            )
        elif wants_plain_efa(orchestrator) and wanted in plan.instance_type.layouts:
            yield Finding(
                at=here,
                message=f"{group.instance_type} has no layout of `efa` interfaces: {_why_not(plan.instance_type, 'all-efa')}",
                hint="set `orchestrator: {efa_interface: efa-only}`",
            )
        else:
            others = sorted(set(plan.instance_type.layouts) & {"ip-saving", "max-ena"})
            yield Finding(
                at=here,
                message=f"{group.instance_type} has no layout {wanted}: {_why_not(plan.instance_type, wanted)}",
                hint=f"set `layout` to {' or '.join(others)}",
            )


def _why_not(instance: InstanceType, layout: str) -> str:
    return instance.layouts_absent.get(layout, "AWS does not publish this layout")


@rule(
    "EFA007", ERROR, "`layout: ip-saving` on PCS uses interfaces without an IP address",
    why="An `efa` interface uses an IP address of the subnet, for example 32 addresses per node on P5. An `efa-only` interface "
    "does not use an IP address. PCS examples show only `efa`, so the profile must set `efa_interface`.",
    source=_PCS, reads="compute orchestrator", where="pcs",
)  # fmt: skip
def ip_saving_uses_efa_only_interfaces(design: Design) -> Iterator[Finding]:
    """Report `layout: ip-saving` together with `efa_interface: efa`."""
    if not wants_plain_efa(design.profile.orchestrator):
        return
    for at, group, plan in design.planned_groups:
        if group.efa and group.efa.layout == "ip-saving" and plan.layout and plan.layout.addresses > 1:
            yield Finding(
                at=(*at, "efa", "layout"),
                message=f"`layout: ip-saving` has no effect: with `efa` interfaces, a {group.instance_type} uses "
                f"{plan.layout.addresses} addresses, not 1",
                hint="set `orchestrator: {efa_interface: efa-only}`, or remove `layout: ip-saving`",
            )


@rule(
    "EFA008", WARNING, "GPU nodes use EFA if their type supports it",
    why="Without EFA, traffic between nodes uses TCP at a fraction of the speed, and no error is reported.",
    source=_EFA, reads="compute orchestrator",
)  # fmt: skip
def gpu_nodes_use_efa(design: Design) -> Iterator[Finding]:
    """Report `layout: none` in groups of several nodes whose instance type has EFA."""
    for at, group, plan in design.planned_groups:
        instance = plan.instance_type
        if not (instance.is_gpu and instance.max_efa and plan.layout and group.count > 1):
            continue
        if plan.efa_per_node == 0:
            yield Finding(
                at=(*at, "efa", "layout"),
                message=f"the {group.count} nodes of group {group.name} do not use EFA, although {group.instance_type} has "
                f"{instance.efa_gbps:g} Gbps of EFA",
                hint="set `efa: {layout: ip-saving}`",
            )


@rule(
    "EFA009", WARNING, "the nodes of a partition can exchange EFA traffic",
    why="P4d and P4de instances exchange EFA traffic only with instances of the same type. A job on two types uses TCP, or hangs.",
    source=_EFA, reads="compute orchestrator",
)  # fmt: skip
def partitions_can_exchange_efa_traffic(design: Design) -> Iterator[Finding]:
    """Check the instance types of the groups that share a partition."""
    if not any(_is_old(group) for _, group in design.placed_groups):
        return
    for name, members in partitions(design).items():
        fabric = [(at, group) for at, group, plan in members if plan.efa_per_node]
        for at, group in fabric[1:]:
            first = fabric[0][1]
            if first.instance_type != group.instance_type and (_is_old(first) or _is_old(group)):
                yield Finding(
                    at=(*at, "partition"),
                    message=f"partition {name} has {first.instance_type} and {group.instance_type}, which cannot exchange EFA traffic",
                    hint="set another `partition` for one of the groups",
                )


def _is_old(group: Group) -> bool:
    return group.instance_type.startswith(_OLD_EFA)
