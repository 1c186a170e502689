"""The launch template of a group of machines with EFA."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, attribute, tag_list

InterfaceType = Literal["interface", "efa", "efa-only"]
Market = Literal["on-demand", "spot", "capacity-block"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeInterface:
    """One network interface that a machine is launched with.

    Attributes:
        network_card_index: The card. Card 0 carries the primary interface.
        device_index: The interface's place on its card: 0 or 1, never counted up with the cards (EC2-03).
        interface_type: `interface` (ENA, an IP address), `efa` (both) or `efa-only` (no IP address; never
            primary).
    """

    network_card_index: int
    device_index: int
    interface_type: InterfaceType


@dataclass(frozen=True, slots=True, kw_only=True)
class EfaNodeGroupProps(Tagged):
    """How the machines of one group are launched.

    Attributes:
        name: Name tag of the template and of what it launches.
        interfaces: The family's layout, the primary interface (card 0, device 0) included.
        security_group_ids: Groups of every interface. Never rendered beside the interfaces, where EC2
            refuses them.
        primary_security_group_ids: Further groups of the primary interface alone, which carries all but EFA:
            EKS's own group of a cluster. None by default.
        cluster_placement_group: Whether to create a cluster placement group and launch into it. Refused for a
            Capacity Block, which has its own placement (EC2-05, EC2-06), and beside a reservation, which was
            made outside of it (EC2-04).
        placement_group_name: A cluster placement group that exists, to launch into. None: no such one.
        root_volume_gib: Size of the root volume.
        market: How the capacity is bought. `on-demand` by default.
        capacity_reservation_id: The reservation (`cr-...`) to launch into; required for a Capacity Block.
            None: any open reservation that matches, as EC2 does by itself.
        capacity_reservation_group_arn: A resource group of reservations, in the place of one reservation.
        open_reservations: Whether to say that any open reservation that fits is used first. EC2 does so by
            itself; the template then shows that it is meant.
        instance_type: The EC2 type. None: left to the orchestrator, where it must not be given twice
            (EKS-10).
        image_id: The AMI. None: left to the orchestrator.
        root_device_name: Device name of the AMI's root volume. `/dev/xvda` by default (Amazon Linux); Ubuntu
            has `/dev/sda1`.
        volume_key_arn: KMS key of the root volume, which is encrypted in any case. None: the account's EBS
            key.
        cores: Cores to run, required with `threads_per_core`.
        threads_per_core: 1 turns simultaneous multithreading off. None: the type's default; leave it so on
            types without it (Grace).
        metadata_hop_limit: Hops a metadata answer may travel. 2 by default, so that containers reach it
            (OBS-19).
        user_data: Plain text, encoded on deployment. None: no user data.
    """

    name: str
    interfaces: Sequence[NodeInterface]
    security_group_ids: Sequence[str]
    cluster_placement_group: bool
    root_volume_gib: int
    market: Market = "on-demand"
    placement_group_name: str | None = None
    capacity_reservation_id: str | None = None
    capacity_reservation_group_arn: str | None = None
    open_reservations: bool = False
    instance_type: str | None = None
    image_id: str | None = None
    root_device_name: str = "/dev/xvda"
    volume_key_arn: str | None = None
    cores: int | None = None
    threads_per_core: int | None = None
    metadata_hop_limit: int = 2
    user_data: str | None = None
    primary_security_group_ids: Sequence[str] = ()


class EfaNodeGroup(Construct):
    """A launch template, and where asked a cluster placement group, for one group of machines.

    The template names no subnet and no public address: the orchestrator chooses the subnet, and EC2 refuses a
    public address with several interfaces (EC2-08, EKS-17).

    Attributes:
        launch_template_id: The template.
        launch_template_version: Its latest version's number, so that a change reaches the orchestrator.
        placement_group_name: The placement group, or None.
    """

    def __init__(self, scope: Construct, construct_id: str, props: EfaNodeGroupProps) -> None:
        """Create the group; raises ValueError for props that EC2 would refuse."""
        super().__init__(scope, construct_id)
        _check_interfaces(props)
        _check_capacity(props)
        self.placement_group_name = props.placement_group_name
        if props.cluster_placement_group:
            self.placement_group_name = add_resource(
                self,
                "PlacementGroup",
                "AWS::EC2::PlacementGroup",
                {"Strategy": "cluster", "Tags": tag_list(props.tags, props.name)},
            ).ref
        tags = tag_list(props.tags, props.name)
        template = add_resource(
            self,
            "Resource",
            "AWS::EC2::LaunchTemplate",
            {
                "LaunchTemplateData": _launch_template_data(props, self.placement_group_name),
                "TagSpecifications": [{"ResourceType": "launch-template", "Tags": tags}],
            },
        )
        self.launch_template_id = template.ref
        self.launch_template_version = attribute(template, "LatestVersionNumber")


def _launch_template_data(props: EfaNodeGroupProps, placement_group_name: str | None) -> dict[str, Any]:
    return {
        "InstanceType": props.instance_type,
        "ImageId": props.image_id,
        "NetworkInterfaces": [
            _network_interface(interface, _groups_of(interface, props))
            for interface in _in_order(props.interfaces)
        ],
        "BlockDeviceMappings": [_root_volume(props)],
        "MetadataOptions": {
            "HttpEndpoint": "enabled",
            "HttpTokens": "required",
            "HttpPutResponseHopLimit": props.metadata_hop_limit,
        },
        "CpuOptions": _cpu_options(props),
        "Placement": None if placement_group_name is None else {"GroupName": placement_group_name},
        "UserData": None if props.user_data is None else {"Fn::Base64": props.user_data},
        "TagSpecifications": [
            {"ResourceType": resource_type, "Tags": tag_list(props.tags, props.name)}
            for resource_type in ("instance", "network-interface", "volume")
        ],
        **_capacity(props),
    }


def _network_interface(interface: NodeInterface, security_group_ids: Sequence[str]) -> dict[str, Any]:
    return {
        "NetworkCardIndex": interface.network_card_index,
        "DeviceIndex": interface.device_index,
        "InterfaceType": interface.interface_type,
        "Groups": list(security_group_ids),
        "DeleteOnTermination": True,
    }


def _groups_of(interface: NodeInterface, props: EfaNodeGroupProps) -> list[str]:
    primary = props.primary_security_group_ids if _is_primary(interface) else ()
    return [*props.security_group_ids, *primary]


def _root_volume(props: EfaNodeGroupProps) -> dict[str, Any]:
    volume = {
        "VolumeType": "gp3",
        "VolumeSize": props.root_volume_gib,
        "Encrypted": True,
        "DeleteOnTermination": True,
        "KmsKeyId": props.volume_key_arn,
    }
    return {"DeviceName": props.root_device_name, "Ebs": volume}


def _cpu_options(props: EfaNodeGroupProps) -> dict[str, int] | None:
    if props.cores is None or props.threads_per_core is None:
        return None
    return {"CoreCount": props.cores, "ThreadsPerCore": props.threads_per_core}


def _capacity(props: EfaNodeGroupProps) -> dict[str, Any]:
    """Market and reservation; nothing at all where none is asked for, never an empty target (EKS-05)."""
    capacity: dict[str, Any] = {}
    if props.market != "on-demand":
        capacity["InstanceMarketOptions"] = {"MarketType": props.market}
    if _reservation(props):
        target = {
            "CapacityReservationId": props.capacity_reservation_id,
            "CapacityReservationResourceGroupArn": props.capacity_reservation_group_arn,
        }
        capacity["CapacityReservationSpecification"] = {"CapacityReservationTarget": target}
    elif props.open_reservations:
        capacity["CapacityReservationSpecification"] = {"CapacityReservationPreference": "open"}
    return capacity


def _in_order(interfaces: Sequence[NodeInterface]) -> list[NodeInterface]:
    return sorted(interfaces, key=lambda interface: (interface.network_card_index, interface.device_index))


def _check_interfaces(props: EfaNodeGroupProps) -> None:
    places = [(interface.network_card_index, interface.device_index) for interface in props.interfaces]
    if len(set(places)) != len(places):
        raise ValueError(
            f"interfaces of {props.name!r} share a card and device in {sorted(places)}: give each its own"
        )
    primary = [interface for interface in props.interfaces if _is_primary(interface)]
    if not primary:
        raise ValueError(f"interfaces of {props.name!r} lack card 0 device 0: add the primary interface")
    if primary[0].interface_type == "efa-only":
        raise ValueError(
            f"the primary interface of {props.name!r} is 'efa-only', which has no IP address: "
            "use 'interface' or 'efa' for card 0 device 0"
        )


def _is_primary(interface: NodeInterface) -> bool:
    return interface.network_card_index == 0 and interface.device_index == 0


def _check_capacity(props: EfaNodeGroupProps) -> None:
    faults = [*_placement_faults(props), *_reservation_faults(props)]
    if (props.cores is None) != (props.threads_per_core is None):
        faults.append(
            f"cores {props.cores} and threads_per_core {props.threads_per_core}: give both or neither"
        )
    if faults:
        raise ValueError("; ".join(f"{props.name!r} asks for {fault}" for fault in faults))


def _placement_faults(props: EfaNodeGroupProps) -> Iterator[str]:
    existing, reservation = props.placement_group_name is not None, _reservation(props)
    if props.cluster_placement_group and existing:
        yield "a new and an existing placement group: give one"
    if props.market == "capacity-block" and (props.cluster_placement_group or existing):
        yield "a placement group in a Capacity Block, which rejects one: leave it out"
    elif props.cluster_placement_group and reservation is not None:
        yield f"a new placement group beside {reservation!r}, which was reserved outside of it: leave it out"


def _reservation_faults(props: EfaNodeGroupProps) -> Iterator[str]:
    reservation = _reservation(props)
    both = props.capacity_reservation_id is not None and props.capacity_reservation_group_arn is not None
    if both or (props.open_reservations and reservation is not None):
        yield "more than one of a reservation, a group of them and open ones: give one"
    if props.market == "capacity-block" and props.capacity_reservation_id is None:
        yield "a Capacity Block without capacity_reservation_id: give the block's, 'cr-...'"
    if props.market == "spot" and (reservation is not None or props.open_reservations):
        named = f"reservation {reservation!r}" if reservation else "open reservations"
        yield f"spot machines in {named}: use market 'on-demand' or leave the reservation out"


def _reservation(props: EfaNodeGroupProps) -> str | None:
    return props.capacity_reservation_id or props.capacity_reservation_group_arn
