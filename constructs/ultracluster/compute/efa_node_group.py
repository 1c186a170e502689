"""The launch template of a group of machines with EFA."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

InterfaceType = Literal["interface", "efa", "efa-only"]
Market = Literal["on-demand", "spot", "capacity-block"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeInterface:
    """One network interface that a machine is launched with.

    Attributes:
        network_card_index: The card. Card 0 carries the primary interface.
        device_index: The interface's place on its card: 0 or 1, never counted up with the cards (EC2-03).
        interface_type: `interface` (ENA, an IP address), `efa` (both) or `efa-only` (no IP address; never primary).
    """

    network_card_index: int
    device_index: int
    interface_type: InterfaceType


@dataclass(frozen=True, slots=True, kw_only=True)
class EfaNodeGroupProps:
    """How the machines of one group are launched.

    Attributes:
        name: Name tag of the template and of what it launches.
        interfaces: The family's layout, the primary interface (card 0, device 0) included.
        security_group_ids: Groups of every interface. Never rendered beside the interfaces, where EC2 refuses them.
        cluster_placement_group: Whether to create a cluster placement group and launch into it. Refused for a
            Capacity Block, which has its own placement (EC2-05, EC2-06).
        root_volume_gib: Size of the root volume.
        market: How the capacity is bought. `on-demand` by default.
        capacity_reservation_id: The reservation (`cr-...`) to launch into; required for a Capacity Block. None:
            any open reservation that matches, as EC2 does by itself.
        instance_type: The EC2 type. None: left to the orchestrator, where it must not be given twice (EKS-10).
        image_id: The AMI. None: left to the orchestrator.
        root_device_name: Device name of the AMI's root volume. `/dev/xvda` by default (Amazon Linux); Ubuntu
            has `/dev/sda1`.
        volume_key_arn: KMS key of the root volume, which is encrypted in any case. None: the account's EBS key.
        cores: Cores to run, required with `threads_per_core`.
        threads_per_core: 1 turns simultaneous multithreading off. None: the type's default; leave it so on
            types without it (Grace).
        metadata_hop_limit: Hops a metadata answer may travel. 2 by default, so that containers reach it (OBS-19).
        user_data: Plain text, encoded on deployment. None: no user data.
        tags: Tags of the template, and of the instances, volumes and interfaces it launches.
    """

    name: str
    interfaces: Sequence[NodeInterface]
    security_group_ids: Sequence[str]
    cluster_placement_group: bool
    root_volume_gib: int
    market: Market = "on-demand"
    capacity_reservation_id: str | None = None
    instance_type: str | None = None
    image_id: str | None = None
    root_device_name: str = "/dev/xvda"
    volume_key_arn: str | None = None
    cores: int | None = None
    threads_per_core: int | None = None
    metadata_hop_limit: int = 2
    user_data: str | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


# class EfaNodeGroup(Construct): launch_template_id: str; launch_template_version: str; placement_group_name: str|None
