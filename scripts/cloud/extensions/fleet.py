"""EC2 instances of EKS node groups and PCS compute node groups.

While the reservation in its launch template is active, a group has as many instances as its record requests.
If an instance is terminated manually, the group launches a new one, as an Auto Scaling group does. PCS is
assumed to do the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from moto.core.responses import ActionResult
from moto.ec2.models import ec2_backends
from moto.ec2.responses import EC2Response

from config.catalog import catalog
from config.catalog.durations import duration_s

from . import calendar, existence
from .capacity.reservations import block_of, reservation_of
from .kubernetes.eks_nodegroups import scale_in
from .kubernetes.eks_records import EksRecords
from .patch import adds
from .records import Record, short_id, table

LAUNCHED_AFTER = timedelta(seconds=duration_s("AWS::EKS::Nodegroup", "create"))
"""Time until the first nodes of an EKS node group are available."""

_list: Callable[..., Any] = EC2Response.describe_instances
_terminate: Callable[..., Any] = EC2Response.terminate_instances


@dataclass(frozen=True, kw_only=True)
class Owner:
    """A node group with its current desired size and the launch settings of its instances."""

    key: str
    count: int
    instance_type: str
    subnet: str
    reservation: str | None
    tags: Mapping[str, str] = field(hash=False)


@dataclass
class Machine:
    """One instance; `fault` is the reason why its EC2 status checks fail."""

    instance_id: str
    number: int
    launched: datetime
    ready: datetime
    reservation: str | None
    fault: str = ""

    @property
    def state(self) -> str:
        """The state as EC2 names it."""
        return "running" if self.ready <= calendar.now() else "pending"


def owners(account: str, region: str) -> Iterator[Owner]:
    """Yield all groups of both services."""
    for group in EksRecords.records(account, region, "nodegroups").values():
        scale_in(account, region, group)
        yield _of_eks(account, region, group)
    from .slurm.pcs import PcsService

    for group in PcsService.records(account, region, "groups").values():
        yield _of_pcs(account, region, group)


def _of_eks(account: str, region: str, group: Record) -> Owner:
    data = existence.launch_template_data(account, region, group.get("launchTemplate") or {}) or {}
    types = group.get("instanceTypes") or [data.get("InstanceType", "")]
    name = group["nodegroupName"]
    return Owner(
        key=group["nodegroupArn"],
        count=group["scalingConfig"]["desiredSize"],
        instance_type=types[0],
        subnet=group["subnets"][0],
        reservation=reservation_of(data),
        tags={
            **tags_of(data),
            "eks:cluster-name": group["clusterName"],
            "eks:nodegroup-name": name,
            "aws:autoscaling:groupName": group["resources"]["autoScalingGroups"][0]["name"],
        },
    )


def _of_pcs(account: str, region: str, group: Record) -> Owner:
    data = existence.launch_template_data(account, region, group["customLaunchTemplate"]) or {}
    return Owner(
        key=group["id"],
        count=group["scalingConfiguration"]["minInstanceCount"],
        instance_type=group["instanceConfigs"][0]["instanceType"],
        subnet=group["subnetIds"][0],
        reservation=reservation_of(data),
        # https://docs.aws.amazon.com/pcs/latest/userguide/working-with_compute-instances.html
        tags={
            **tags_of(data),
            "aws:pcs:cluster-id": group["clusterId"],
            "aws:pcs:compute-node-group-id": group["id"],
        },
    )


def tags_of(data: Mapping[str, Any]) -> dict[str, str]:
    """Return the tags that a launch template sets on its instances."""
    return {
        tag["Key"]: tag["Value"]
        for specification in data.get("TagSpecifications") or ()
        if specification["ResourceType"] == "instance"
        for tag in specification["Tags"]
    }


def machines(account: str, region: str) -> Iterator[tuple[Owner, Machine]]:
    """Yield the current instances with their groups."""
    fleets = _fleets(account, region)
    there = {owner.key: owner for owner in owners(account, region)}
    for deleted in fleets.keys() - there.keys():
        del fleets[deleted]
    for owner in there.values():
        fleet = fleets.setdefault(owner.key, [])
        _follow(account, region, owner, fleet)
        yield from ((owner, machine) for machine in fleet)


def _fleets(account: str, region: str) -> dict[str, list[Machine]]:
    found: dict[str, Any] = table(ec2_backends[account][region], "fleets")
    return found


def _follow(account: str, region: str, owner: Owner, fleet: list[Machine]) -> None:
    fleet[:] = [m for m in fleet if runs(account, region, m.reservation)][: owner.count]
    if runs(account, region, owner.reservation):
        while len(fleet) < owner.count:
            fleet.append(_launch(account, region, owner))


def _launch(account: str, region: str, owner: Owner) -> Machine:
    """Launch an instance. A replacement of a terminated instance is ready later, other instances at once."""
    numbers = table(ec2_backends[account][region], "fleet_numbers")
    number = numbers.setdefault(owner.key, {"launched": 0, "ended": 0})
    number["launched"] += 1
    again = number["ended"] > 0
    number["ended"] -= again
    instance_id = f"i-{short_id(owner.key, str(number['launched']), length=17)}"
    now = calendar.now()
    ready = now + LAUNCHED_AFTER if again else now
    return Machine(instance_id, number["launched"], now, ready, owner.reservation)


def runs(account: str, region: str, reservation_id: str | None) -> bool:
    """Return whether a reservation's instances run; True unless it is a Capacity Block of this cloud."""
    block = block_of(account, region, reservation_id)
    if block is None:
        return True
    terminated_before_end = timedelta(
        minutes=catalog().reservations.capacity_block.terminated_minutes_before_end
    )
    begun: bool = block["StartDate"] <= calendar.now()
    return begun and calendar.now() < block["EndDate"] - terminated_before_end


def fail_machine(account: str, region: str, instance_id: str, fault: str) -> bool:
    """Let the EC2 status checks of an instance fail; returns False if no instance has that id."""
    for _, machine in machines(account, region):
        if machine.instance_id == instance_id:
            machine.fault = fault
            return True
    return False


def _shown(owner: Owner, machine: Machine) -> Record:
    number = int(machine.instance_id.removeprefix("i-"), 16)
    return {
        "InstanceId": machine.instance_id,
        "InstanceType": owner.instance_type,
        "SubnetId": owner.subnet,
        "PrivateDnsName": f"ip-10-0-{number >> 8 & 255}-{number & 255}.ec2.internal",
        "LaunchTime": machine.launched,
        "State": {"Code": 16 if machine.state == "running" else 0, "Name": machine.state},
        "Tags": [{"Key": key, "Value": value} for key, value in owner.tags.items()],
        **({"CapacityReservationId": machine.reservation} if machine.reservation else {}),
    }


def _matches(shown: Record, filters: Mapping[str, list[str]]) -> bool:
    """Return whether an instance matches the filters; an unsupported filter matches no instance."""
    attributes = {
        "instance-id": shown["InstanceId"],
        "instance-type": shown["InstanceType"],
        "instance-state-name": shown["State"]["Name"],
        "subnet-id": shown["SubnetId"],
        "capacity-reservation-id": shown.get("CapacityReservationId", ""),
        **{f"tag:{tag['Key']}": tag["Value"] for tag in shown["Tags"]},
    }
    return all(attributes.get(name) in wanted for name, wanted in filters.items())


@adds(EC2Response, "describe_instances")
def _describe(self: EC2Response) -> Any:
    """Return the instances of node groups in addition to moto's instances."""
    ids = self._get_param("InstanceIds", [])
    ours = [_shown(*pair) for pair in machines(self.current_account, self.region)]
    known = {shown["InstanceId"] for shown in ours}
    filters: Any = self._filters_from_querystring()
    wanted = [shown for shown in ours if (not ids or shown["InstanceId"] in ids) and _matches(shown, filters)]
    if ids and set(ids) <= known:
        listed: list[Any] = []
    else:
        found = _list(self).result
        listed = [*found["Reservations"]]
    one = {"ReservationId": "r-0fleet", "OwnerId": self.current_account, "Instances": wanted}
    return ActionResult({"Reservations": [*listed, *([one] if wanted else [])]})


@adds(EC2Response, "terminate_instances")
def _end(self: EC2Response) -> Any:
    """Terminate instances; their group launches new instances."""
    ids = self._get_param("InstanceIds", [])
    ours = {m.instance_id: owner for owner, m in machines(self.current_account, self.region)}
    if not set(ids) <= ours.keys():
        return _terminate(self)
    fleets = _fleets(self.current_account, self.region)
    for instance_id in ids:
        key = ours[instance_id].key
        table(self.ec2_backend, "fleet_numbers")[key]["ended"] += 1
        fleet = fleets[key]
        fleet[:] = [machine for machine in fleet if machine.instance_id != instance_id]
    states = {
        "CurrentState": {"Code": 32, "Name": "shutting-down"},
        "PreviousState": {"Code": 16, "Name": "running"},
    }
    return ActionResult({"TerminatingInstances": [{"InstanceId": one, **states} for one in ids]})
