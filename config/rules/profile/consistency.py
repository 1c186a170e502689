"""Rules for the consistency of a profile: zones, layers, names."""

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

_ABBREVIATIONS = {
    "north": "n", "south": "s", "east": "e", "west": "w", "central": "c", "northeast": "ne", "northwest": "nw",
    "southeast": "se", "southwest": "sw", "gov": "g",
}  # fmt: skip


def zone_id_prefix(region: str) -> str:
    """Return the prefix of a Region's zone IDs: `usw2` for us-west-2, `usge1` for us-gov-east-1."""
    place, *parts, number = region.split("-")
    return place + "".join(_ABBREVIATIONS.get(part, part) for part in parts) + number


@lru_cache(maxsize=1024)
def zone_is_in(zone: str, region: str) -> bool:
    """Return True if a zone name or ID belongs to the Region."""
    rest = zone.removeprefix(region)
    if rest != zone:
        return bool(rest) and not rest[0].isdigit()
    return zone.startswith(zone_id_prefix(region) + "-")


@rule(
    "PRO020", ERROR, "the profile sets the zone of nodes and file systems exactly once",
    why="GPU instances are available only in some zones, and EFA does not work across zones, so there is no default zone.",
    source=_ZONES, reads="availability_zone availability_zone_id",
)  # fmt: skip
def one_zone(design: Design) -> Iterator[Finding]:
    """Check that the zone is set by name or by ID, but not both."""
    profile = design.profile
    if profile.availability_zone and profile.availability_zone_id:
        yield Finding(
            at=("availability_zone",),
            message=f"both `availability_zone` ({profile.availability_zone}) and `availability_zone_id` "
            f"({profile.availability_zone_id}) are set",
            hint="remove `availability_zone`: a zone ID means the same zone in every account, a zone name does not",
        )
    elif not profile.zone:
        yield Finding(
            at=(),
            message="neither `availability_zone_id` nor `availability_zone` is set",
            hint="add `availability_zone_id:` with the ID of a zone that offers the instance types",
        )


@rule(
    "PRO021", ERROR, "each zone is in the profile's Region",
    why="A subnet in a zone of another Region cannot be created.",
    source=_ZONES, reads="region availability_zone availability_zone_id network compute",
)  # fmt: skip
def zones_lie_in_the_region(design: Design) -> Iterator[Finding]:
    """Check the primary, secondary, subnet and group zones."""
    profile = design.profile
    if catalog().region(profile.region) is None and nearest(profile.region, sorted(catalog().regions)):
        return  # PRO027 reports a misspelt Region
    for at, zone in _declared_zones(profile):
        if zone and not zone_is_in(zone, profile.region):
            yield Finding(
                at=at,
                message=f"zone {zone} is not in {profile.region}",
                hint=f"set a zone of {profile.region}, such as {profile.region}a or {zone_id_prefix(profile.region)}-az1",
            )


def _declared_zones(profile: Profile) -> Iterator[tuple[Path, str | None]]:
    """Yield every zone of a profile with its path."""
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
    "PRO022", ERROR, "a profile with `compute` has an `orchestrator`, and vice versa",
    why="Nodes without a control plane, or a control plane without nodes, cost money but cannot run jobs.",
    source=_PROFILE, reads="compute orchestrator",
)  # fmt: skip
def machines_have_a_control_plane(design: Design) -> Iterator[Finding]:
    """Check that `compute` and `orchestrator` are both set, or both not set."""
    profile = design.profile
    if profile.compute and not profile.orchestrator:
        yield Finding(
            at=("compute",),
            message="`compute` is set, but `orchestrator` is not",
            hint="add `orchestrator: {kind: hyperpod-slurm}` or another `kind`; `orchestrator:` without a value removes "
            "the control plane of the base profile",
        )
    if profile.orchestrator and not profile.compute:
        yield Finding(
            at=("orchestrator",),
            message="`orchestrator` is set, but `compute` is not",
            hint="add `compute:` with its groups, or remove `orchestrator`",
        )


@rule(
    "PRO023", ERROR, "a profile has one network: its own, or the network of a data profile",
    why="Nodes and file systems need subnets in the same VPC.",
    source=_PROFILE, reads="network data compute storage",
)  # fmt: skip
def one_network(design: Design) -> Iterator[Finding]:
    """Check that exactly one of `network` and `data` is set."""
    profile = design.profile
    if profile.network and profile.data:
        yield Finding(
            at=("network",),
            message="`network` and `data` are both set, so the profile has two networks",
            hint="write `network: null` to use the network of the data profile, or remove `data`",
        )
    if not profile.network and not profile.data:
        yield Finding(
            at=(),
            message="the profile sets neither `network` nor `data`, so it has no network",
            hint="add `network: {kind: new, vpc_cidr: 10.0.0.0/16}`, or `data: {profile: NAME}`",
        )


@rule(
    "PRO024", ERROR, "a cluster is in the Region and zone of the data profile that it uses",
    why="Nodes in another zone cannot use EFA to the file system, and nodes in another Region cannot use the subnets.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html",
    reads="region availability_zone availability_zone_id data account", where="data",
)  # fmt: skip
def cluster_lies_with_its_data(design: Design) -> Iterator[Finding]:
    """Compare Region, zone and account of the profile and its data profile."""
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
            compared = "" if key == other_key else "; a zone name and a zone id cannot be compared"
            written = f'"{other}"' if key == "account" else other
            yield Finding(
                at=(key,),
                message=f"this profile has {own}, but the data profile {data.name} has {other}{compared}",
                hint=f"write `{other_key}: {written}`" + ("" if key == other_key else f" instead of `{key}`"),
            )


@rule(
    "PRO025", ERROR, "a data profile has a network and does not have node groups",
    why="A cluster uses the network and file systems that the stack of the data profile publishes.",
    source=_PROFILE, reads="data", where="data",
)  # fmt: skip
def data_profile_owns_its_network(design: Design) -> Iterator[Finding]:
    """Check that a cluster can use the profile in `data`."""
    data = design.data_profile
    if data is None:
        return
    if data.network is None or data.compute is not None:
        what = "has `compute`" if data.compute else "does not have `network`"
        yield Finding(
            at=("data", "profile"),
            message=f"the profile {data.name} {what}, so it cannot be used as a data profile",
            hint="in `data: {profile: ...}`, name a profile with `network` and `storage` and without `compute`, such as "
            "p6-b200-data",
        )
    if data.name == design.profile.name:
        yield Finding(
            at=("name",),
            message=f"the cluster and the data profile have the same name, {data.name}, so they would be one stack",
            hint="set another `name` in the profile of the cluster",
        )


@rule(
    "PRO027", WARNING, "the Region is in the catalogue",
    why="For a Region that is not in the catalogue, the rules do not know which services and instance types AWS offers.",
    source=_ZONES, reads="region",
)  # fmt: skip
def region_is_known(design: Design) -> Iterator[Finding]:
    """Check that the catalogue has the Region."""
    region = design.profile.region
    if catalog().region(region) is None:
        close = nearest(region, sorted(catalog().regions), count=1)
        start = f"did you mean {close[0]}? " if close else ""
        yield Finding(
            at=("region",),
            message=f"{region} is not in the catalogue",
            hint=f"{start}use one of {', '.join(sorted(catalog().regions))}",
        )
