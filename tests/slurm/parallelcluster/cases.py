"""Questions for ParallelCluster: all types with EFA, all purchase options, and mistakes from reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config.catalog import catalog
from tests.slurm.parallelcluster.package.queries import AccountState, Operation, Question
from tests.slurm.parallelcluster.package.records import instance_type_record

Json = dict[str, Any]

REGION, ZONE = "us-west-2", "us-west-2a"
HEAD, NODES = "subnet-0a1b2c3d4e5f60001", "subnet-0a1b2c3d4e5f60002"
IMAGES = {"x86_64": "ami-0a1b2c3d4e5f60001", "arm64": "ami-0a1b2c3d4e5f60002"}
HEAD_NODES = {"x86_64": "m5.xlarge", "arm64": "m7g.xlarge"}

TYPES = {name: row for name, row in catalog().instances.items() if row.is_gpu and row.max_efa}
CAPACITY_TYPES = {
    "on-demand": "ONDEMAND",
    "odcr": "ONDEMAND",
    "spot": "SPOT",
    "capacity-block": "CAPACITY_BLOCK",
}
RESERVED = ("odcr", "capacity-block")
WHOLE_ULTRASERVER = 18
QUEUES_MAX = 50
"""Maximum queues, and compute resources, of a cluster (pcluster/constants.py)."""


@dataclass(frozen=True, kw_only=True, order=True)
class Machines:
    """A compute resource: an instance type, its purchase option, and its layout in ultracluster."""

    instance_type: str
    capacity: str
    layout: str = "ip-saving"

    @property
    def queue(self) -> str:
        """Name of its queue, at most 25 letters, digits and hyphens."""
        return f"{self.instance_type.replace('.', '-').removesuffix('xlarge')}-{self.capacity[:2]}"

    @property
    def reservation_id(self) -> str:
        """The reservation of the resource, None if it has none."""
        number = sorted(TYPES).index(self.instance_type) * 10 + RESERVED.index(self.capacity)
        return f"cr-0a1b2c3d4e5f{number:05d}"

    def __str__(self) -> str:
        return f"{self.instance_type}-{self.capacity}-{self.layout}"


def sold() -> list[Machines]:
    """Return all types with all of their purchase options."""
    return [
        Machines(instance_type=name, capacity=capacity)
        for name, row in TYPES.items()
        for capacity in CAPACITY_TYPES
        if capacity in row.capacity_kinds | row.capacity_kinds_uncertain
    ]


def with_plain_efa() -> list[Machines]:
    """Return all types with a layout of `efa` interfaces, which have one IP address each."""
    return [
        Machines(instance_type=name, capacity="on-demand", layout="all-efa")
        for name, row in TYPES.items()
        if "all-efa" in row.layouts
    ]


def queue(machines: Machines, **resource: Any) -> Json:
    """Return a queue of these instances; `resource` changes keys of the resource, None removes a key."""
    count = WHOLE_ULTRASERVER if TYPES[machines.instance_type].ultraserver_only else 2
    keys: Json = {
        "Name": "nodes",
        "InstanceType": machines.instance_type,
        "MinCount": count,
        "MaxCount": count,
        "Efa": {"Enabled": True},
        # explicit, because ultracluster does not add placement groups
        "Networking": {"PlacementGroup": {"Enabled": False}},
        **resource,
    }
    found: Json = {
        "Name": machines.queue,
        "CapacityType": CAPACITY_TYPES[machines.capacity],
        "Networking": {"SubnetIds": [NODES]},
        "ComputeResources": [{key: value for key, value in keys.items() if value is not None}],
    }
    if machines.capacity in RESERVED:
        found["CapacityReservationTarget"] = {"CapacityReservationId": machines.reservation_id}
    return found


def question(
    name: str, queues: Sequence[Json], operations: Sequence[Operation], arch: str = "x86_64", **more: Any
) -> Question:
    """Return a cluster with these queues."""
    configuration = {
        "Region": REGION,
        "Image": {"Os": "ubuntu2204", "CustomAmi": IMAGES[arch]},
        "HeadNode": {"InstanceType": HEAD_NODES[arch], "Networking": {"SubnetId": HEAD}},
        "Scheduling": {"Scheduler": "slurm", "SlurmQueues": list(queues)},
        **more,
    }
    return Question(name=name, configuration=configuration, operations=operations)


def comparisons() -> dict[str, tuple[Question, Mapping[str, Machines]]]:
    """Return clusters with all instances, and the instances by launch template."""
    plain = {"DevSettings": {"EfaInterfaceType": "efa"}}
    found: dict[str, tuple[Question, Mapping[str, Machines]]] = {}
    for name, machines, more in (("sold", sold(), {}), ("plain", with_plain_efa(), plain)):
        for arch in HEAD_NODES:
            fitting = [one for one in machines if TYPES[one.instance_type].arch == arch]
            for number, part in enumerate(_parts(fitting)):
                key = f"{name}-{arch.replace('_', '-')}-{number}"
                queues = [queue(one) for one in part]
                found[key] = (
                    question(key, queues, ["validate", "synthesize"], arch, **more),
                    {f"{one.queue}/nodes": one for one in part},
                )
    return found


def _parts(machines: Sequence[Machines]) -> Iterator[Sequence[Machines]]:
    for start in range(0, len(machines), QUEUES_MAX):
        yield machines[start : start + QUEUES_MAX]


P5 = {kind: Machines(instance_type="p5.48xlarge", capacity=kind) for kind in CAPACITY_TYPES}
RESERVATION = {"CapacityReservationTarget": {"CapacityReservationId": P5["odcr"].reservation_id}}
GONE = {"CapacityReservationTarget": {"CapacityReservationId": "cr-0a1b2c3d4e5f60009"}}
"""Return a reservation that EC2 no longer describes."""
PLACED = {"PlacementGroup": {"Enabled": True}}
MISTAKES: Mapping[str, Question] = {
    one.name: one
    for one in (
        question("placed-block", [queue(P5["capacity-block"], Networking=PLACED)], ["validate"]),
        question("unsaid-block", [queue(P5["capacity-block"], Networking=None)], ["validate"]),
        question("unsaid-on-demand", [queue(P5["on-demand"], Networking=None)], ["validate"]),
        question("placed-on-demand", [queue(P5["on-demand"], Networking=PLACED)], ["validate", "synthesize"]),
        question("untyped", [queue(P5["on-demand"], InstanceType=None, **RESERVATION)], ["validate"]),
        question("untyped-gone", [queue(P5["on-demand"], InstanceType=None, **GONE)], ["validate"]),
        question("misspelt", [queue(P5["on-demand"], Efa={"Enable": True})], ["schema"]),
    )
}


def account_state() -> AccountState:
    """Return the account: all types, and a reservation for each type of reservation."""
    reserved = [one for one in sold() if one.capacity in RESERVED]
    return AccountState(
        region=REGION,
        zone=ZONE,
        subnets=[HEAD, NODES],
        images={image: arch for arch, image in IMAGES.items()},
        instance_types={name: instance_type_record(row) for name, row in catalog().instances.items()},
        capacity_reservations=[_reservation(one) for one in reserved],
        capacity_block_statuses=[
            {
                "CapacityBlockId": one.reservation_id.replace("cr-", "cb-"),
                "InterconnectStatus": "ok",
                "TotalCapacity": WHOLE_ULTRASERVER,
                "TotalAvailableCapacity": WHOLE_ULTRASERVER,
                "CapacityReservationStatuses": [
                    {
                        "CapacityReservationId": one.reservation_id,
                        "TotalCapacity": WHOLE_ULTRASERVER,
                        "TotalAvailableCapacity": WHOLE_ULTRASERVER,
                    }
                ],
            }
            for one in reserved
            if TYPES[one.instance_type].ultraserver_only
        ],
    )


def _reservation(machines: Machines) -> Json:
    name = machines.reservation_id
    return {
        "CapacityReservationId": name,
        "CapacityReservationArn": f"arn:aws:ec2:{REGION}:123456789012:capacity-reservation/{name}",
        "InstanceType": machines.instance_type,
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZone": ZONE,
        "TotalInstanceCount": WHOLE_ULTRASERVER,
        "AvailableInstanceCount": WHOLE_ULTRASERVER,
        "State": "active",
        "ReservationType": "capacity-block" if machines.capacity == "capacity-block" else "default",
    }
