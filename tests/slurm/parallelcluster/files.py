"""Complete ParallelCluster configurations for the real package, and mistakes planted in them."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from config.catalog import catalog
from config.cluster import Cluster, load_cluster
from config.design.report.parallelcluster import KnownIds, Written, configuration
from config.profile.source.reference import built_in_names
from config.rules.codes import OF_PARALLELCLUSTER
from tests.slurm.parallelcluster.package.queries import AccountState, Question
from tests.slurm.parallelcluster.package.records import instance_type_record

Json = dict[str, Any]

BLOCK, RESERVATION = "cr-0a1b2c3d4e5f60001", "cr-0a1b2c3d4e5f60002"
IMAGE = "ami-0a1b2c3d4e5f60001"
BUCKET, PLACEMENT = "pcluster-datasets", "racks"
_ARN = "arn:aws:ec2:us-west-2:123456789012"
_SUBNETS = ("subnet-0a1b2c3d4e5f60001", "subnet-0a1b2c3d4e5f60002")
_HEAD = [
    {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
    {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 2},
]
_TRAIN = {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 2}
_EXISTING = {
    "kind": "existing",
    "vpc_id": "vpc-0a1b2c3d4e5f60001",
    "vpc_cidr": "10.0.0.0/16",
    "subnets": [{"id": _SUBNETS[0], "cidr": "10.0.0.0/17", "availability_zone_id": "usw2-az2"}],
}
_LINK = {"path": "/datasets", "bucket": BUCKET, "import": ["new", "deleted"], "export": ["changed"]}


def _pcs(*groups: Json, **more: Any) -> Json:
    return {
        "orchestrator": {"kind": "pcs"},
        "network": _EXISTING,
        "storage": {"lustre": None},
        "observability": None,
        "compute": {"groups": [{**_TRAIN, **group} for group in groups]},
        **more,
    }


def _lustre(**more: Any) -> Json:
    keys = {"efa": False, "data_repositories": []}
    return {"storage": {"lustre": {**keys, **more}}, "network": _EXISTING}


PROFILES: Mapping[str, Json] = {
    "block": _pcs({"capacity": {"kind": "capacity-block", "reservation_id": BLOCK}}),
    "reserved-in-a-placement-group": _pcs(
        {
            "capacity": {"kind": "odcr", "reservation_id": RESERVATION, "placement_group": PLACEMENT},
            "placement_group": {"kind": "existing", "name": PLACEMENT},
        }
    ),
    "open-reservation": _pcs({"capacity": {"kind": "odcr", "match": "open"}}),
    "spot": _pcs({"capacity": {"kind": "spot"}, "efa": {"layout": "none"}}),
    "placed": _pcs({"placement_group": {"kind": "new"}}),
    "placed-by-name": _pcs({"placement_group": {"kind": "existing", "name": PLACEMENT}}),
    "two-groups-of-a-partition": _pcs({"partition": "gpu"}, {"name": "more", "partition": "gpu"}),
    "login-nodes-of-pcs": _pcs({}, _HEAD[1]),
    "one-thread": {"compute": {"groups": [*_HEAD, {**_TRAIN, "threads_per_core": 1}]}},
    "persistent": _lustre(backups={"retention_days": 7, "copy_tags": True}),
    "persistent-1": _lustre(deployment="persistent-1", throughput_mbps_per_tib=200, compression="none"),
    "linked": _lustre(data_repositories=[_LINK]),
    "scratch": _lustre(deployment="scratch-2", throughput_mbps_per_tib=None),
    "hdd": _lustre(
        deployment="persistent-1",
        storage="hdd",
        throughput_mbps_per_tib=12,
        capacity_gib=12000,
        drive_cache=True,
    ),
    "slurm-settings": _pcs(
        {
            "scaling": "dynamic",
            "root_volume_gib": 200,
            "slurm_settings": {"Weight": 10, "Features": "b200"},
        },
        orchestrator={
            "kind": "pcs",
            "idle_seconds": 90,
            "settings": {"Prolog": "/opt/site/prolog.sh", "Epilog": "/opt/site/epilog.sh", "MinJobAge": 60},
            "queues": [
                {
                    "name": "whole",
                    "groups": ["train"],
                    "settings": {"OverSubscribe": "EXCLUSIVE", "MaxTime": "1-00:00:00"},
                }
            ],
        },
    ),
    "home": {"storage": {"home": {"kind": "new", "users": 20}}},
}
"""Profiles based on p6-b200, by their feature."""

WARNINGS = {
    "EfaPlacementGroupValidator": "no placement group is ever added: the profile states none",
    "KeyPairValidator": "people come in through Session Manager, without a key",
    "EfaValidator": "the profile says that the group has no EFA",
}
"""Validators that warn about a configuration, and why it does not change."""


def built_in(*, expressible: bool) -> Iterator[str]:
    """Return the built-in profiles that a configuration can express, or the other profiles."""
    for name in built_in_names():
        cluster = load_cluster(name, further=OF_PARALLELCLUSTER)
        if (cluster.design is not None) == expressible:
            yield name


def loaded(folder: Path, name: str) -> Cluster:
    """Return one of `PROFILES`, as a user would write it."""
    file = folder / f"{name}.yaml"
    file.write_text(yaml.safe_dump({"extends": "p6-b200", "name": name, **PROFILES[name]}), encoding="utf-8")
    return load_cluster(str(file), further=OF_PARALLELCLUSTER)


def written(cluster: Cluster, ids: KnownIds | None = None) -> Written:
    """Return the configuration of a cluster that the rules accept."""
    assert cluster.design is not None, [d.message for d in cluster.diagnostics if d.stops]
    return configuration(cluster.design, ids)


def question(name: str, file: Json) -> Question:
    """Return the question about a configuration: its schema and all validators."""
    return Question(name=name, configuration=file, operations=["validate"])


def account_state(region: str, files: Mapping[str, Json]) -> AccountState:
    """Return an account with all resources that the configurations name."""
    named = set(_texts(files))
    return AccountState(
        region=region,
        zone=f"{region}a",
        subnets=sorted(word for word in named if word.startswith("subnet-")),
        images={IMAGE: "x86_64"},
        instance_types={name: instance_type_record(row) for name, row in catalog().instances.items()},
        capacity_reservations=[
            _reservation(BLOCK, "capacity-block"),
            {
                **_reservation(RESERVATION, "default"),
                "PlacementGroupArn": f"{_ARN}:placement-group/{PLACEMENT}",
            },
        ],
        security_groups=sorted(word for word in named if word.startswith("sg-")),
        file_systems=sorted(word for word in named if word.startswith("fs-")),
        volumes=sorted(word for word in named if word.startswith("fsvol-")),
        buckets={BUCKET: [], "replaceme": ["pcluster/job_hooks.sh"]},
        placement_groups=[PLACEMENT],
    )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, str):
        yield value


def _reservation(name: str, kind: str) -> Json:
    return {
        "CapacityReservationId": name,
        "CapacityReservationArn": f"{_ARN}:capacity-reservation/{name}",
        "InstanceType": "p6-b200.48xlarge",
        "InstancePlatform": "Linux/UNIX",
        "AvailabilityZone": "us-west-2a",
        "TotalInstanceCount": 2,
        "AvailableInstanceCount": 2,
        "State": "active",
        "ReservationType": kind,
    }


def _queue(file: Json) -> Json:
    queue: Json = file["Scheduling"]["SlurmQueues"][0]
    return queue


def _change(queue: Callable[[Json], object]) -> Callable[[Json], Json]:
    def changed(file: Json) -> Json:
        found = copy.deepcopy(file)
        queue(found)
        return found

    return changed


PLANTED: Mapping[str, tuple[str, Callable[[Json], Json], str, str]] = {
    "more-at-least-than-at-most": (
        "spot",
        _change(lambda file: _queue(file)["ComputeResources"][0].update(MinCount=3)),
        "ComputeResourceSizeValidator",
        "ERROR",
    ),
    "placement-group-with-a-block": (
        "block",
        _change(
            lambda f: _queue(f)["ComputeResources"][0].update(
                Networking={"PlacementGroup": {"Enabled": True}}
            )
        ),
        "PlacementGroupCapacityTypeValidator",
        "WARNING",
    ),
    "more-nodes-than-reserved": (
        "block",
        _change(lambda file: _queue(file)["ComputeResources"][0].update(MinCount=3, MaxCount=3)),
        "CapacityReservationSizeValidator",
        "ERROR",
    ),
    "denied-setting": (
        "spot",
        _change(
            lambda f: f["Scheduling"]["SlurmSettings"].update(
                CustomSlurmSettings=[{"Prolog": "/opt/prolog.sh"}]
            )
        ),
        "CustomSlurmSettingsValidator",
        "ERROR",
    ),
    "denied-setting-of-a-queue": (
        "spot",
        _change(lambda f: _queue(f).update(CustomSlurmSettings={"OverSubscribe": "EXCLUSIVE"})),
        "CustomSlurmSettingsValidator",
        "ERROR",
    ),
    "file-system-that-lets-no-node-in": (
        "home",
        _change(lambda file: _queue(file)["Networking"].pop("AdditionalSecurityGroups")),
        "ExistingFsxNetworkingValidator",
        "ERROR",
    ),
    "capacity-of-no-file-system": (
        "persistent",
        _change(lambda f: f["SharedStorage"][0]["FsxLustreSettings"].update(StorageCapacity=1300)),
        "FsxStorageCapacityValidator",
        "ERROR",
    ),
    "no-placement-said": (
        "open-reservation",
        _change(lambda file: _queue(file)["ComputeResources"][0].pop("Networking")),
        "EfaPlacementGroupValidator",
        "ERROR",
    ),
}
"""Mistakes by name: the file of the mistake, the edit, the validator that finds them, and its level."""
