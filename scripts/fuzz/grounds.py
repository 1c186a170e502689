"""Networks and file systems that a place offers."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from config.catalog import LustreOffer, catalog
from scripts.fuzz.place import Place
from scripts.fuzz.words import EVENTS, WORDS, blocks

Data = dict[str, Any]


def draw_network(draw: DrawFn, place: Place, *, zones: int) -> Data:
    """A new or an existing network, with subnets in at least so many other zones."""
    others = draw(st.permutations(place.others()))[: max(zones, draw(st.integers(0, 2)))]
    if draw(st.integers(0, 3)) == 0:
        return _existing(draw, place, others)
    data: Data = {"kind": "new", "vpc_cidr": draw(blocks(16, 16) | blocks(16, 18))}
    if others:
        data["secondary_zones"] = others
    if draw(st.booleans()):
        data["closed"] = draw(st.booleans())
    if draw(st.booleans()):
        data["flow_log_retention_days"] = draw(WORDS["flow_log_retention_days"])
    return data


def _existing(draw: DrawFn, place: Place, others: list[str]) -> Data:
    vpc = IPv4Network(draw(blocks(16, 17)))
    parts = list(vpc.subnets(prefixlen_diff=2))
    key = "availability_zone_id" if place.by_id else "availability_zone"
    more: Data = {}
    if draw(st.integers(0, 2)) == 0:
        parts[1], more = IPv4Network("100.64.0.0/18"), {"vpc_secondary_cidrs": ["100.64.0.0/16"]}
    subnets: list[Data] = [
        {"id": f"subnet-0123456789abcde{number:02x}", "cidr": str(parts[number]), key: zone}
        for number, zone in enumerate([place.zone, *others][: len(parts)])
    ]
    if draw(st.integers(0, 2)) == 0:
        subnets[-1]["public"] = draw(st.booleans())
    vpc_id = "vpc-0123456789abcdef0"
    return {"kind": "existing", "vpc_id": vpc_id, "vpc_cidr": str(vpc), **more, "subnets": subnets}


def draw_storage(draw: DrawFn, place: Place, *, nvme: bool) -> Data:
    """A file system that the place offers, and local disks where the machines have them."""
    data: Data = {}
    offer, _ = catalog().lustre_offer(place.region, place.zone)
    if offer and offer.throughputs_mbps_per_tib and draw(st.integers(0, 4)):
        data["lustre"] = _lustre(draw, offer)
    if nvme and draw(st.booleans()):
        data["local_nvme"] = {"raid": 0}
    return data


def _lustre(draw: DrawFn, offer: LustreOffer) -> Data:
    facts = catalog().lustre
    tier = facts.tiers[draw(st.sampled_from(offer.throughputs_mbps_per_tib))]
    efa = offer.efa and draw(st.booleans())
    step = facts.capacity_step(tier, efa=efa)
    small = [] if efa else list(facts.small_capacities_gib)
    capacity = draw(st.sampled_from([*small, *(step * n for n in (1, 2, 4, 8))]))
    data: Data = {"kind": "new", "capacity_gib": capacity, "efa": efa}
    data["throughput_mbps_per_tib"] = tier.throughput_mbps_per_tib
    if draw(st.booleans()):
        enough = [n for n in facts.allowed_metadata_iops if n >= facts.automatic_metadata_iops(capacity)]
        if enough:
            data["metadata_iops"] = draw(st.sampled_from(enough))
    data |= draw(
        st.fixed_dictionaries(
            {},
            optional={
                "deployment": st.just("persistent-2"),
                "compression": st.sampled_from(["lz4", "none"]),
                "mount_path": st.sampled_from(["/fsx", "/shared", "/mnt/fsx"]),
                "weekly_maintenance_start": st.sampled_from(["7:03:00", "1:23:59"]),
                "data_repositories": _repositories(),
            },
        )
    )
    return data


def _repositories() -> st.SearchStrategy[list[Data]]:
    events = st.lists(st.sampled_from(EVENTS), unique=True, max_size=3)
    one = st.fixed_dictionaries(
        {"bucket": st.sampled_from(["new", "new", "my-bucket", "our.datasets-2027"])},
        optional={"import": events, "export": events, "import_metadata_on_create": st.booleans()},
    )
    paths = ("/datasets", "/checkpoints", "/home", *(f"/scratch/{letter}" for letter in "abcdefgh"))
    return st.lists(one, max_size=10).map(
        lambda rows: [
            {"path": path, **row, **({} if row["bucket"] == "new" else {"prefix": path.strip("/")})}
            for path, row in zip(paths, rows, strict=False)
        ]
    )
