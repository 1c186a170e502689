"""Page docs/reference/combinations.md: instance types and purchase options of each control plane."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from config.catalog import InstanceType, UltraServer, catalog
from config.cluster import load_cluster
from config.design.build import design
from config.profile.capacity.groups import Compute
from config.profile.model import Profile
from config.profile.orchestrator import ORCHESTRATORS
from config.profile.source.merge import Layered
from config.rules import judge
from scripts.tools.docs.markdown import page, table

_INTRO = """\
This page lists the instance types of each control plane with their purchase options. The cells are from
the rules: a code means that the combination is an error (`ultracluster explain CODE`). The instance types
of each Region are in [catalogue.md](catalogue.md)."""

_ULTRASERVERS = """\
An UltraServer is one NVLink domain that is reserved as a whole. A group uses all nodes of its UltraServers,
or leaves one spare node out of each. A Capacity Block contains exactly one UltraServer and belongs to one
group. UltraServers are available in one Local Zone, where Lustre does not support EFA and AWS PCS does not
support subnets. Nodes are arm64 with one thread per core."""

_KINDS: dict[str, dict[str, Any]] = {
    "on-demand": {"kind": "on-demand"},
    "spot": {"kind": "spot"},
    "odcr": {"kind": "odcr", "reservation_id": "cr-0a1b2c3d4e5f60718"},
    "capacity-block": {
        "kind": "capacity-block",
        "reservation_id": "cr-0a1b2c3d4e5f60718",
        "ultraserver": "UNIT",
    },
    "training-plan": {
        "kind": "training-plan",
        "arn": "arn:aws:sagemaker:REGION:123456789012:training-plan/mine",
        "availability_zone_id": "ZONE",
        "ultraserver": "UNIT",
    },
}
_CAPACITY_CODES = ("CAP002", "CAP003")


def combinations_page() -> str:
    """Return the page: instance types by control plane, then UltraServers by size."""
    machines = [row for row in catalog().instances.values() if row.is_gpu and not row.ultraserver_only]
    titles = [catalog().control_planes[kind].title for kind in ORCHESTRATORS]
    units = catalog().ultraservers.values()
    return page(
        "Combinations",
        _INTRO,
        "## Instance types",
        table(("type", *titles), [_machine(row) for row in machines]),
        "## UltraServers",
        _ULTRASERVERS,
        table(("UltraServer", "nodes of a group", *titles), [row for unit in units for row in _unit(unit)]),
    )


def _machine(instance: InstanceType) -> tuple[str, ...]:
    group = {"instance_type": instance.name, "count": 2}
    return (instance.name, *(_cell("p6-b200", plane, group) for plane in ORCHESTRATORS))


def _unit(unit: UltraServer) -> Iterator[tuple[str, ...]]:
    for count in (unit.instances - 1, unit.instances, 2 * (unit.instances - 1), 2 * unit.instances):
        group = {"instance_type": unit.instance_type, "count": count, "ultraserver": unit.name}
        cells = (_cell("p6e-gb200", plane, group) for plane in ORCHESTRATORS)
        yield (unit.name, f"{count} ({-(-count // unit.instances)} x {unit.instances})", *cells)


def _cell(base: str, plane: str, group: dict[str, Any]) -> str:
    refused = {name: _refused(base, plane, name, dict(group)) for name in _KINDS}
    taken = [name for name, codes in refused.items() if not codes]
    if taken:
        return ", ".join(taken)
    reasons = {code for codes in refused.values() for code in codes if code not in _CAPACITY_CODES}
    return ", ".join(sorted(reasons or _CAPACITY_CODES))


@functools.cache
def _base(name: str) -> Profile:
    known = load_cluster(name).design
    assert known is not None
    return known.profile


def _refused(base: str, plane: str, kind: str, group: dict[str, Any]) -> set[str]:
    """Return the codes of the errors about instances that a profile with this group causes."""
    known = _base(base)
    unit = group.pop("ultraserver", "")
    capacity = {
        key: value.replace("REGION", known.region).replace("ZONE", known.zone).replace("UNIT", unit)
        for key, value in _KINDS[kind].items()
        if unit or key != "ultraserver"
    }
    profile = _with(known, plane, {**group, "capacity": capacity})
    found = judge(design(profile), Layered({}, {}))
    return {d.code for d in found if d.severity == "error" and _is_about_machines(d.code)}


def _with(profile: Profile, plane: str, group: dict[str, Any]) -> Profile:
    head = ({"name": "head", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},)
    groups = (*(head if plane == "hyperpod-slurm" else ()), {"name": "train", "role": "compute", **group})
    orchestrator = Profile.model_validate(
        {"name": "x", "region": profile.region, "orchestrator": {"kind": plane}}
    ).orchestrator
    compute = Compute.model_validate({"groups": groups})
    return profile.model_copy(update={"compute": compute, "orchestrator": orchestrator})


def _is_about_machines(code: str) -> bool:
    return code.startswith(("CAP", "USV", "EFA")) or code == "ORC027"
