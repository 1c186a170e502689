"""Stacks with file systems of every kind, one or several, new and existing, and questions to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from config.catalog import LustreKind, catalog
from tests.conftest import Synthesized

Data = dict[str, Any]
SYSTEM, LINK = "AWS::FSx::FileSystem", "AWS::FSx::DataRepositoryAssociation"
BUCKET, CLUSTER = "AWS::S3::Bucket", "AWS::SageMaker::Cluster"
RULES = ("AWS::EC2::SecurityGroupIngress", "AWS::EC2::SecurityGroupEgress")
ALL_EVENTS = ["new", "changed", "deleted"]
NETWORK: Data = {
    "kind": "existing",
    "vpc_id": "vpc-0123456789abcdef0",
    "vpc_cidr": "10.0.0.0/16",
    "subnets": [
        {"id": "subnet-0123456789abcdef0", "cidr": "10.0.0.0/17", "availability_zone_id": "usw2-az2"}
    ],
}


def links(name: str) -> list[Data]:
    """Links of each sort: following S3, listed at creation or by a task, exporting to new and old buckets."""
    return [
        {"path": "/datasets", "bucket": "new", "import": ALL_EVENTS},
        {
            "path": "/listed",
            "bucket": f"my-{name}-data",
            "import": ["new"],
            "import_metadata_on_create": True,
        },
        {"path": "/huge", "bucket": f"my-{name}-crawl", "import": ["new"], "import_by_task": True},
        {"path": "/checkpoints", "bucket": "new", "export": ALL_EVENTS},
        {
            "path": "/results/runs",
            "bucket": f"my-{name}-results",
            "prefix": "runs",
            "export": ["new", "changed"],
        },
    ]


def file_system(kind: LustreKind, *, efa: bool = False) -> Data:
    """The smallest file system of a kind, as a profile states it."""
    facts = catalog().lustre
    settings: Data = {"kind": "new", "deployment": kind.deployment, "storage": kind.storage, "efa": efa}
    if kind.storage == "intelligent-tiering":
        step = facts.tiering.throughput_step_mbps
        return {**settings, "throughput_mbps": step, "read_cache": {"sizing": "proportional"}}
    tier = kind.tiers[-1]
    step_gib = facts.step_of(kind, tier, efa=efa)
    assert step_gib is not None
    settings |= {"capacity_gib": kind.nearest_capacities(0, step_gib, efa=efa)[0]}
    settings |= {"throughput_mbps_per_tib": tier} if kind.states_tier else {}
    return settings | ({"drive_cache": True} if kind.storage == "hdd" else {})


def variants() -> Iterator[tuple[str, LustreKind, Data]]:
    """Every kind, with EFA and without, each with a name."""
    for kind in catalog().lustre.kinds:
        name = f"{kind.deployment}-{kind.storage}".replace("persistent", "p").replace(
            "intelligent-tiering", "it"
        )
        yield name, kind, file_system(kind)
        if kind.efa:
            yield f"{name}-efa", kind, file_system(kind, efa=True)


def profile(name: str, systems: Mapping[str, Data], **more: Any) -> Data:
    """A profile with these file systems, the first of them the main one."""
    declared = [
        {**system, **({} if number == 0 else {"name": key}), "mount_path": f"/{key}"}
        for number, (key, system) in enumerate(systems.items())
    ]
    lustre, *others = declared
    # what the parent states of its file system is taken out
    unset = dict.fromkeys(("capacity_gib", "throughput_mbps_per_tib"), None) | {"data_repositories": []}
    main = {**unset, **lustre} if lustre["kind"] == "new" else lustre
    storage = {"lustre": main, "additional_lustre": others}
    return {"extends": "p6-b200", "name": name, "storage": storage, **more}


def linked_systems() -> dict[str, Data]:
    """One of every kind that takes links, each with some."""
    return {
        name: {**system, "data_repositories": links(name)}
        for name, kind, system in variants()
        if kind.data_repositories
    }


def kept_systems() -> dict[str, Data]:
    """One of every kind without links, with backups where it takes them; and an older one of persistent-2."""
    kept = {
        name: {**system, **({"backups": {"retention_days": 7, "copy_tags": True}} if kind.backups else {})}
        for name, kind, system in variants()
    }
    older = catalog().lustre.kind("persistent-2", "ssd")
    assert older
    return {**kept, "older": {**file_system(older), "version": "2.12"}}


def existing_systems() -> dict[str, Data]:
    """Two that exist, over EFA and over TCP, beside a new one with links."""
    theirs = {
        "kind": "existing",
        "mount_name": "abcdefgh",
        "capacity_gib": 38400,
        "throughput_mbps_per_tib": 500,
        "availability_zone_id": "usw2-az2",
        "subnet_cidr": "10.0.128.0/20",
    }
    ids = {"file_system_id": "fs-0aaaaaaaaaaaaaaaa", "security_group_id": "sg-0aaaaaaaaaaaaaaaa"}
    others = {"file_system_id": "fs-0bbbbbbbbbbbbbbbb", "security_group_id": "sg-0bbbbbbbbbbbbbbbb"}
    (name, new), *_ = linked_systems().items()
    return {"fast": {**theirs, **ids, "efa": True}, "plain": {**theirs, **others}, name: new}


PROFILES = {
    "linked": lambda: profile("linked", linked_systems()),
    "kept": lambda: profile("kept", kept_systems()),
    "existing": lambda: profile("existing", existing_systems(), network=NETWORK),
}
"""Profiles that state more than the built-in ones, by name."""


def configuration(system: Data) -> Data:
    """The Lustre configuration of a file system."""
    found: Data = system["Properties"]["LustreConfiguration"]
    return found


def links_of(stack: Synthesized, system: str) -> dict[str, Data]:
    """The links of one file system, by logical id."""
    return {
        key: link
        for key, link in stack.resources(LINK).items()
        if link["Properties"]["FileSystemId"] == {"Ref": system}
    }


def linked(stack: Synthesized) -> dict[str, Data]:
    """The file systems that are linked, by logical id."""
    return {key: system for key, system in stack.resources(SYSTEM).items() if links_of(stack, key)}


def named(node: Any) -> Iterator[str]:
    """The logical ids that a part of a template refers to, `Fn::Sub` texts included."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "Ref":
                yield value
            elif key == "Fn::GetAtt":
                yield value[0] if isinstance(value, list) else value.partition(".")[0]
            else:
                yield from named(value)
    elif isinstance(node, list):
        for value in node:
            yield from named(value)


def waits_for(stack: Synthesized, start: str) -> set[str]:
    """Everything that must be there before a resource is made, at any remove."""
    resources, found, waiting = stack.template["Resources"], set[str](), [start]
    while waiting:
        resource = resources[waiting.pop()]
        declared = resource.get("DependsOn", [])
        next_ones = {
            *([declared] if isinstance(declared, str) else declared),
            *named(resource.get("Properties", {})),
        }
        new = (next_ones & resources.keys()) - found
        found |= new
        waiting += new
    return found


def written(declared: Data) -> str:
    """A profile as its file has it."""
    text: str = yaml.safe_dump(declared)
    return text
