"""A profile that agrees with itself: zones, layers, names."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from config.catalog import catalog
from config.design.model import Design
from config.design.zones import is_zone_id
from config.diagnostics import Path
from config.profile.model import Profile
from config.profile.source.reference import nearest
from config.rules.registry import ERROR, WARNING, Finding, rule

_ZONES = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/using-regions-availability-zones.html"
_PROFILE = "docs/reference/profiles.md"

_WORDS = {
    "north": "n", "south": "s", "east": "e", "west": "w", "central": "c", "northeast": "ne", "northwest": "nw",
    "southeast": "se", "southwest": "sw", "gov": "g",
}  # fmt: skip


def zone_id_prefix(region: str) -> str:
    """How the zone ids of a Region start: `usw2` for us-west-2, `usge1` for us-gov-east-1."""
    place, *words, number = region.split("-")
    return place + "".join(_WORDS.get(word, word) for word in words) + number


@lru_cache(maxsize=1024)
def zone_is_in(zone: str, region: str) -> bool:
    """True when a zone's name or id belongs to the Region."""
    rest = zone.removeprefix(region)
    if rest != zone:
        return bool(rest) and not rest[0].isdigit()
    return zone.startswith(zone_id_prefix(region) + "-")


@rule(
    "PRO020", ERROR, "the zone of nodes and file system is stated once",
    why="GPU machines are sold in single zones, and EFA does not cross them: no zone can be chosen by default.",
    source=_ZONES, reads="availability_zone availability_zone_id",
)  # fmt: skip
def one_zone(design: Design) -> Iterator[Finding]:
    """The zone by name or by id, not both."""
    profile = design.profile
    if profile.availability_zone and profile.availability_zone_id:
        yield Finding(
            at=("availability_zone",),
            message=f"the zone is stated twice: {profile.availability_zone} and {profile.availability_zone_id}",
            hint="take `availability_zone` out; `availability_zone_id` means the same zone in every account",
        )
    elif not profile.zone:
        yield Finding(
            at=(),
            message="no zone is stated",
            hint="add `availability_zone_id:`, the id of a zone that sells the machines",
        )


@rule(
    "PRO021", ERROR, "every zone lies in the profile's Region",
    why="A subnet in a zone of another Region cannot be created.",
    source=_ZONES, reads="region availability_zone availability_zone_id network compute",
)  # fmt: skip
def zones_lie_in_the_region(design: Design) -> Iterator[Finding]:
    """Primary, secondary, subnet and group zones."""
    profile = design.profile
    if catalog().region(profile.region) is None and nearest(profile.region, sorted(catalog().regions)):
        return  # a misspelt Region has no zones; PRO027 says so
    for at, zone in _stated_zones(profile):
        if zone and not zone_is_in(zone, profile.region):
            yield Finding(
                at=at,
                message=f"zone {zone} is not in {profile.region}",
                hint=f"zones there are named {profile.region}a and have ids like {zone_id_prefix(profile.region)}-az1",
            )


def _stated_zones(profile: Profile) -> Iterator[tuple[Path, str | None]]:
    """Every zone of a profile with its place."""
    yield ("availability_zone",), profile.availability_zone
    yield ("availability_zone_id",), profile.availability_zone_id
    network = profile.network
    if network and network.kind == "new":
        for i, zone in enumerate(network.secondary_zones):
            yield ("network", "secondary_zones", i), zone
    if network and network.kind == "existing":
        for i, subnet in enumerate(network.subnets):
            yield ("network", "subnets", i, "availability_zone"), subnet.availability_zone
            yield ("network", "subnets", i, "availability_zone_id"), subnet.availability_zone_id
    for i, group in enumerate(profile.compute.groups if profile.compute else ()):
        if reserved := group.capacity.availability_zone_id:
            yield ("compute", "groups", i, "capacity", "availability_zone_id"), reserved
        if group.zone:
            yield ("compute", "groups", i, "zone"), group.zone


@rule(
    "PRO022", ERROR, "machines come with a control plane, and a control plane with machines",
    why="Either alone is a stack that bills or waits without doing anything.",
    source=_PROFILE, reads="compute orchestrator",
)  # fmt: skip
def machines_have_a_control_plane(design: Design) -> Iterator[Finding]:
    """Compute and orchestrator go together."""
    profile = design.profile
    if profile.compute and not profile.orchestrator:
        yield Finding(
            at=("compute",),
            message="`compute` has machines, but there is no `orchestrator`",
            hint="add `orchestrator: {kind: hyperpod-slurm}` or `{kind: pcs}`; `orchestrator:` without a value takes away "
            "the one of the profile that this one extends",
        )
    if profile.orchestrator and not profile.compute:
        yield Finding(
            at=("orchestrator",),
            message="there is an `orchestrator`, but no `compute`",
            hint="add `compute:` with its groups, or take `orchestrator` out",
        )


@rule(
    "PRO023", ERROR, "a profile stands on one network: its own or a data profile's",
    why="Nodes and file system need subnets of one VPC.",
    source=_PROFILE, reads="network data compute storage",
)  # fmt: skip
def one_network(design: Design) -> Iterator[Finding]:
    """Exactly one of network and data."""
    profile = design.profile
    if profile.network and profile.data:
        yield Finding(
            at=("network",),
            message="`network` and `data` are both stated, so there are two networks",
            hint="take `network` out (`network: null`) to use the data profile's, or take `data` out",
        )
    if not profile.network and not profile.data:
        yield Finding(
            at=(),
            message="the profile has neither `network` nor `data`: there is nothing to stand on",
            hint="add `network: {kind: new, vpc_cidr: 10.0.0.0/16}`, or `data: {profile: NAME}`",
        )


@rule(
    "PRO024", ERROR, "a cluster lies in the Region and zone of its data profile",
    why="EFA and the file system cannot be reached from another zone, nor subnets from another Region.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html",
    reads="region availability_zone availability_zone_id data account", where="data",
)  # fmt: skip
def cluster_lies_with_its_data(design: Design) -> Iterator[Finding]:
    """Region, zone and account of both profiles agree."""
    profile, data = design.profile, design.data_profile
    if data is None:
        return
    zone_key, data_zone_key = (
        "availability_zone_id" if is_zone_id(home.zone) else "availability_zone" for home in (profile, data)
    )
    pairs = (
        ("region", profile.region, "region", data.region),
        (zone_key, profile.zone, data_zone_key, data.zone),
        ("account", profile.account, "account", data.account),
    )
    for key, own, other_key, other in pairs:
        if own and other and own != other:
            differs = "differs from" if key == other_key else "cannot be compared with"
            written = f'"{other}"' if key == "account" else other
            yield Finding(
                at=(key,),
                message=f"{own} {differs} {other} of the data profile {data.name}",
                hint=f"write `{other_key}: {written}`" + ("" if key == other_key else f" instead of `{key}`"),
            )


@rule(
    "PRO025", ERROR, "a data profile has a network of its own and no machines",
    why="A cluster attaches to what the data profile's stack publishes.",
    source=_PROFILE, reads="data", where="data",
)  # fmt: skip
def data_profile_owns_its_network(design: Design) -> Iterator[Finding]:
    """What `data` names can be attached to."""
    data = design.data_profile
    if data is None:
        return
    if data.network is None or data.compute is not None:
        what = "has machines of its own" if data.compute else "has no network of its own"
        yield Finding(
            at=("data", "profile"),
            message=f"the profile {data.name} {what}, so no cluster can attach to it",
            hint="name a profile with `network` and `storage` and without `compute`, like p6-b200-data",
        )
    if data.name == design.profile.name:
        yield Finding(
            at=("name",),
            message=f"the cluster and its data profile are both named {data.name}: they would be one stack",
            hint="give this profile another `name`",
        )


@rule(
    "PRO027", WARNING, "the Region is one that the catalogue knows",
    why="Nothing can be said about services and machines there; AWS may refuse them.",
    source=_ZONES, reads="region",
)  # fmt: skip
def region_is_known(design: Design) -> Iterator[Finding]:
    """The Region has a row in the catalogue."""
    region = design.profile.region
    if catalog().region(region) is None:
        close = nearest(region, sorted(catalog().regions), count=1)
        start = f"did you mean {close[0]}? " if close else ""
        yield Finding(
            at=("region",),
            message=f"{region} is not in the catalogue",
            hint=f"{start}known Regions: {', '.join(sorted(catalog().regions))}",
        )
