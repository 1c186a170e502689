"""Launch templates of node groups: maps the group plan to props."""

from __future__ import annotations

from config.design.capacity.groups import GroupPlan
from config.profile.capacity.groups import ExistingPlacementGroup, NewPlacementGroup
from config.profile.model import Profile
from stacks.common import tags_of
from ultracluster.capacity import EfaNodeGroupProps, NodeInterface

METADATA_HOPS = {"eks": 2, "pcs": 4}
"""Hop limit of metadata responses: pods need 2, PCS requires 4
(https://docs.aws.amazon.com/pcs/latest/userguide/working-with_launch-templates_parameters.html)."""


def node_group_props(
    profile: Profile,
    group: GroupPlan,
    *,
    security_group_ids: tuple[str, ...],
    root_device: str = "/dev/xvda",
    primary_security_group_ids: tuple[str, ...] = (),
    user_data: str | None = None,
) -> EfaNodeGroupProps:
    """Return the launch template props of an EKS or PCS group; rule EFA006 checked its interface layout."""
    orchestrator, placement = profile.orchestrator, group.placement_group
    assert orchestrator is not None  # rule PRO022
    assert group.layout is not None
    one_thread = group.threads_per_core == 1 and group.instance_type.threads_per_core > 1
    return EfaNodeGroupProps(
        name=f"{profile.name}-{group.name}",
        interfaces=[
            NodeInterface(
                network_card_index=interface.network_card_index,
                device_index=interface.device_index,
                interface_type=interface.interface_type.value,
            )
            for interface in group.layout.interfaces
        ],
        security_group_ids=security_group_ids,
        root_volume_gib=group.root_volume_gib,
        root_device_name=root_device,
        # PCS reads the type from the node group, but a Capacity Block needs the type in the template too
        instance_type=group.instance_type.name
        if orchestrator.kind == "eks" or group.purchase.block
        else None,
        cores=group.instance_type.cores if one_thread else None,
        threads_per_core=1 if one_thread else None,
        metadata_hop_limit=METADATA_HOPS[orchestrator.kind],
        primary_security_group_ids=primary_security_group_ids,
        user_data=user_data,
        tags=tags_of(profile),
        market=group.purchase.market or "on-demand",
        capacity_reservation_id=group.capacity.reservation_id,
        capacity_reservation_group_arn=group.capacity.resource_group_arn,
        open_reservations=group.purchase.open,
        cluster_placement_group=isinstance(placement, NewPlacementGroup),
        placement_group_name=placement.name if isinstance(placement, ExistingPlacementGroup) else None,
    )
