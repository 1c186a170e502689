"""New and existing networks in a zone."""

from __future__ import annotations

from ipaddress import IPv4Network
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from scripts.tools.fuzz.profiles.place import Place
from scripts.tools.fuzz.values.typical import TYPICAL, cidr_blocks

Data = dict[str, Any]


def draw_network(draw: DrawFn, place: Place, *, zones: int) -> Data:
    """Return a new or an existing network, with subnets in at least `zones` other zones."""
    others = draw(st.permutations(place.others()))[: max(zones, draw(st.integers(0, 2)))]
    if draw(st.integers(0, 3)) == 0:
        return _existing(draw, place, others)
    data: Data = {"kind": "new", "vpc_cidr": draw(cidr_blocks(16, 16) | cidr_blocks(16, 18))}
    if others:
        data["secondary_zones"] = others
    if draw(st.booleans()):
        data["closed"] = draw(st.booleans())
    if draw(st.booleans()):
        data["flow_log_retention_days"] = draw(TYPICAL["flow_log_retention_days"])
    return data


def _existing(draw: DrawFn, place: Place, others: list[str]) -> Data:
    vpc = IPv4Network(draw(cidr_blocks(16, 17)))
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
