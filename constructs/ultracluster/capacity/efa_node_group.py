"""EC2 launch template of a node group with EFA."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, attribute, tag_list

InterfaceType = Literal["interface", "efa", "efa-only"]
Market = Literal["on-demand", "spot", "capacity-block"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeInterface:
    """A network interface in a launch template.

    Attributes:
        network_card_index: Index of the network card. The primary interface is on card 0.
        device_index: Index of the interface on its card: 0 or 1. It does not increase with the card index
            (EC2-03).
        interface_type: `interface` (ENA with an IP address), `efa` (EFA and ENA with an IP address) or
            `efa-only` (EFA without an IP address, not allowed for the primary interface).
    """

    network_card_index: int
    device_index: int
    interface_type: InterfaceType


@dataclass(frozen=True, slots=True, kw_only=True)
class EfaNodeGroupProps(Tagged):
    """Properties of a node group's launch template.

    Attributes:
        name: Name tag of the template and of its instances, interfaces and volumes.
        interfaces: All interfaces of an instance, including the primary one (card 0, device 0).
        security_group_ids: Security groups of every interface. They are not set at the top level of the
            template, because EC2 rejects that together with interfaces.
        primary_security_group_ids: Additional security groups of the primary interface, such as the EKS
            cluster security group. None by default.
        cluster_placement_group: Whether to create a cluster placement group for the instances. Not allowed
            with a Capacity Block (EC2-05, EC2-06), or with a reservation, because the reservation was created
            outside the placement group (EC2-04).
        placement_group_name: An existing cluster placement group. None: no placement group.
        root_volume_gib: Size of the root volume.
        market: Purchase option. `on-demand` by default.
        capacity_reservation_id: The reservation (`cr-...`); required for a Capacity Block. None: EC2 uses
            any open reservation that matches.
        capacity_reservation_group_arn: A resource group of reservations, instead of one reservation.
        open_reservations: Whether the template explicitly requests that EC2 uses open reservations first. EC2
            also does this by default.
        instance_type: EC2 instance type. None: the control plane sets the type, and rejects a type in the
            template (EKS-10).
        image_id: AMI id. None: the control plane sets it.
        root_device_name: Device name of the AMI's root volume. `/dev/xvda` by default (Amazon Linux); Ubuntu
            uses `/dev/sda1`.
        volume_key_arn: KMS key of the root volume, which is always encrypted. None: the account's default
            EBS key.
        cores: Number of CPU cores, required with `threads_per_core`.
        threads_per_core: 1 disables simultaneous multithreading. None: the default of the instance type.
            Types without multithreading (Grace) require None.
        metadata_hop_limit: Hop limit of instance metadata responses. 2 by default, so that containers can
            read instance metadata (OBS-19).
        user_data: User data as plain text, which the template encodes. None: no user data.
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
    """A launch template and, optionally, a cluster placement group for a node group.

    The template does not set a subnet or a public address. The control plane selects the subnet, and EC2
    rejects a public address with several interfaces (EC2-08, EKS-17).

    Attributes:
        launch_template_id: Id of the launch template.
        launch_template_version: Number of its latest version, so that the control plane applies each change.
        placement_group_name: Name of the placement group, or None.
    """

    def __init__(self, scope: Construct, construct_id: str, props: EfaNodeGroupProps) -> None:
        """Create the launch template; raises ValueError for properties that EC2 rejects."""
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
    """Return market and reservation; if there is no reservation, the target is omitted (EKS-05)."""
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
            f"interfaces of {props.name!r} share a card and device in {sorted(places)}: set different indexes"
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
            f"cores {props.cores} and threads_per_core {props.threads_per_core}: set both or neither"
        )
    if faults:
        raise ValueError("; ".join(f"{props.name!r} has {fault}" for fault in faults))


def _placement_faults(props: EfaNodeGroupProps) -> Iterator[str]:
    existing, reservation = props.placement_group_name is not None, _reservation(props)
    if props.cluster_placement_group and existing:
        yield "a new and an existing placement group: set only one"
    if props.market == "capacity-block" and (props.cluster_placement_group or existing):
        yield "a placement group with a Capacity Block, which does not support it: remove the group"
    elif props.cluster_placement_group and reservation is not None:
        yield (
            f"a new placement group with {reservation!r}, which was reserved outside it: remove the "
            "placement group"
        )


def _reservation_faults(props: EfaNodeGroupProps) -> Iterator[str]:
    reservation = _reservation(props)
    both = props.capacity_reservation_id is not None and props.capacity_reservation_group_arn is not None
    if both or (props.open_reservations and reservation is not None):
        yield "more than one of a reservation, a resource group and open reservations: set only one"
    if props.market == "capacity-block" and props.capacity_reservation_id is None:
        yield "a Capacity Block without capacity_reservation_id: set it to the id 'cr-...'"
    if props.market == "spot" and (reservation is not None or props.open_reservations):
        named = f"reservation {reservation!r}" if reservation else "open reservations"
        yield f"Spot Instances in {named}: use market 'on-demand' or remove the reservation"


def _reservation(props: EfaNodeGroupProps) -> str | None:
    return props.capacity_reservation_id or props.capacity_reservation_group_arn
