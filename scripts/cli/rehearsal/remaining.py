"""Find file systems that earlier stacks of a profile have left, and write them as profile keys.

The file systems are found by their tags. Mount paths are read from the profile, all other values from the
services.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from config.design.model import Design
from config.design.storage.lustre import MAIN, LustrePlan
from config.profile.source.yaml_writer import as_yaml
from config.profile.storage.home import ExistingHome
from config.profile.storage.lustre import ExistingLustre

from .target import Target, every

TAG = "ultracluster:profile"
"""Tag of all resources of a profile's stack; its value is the profile's name."""

_ALWAYS = ("kind", "capacity_gib", "throughput_mbps_per_tib", "efa")
_Block = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Place:
    """The profile's name and target, and its design if it can be read."""

    target: Target
    region: str
    profile: str
    design: Design | None

    def client(self, service: str) -> Any:
        """Return a client in the Region."""
        return self.target.client(service, self.region)

    def plan(self, name: str) -> LustrePlan | None:
        """Return the file system that the profile declares with this name; None if there is none."""
        systems = self.design.own_file_systems if self.design else ()
        return next((system for system in systems if system.name == name), None)


def tagged(place: Place) -> list[Mapping[str, Any]]:
    """Return the existing file systems of the profile from any stack, the newest first."""
    systems = every(place.client("fsx"), "describe_file_systems", "FileSystems")
    own = [system for system in systems if tags_of(system).get(TAG) == place.profile]
    return sorted(own, key=lambda system: (system["CreationTime"], system["FileSystemId"]), reverse=True)


def latest(systems: Collection[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the newest file system of each name; only file systems in the VPC of the newest one count."""
    newest: dict[str, Mapping[str, Any]] = {}
    for system in systems:
        if system["VpcId"] == next(iter(systems))["VpcId"]:
            newest.setdefault(_name(system), system)
    return list(newest.values())


def as_existing(place: Place, systems: Collection[Mapping[str, Any]]) -> str:
    """Return the profile keys for the remaining network and file systems, as YAML; empty if none remain."""
    if not systems:
        return ""
    subnets = _subnets(place, systems)
    storage: _Block = {}
    for system in sorted(systems, key=_name):
        subnet = subnets[system["SubnetIds"][0]]
        if system["FileSystemType"] == "OPENZFS":
            storage["home"] = _home(place, system, subnet)
        else:
            lustre = _lustre(place, system, subnet)
            if "name" in lustre:
                storage.setdefault("additional_lustre", []).append(lustre)
            else:
                storage["lustre"] = lustre
    network = _network(place, systems)
    return as_yaml({**({"network": network} if network else {}), "storage": storage}, expand=2)


def _lustre(place: Place, system: Mapping[str, Any], subnet: Mapping[str, Any]) -> _Block:
    settings = system["LustreConfiguration"]
    name = _name(system).removeprefix(place.profile).removeprefix("-") or MAIN
    plan = place.plan(name)
    metadata = settings.get("MetadataConfiguration") or {}
    elastic = system["StorageType"] == "INTELLIGENT_TIERING"
    facts: _Block = {
        "kind": "existing",
        "name": None if name == MAIN else name,
        "file_system_id": system["FileSystemId"],
        "mount_name": settings["MountName"],
        "security_group_id": _group(place, system),
        "deployment": _word(settings["DeploymentType"]),
        "storage": _word(system["StorageType"]),
        "capacity_gib": None if elastic else system["StorageCapacity"],
        "throughput_mbps_per_tib": settings.get("PerUnitStorageThroughput"),
        "throughput_mbps": settings.get("ThroughputCapacity"),
        "efa": bool(settings.get("EfaEnabled")),
        "gpudirect": bool(plan and plan.gpudirect),
        "metadata_iops": metadata.get("Iops") if metadata.get("Mode") == "USER_PROVISIONED" else None,
        "version": system.get("FileSystemTypeVersion"),
        **_zone(place, subnet),
        "subnet_cidr": subnet["CidrBlock"],
        "mount_path": plan.mount_path if plan else None,
        "checkpoint_paths": _checkpoint_paths(plan) if plan else [],
    }
    fields = ExistingLustre.model_fields
    usual = {key: field.default for key, field in fields.items() if key not in _ALWAYS}
    return {
        key: value
        for key, value in facts.items()
        if value not in (None, []) and (key not in usual or usual[key] != value)
    }


def _checkpoint_paths(plan: LustrePlan) -> list[str]:
    """Return the striped directories relative to the mount; an existing file system lists all of them."""
    return [path.removeprefix(plan.mount_path) or "/" for path in plan.striped_paths]


def _home(place: Place, system: Mapping[str, Any], subnet: Mapping[str, Any]) -> _Block:
    home = place.design.home if place.design else None
    mount = {"mount_path": home.mount_path} if home else {}
    usual = ExistingHome.model_fields["mount_path"].default
    return {
        "kind": "existing",
        "file_system_id": system["FileSystemId"],
        "security_group_id": _group(place, system),
        **_zone(place, subnet),
        **{key: value for key, value in mount.items() if value != usual},
    }


def _network(place: Place, systems: Collection[Mapping[str, Any]]) -> _Block | None:
    """Return the file systems' VPC and its subnets as profile keys; None if the profile declares the VPC."""
    ec2 = place.client("ec2")
    vpc_id = next(iter(systems))["VpcId"]
    (vpc,) = ec2.describe_vpcs(VpcIds=[vpc_id])["Vpcs"]
    if tags_of(vpc).get(TAG) != place.profile:
        return None  # the profile already declares it
    found = ec2.describe_subnets(Filters=[{"Name": "vpc-id", "Values": [vpc_id]}])["Subnets"]
    own = [
        subnet
        for subnet in sorted(found, key=_name)
        if tags_of(subnet).get(TAG) == place.profile and not _name(subnet).endswith("-public")
    ]
    subnets = [{"id": s["SubnetId"], "cidr": s["CidrBlock"], **_zone(place, s)} for s in own]
    return {"kind": "existing", "vpc_id": vpc_id, "vpc_cidr": vpc["CidrBlock"], "subnets": subnets}


def _subnets(place: Place, systems: Collection[Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    ids = sorted({subnet for system in systems for subnet in system["SubnetIds"]})
    found = place.client("ec2").describe_subnets(SubnetIds=ids)["Subnets"]
    return {subnet["SubnetId"]: subnet for subnet in found}


def _group(place: Place, system: Mapping[str, Any]) -> str | None:
    """Return the security group of a file system from its interfaces or tags; None if it is not found."""
    ec2 = place.client("ec2")
    interfaces = system.get("NetworkInterfaceIds")
    if interfaces:
        found = ec2.describe_network_interfaces(NetworkInterfaceIds=interfaces[:1])["NetworkInterfaces"]
        return str(found[0]["Groups"][0]["GroupId"])
    of_it = {"vpc-id": system["VpcId"], f"tag:{TAG}": place.profile, "tag:Name": _name(system)}
    filters = [{"Name": key, "Values": [value]} for key, value in of_it.items()]
    groups = ec2.describe_security_groups(Filters=filters)["SecurityGroups"]
    return str(groups[0]["GroupId"]) if groups else None


def _zone(place: Place, subnet: Mapping[str, Any]) -> _Block:
    """Return the zone's name if the profile has a zone name, otherwise the zone's id."""
    if place.design and place.design.profile.availability_zone:
        return {"availability_zone": subnet["AvailabilityZone"]}
    return {"availability_zone_id": subnet["AvailabilityZoneId"]}


def _word(constant: str) -> str:
    """Return an API value as a profile writes it: `PERSISTENT_2` is `persistent-2`."""
    return constant.lower().replace("_", "-")


def tags_of(thing: Mapping[str, Any]) -> dict[str, str]:
    """Return the tags of a described resource."""
    return {tag["Key"]: tag["Value"] for tag in thing.get("Tags") or ()}


def _name(thing: Mapping[str, Any]) -> str:
    return tags_of(thing).get("Name", "")
