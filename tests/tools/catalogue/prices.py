"""Checks of the files of prices and quotas: what their readers take on trust. Run by the tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from datetime import date
from itertools import pairwise
from typing import Any, get_args

from config.catalog.capacity.quotas import ServiceQuota
from config.catalog.files import Documents, Row
from config.catalog.money.service_prices import Billed, read_service_prices

Found = tuple[str, str, str]
"""The row, the field and what is wrong with it."""

_CODE = re.compile(r"L-[0-9A-F]{8}")
_DEAREST_USD = 1000
"""No unit of what stands beside machines costs as much."""


def price_faults(docs: Documents) -> Iterator[Found]:
    """What is wrong in service-prices.json."""
    known = set(docs["regions"]["rows"])
    for name, row in docs["service-prices"]["rows"].items():
        if set(row) != {"what", "unit", "billed", "note", "prices"}:
            yield name, "row", "has other fields than what, unit, billed, note and prices"
            continue
        if row["billed"] not in get_args(Billed):
            yield name, "billed", f"{row['billed']} is none of {', '.join(get_args(Billed))}"
        for number, sheet in enumerate(row["prices"]):
            for at, message in _sheet(docs, sheet, known):
                yield name, f"prices[{number}].{at}", message


def _sheet(docs: Documents, sheet: Row, known: set[str]) -> Iterator[tuple[str, str]]:
    if sheet.get("source") not in docs["sources"]["sources"]:
        yield "source", f"source {sheet.get('source')} is not in sources.json"
    for region in sorted(set(sheet["regions"]) - known):
        yield "regions", f"{region} is not in regions.json"
    date.fromisoformat(sheet["as_of"])
    tiers: list[list[Any]] = [[0, sheet["usd"]]] if "usd" in sheet else sheet["tiers"]
    if tiers[0][0] != 0 or any(after[0] <= before[0] for before, after in pairwise(tiers)):
        yield "tiers", "do not rise from 0"
    for _, usd in tiers:
        if not 0 < usd < _DEAREST_USD:
            yield "usd", f"{usd} is no plausible price"


def quota_faults(docs: Documents) -> Iterator[Found]:
    """What is wrong in service-quotas.json."""
    document = docs["service-quotas"]
    expected = {field.name for field in fields(ServiceQuota)} - {"key"}
    known = set(docs["sources"]["sources"])
    for name, row in document["rows"].items():
        if set(row) != expected:
            yield name, "row", f"has other fields than {', '.join(sorted(expected))}"
            continue
        if row["code"] is not None and not _CODE.fullmatch(row["code"]):
            yield name, "code", f"{row['code']} is no code of a quota"
        if row["default"] is not None and row["default"] < 0:
            yield name, "default", "is below zero"
        for key in row["sources"] or ("none",):
            if key not in known:
                yield name, "sources", f"source {key} is not in sources.json"
    types = {
        name for file in ("gpu-instances", "g6-instances", "cpu-instances") for name in docs[file]["rows"]
    }
    for name, code in document["codes_of_cluster_usage"].items():
        if name.removeprefix("ml.") not in types or not _CODE.fullmatch(code):
            yield "codes_of_cluster_usage", name, f"{code} of {name} is no code of a type of the catalogue"


def listed_twice(docs: Documents) -> Iterator[Found]:
    """Two prices of one thing in one Region on one day contradict each other."""
    for name, prices in read_service_prices(docs["service-prices"]).items():
        places = [(price.region, price.as_of) for price in prices]
        for place in sorted({place for place in places if places.count(place) > 1}):
            yield name, "prices", f"two are of {place[0]} on {place[1]}"
