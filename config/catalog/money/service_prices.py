"""List prices of AWS services other than instances, with dates and sources."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from itertools import pairwise
from math import inf
from types import MappingProxyType
from typing import Literal

from config.catalog.files import Row, read_one

Billed = Literal["hour", "month", "use"]
"""How a price is billed: per hour, per month, or by usage. Profiles do not specify usage."""

PRICE_REGION = "us-east-1"
"""Region whose price is shown, with a note, if no price is listed for the profile's Region."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceTier:
    """USD per unit above `from_units` units in a month."""

    from_units: float
    usd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ServicePrice:
    """The price of one item in one Region: USD per unit, by `tiers` of the monthly units."""

    key: str
    what: str
    unit: str
    billed: Billed
    tiers: tuple[PriceTier, ...]
    region: str
    as_of: date
    source: str
    note: str

    @property
    def usd(self) -> float:
        """USD for the first unit."""
        return self.tiers[0].usd

    def cost(self, units: float) -> float:
        """Return the price in USD of `units` used in one hour, or in one month if the units are monthly."""
        return sum(
            (min(units, end) - tier.from_units) * tier.usd
            for tier, end in self._bounded
            if units > tier.from_units
        )

    @property
    def _bounded(self) -> Iterator[tuple[PriceTier, float]]:
        ends = [*(after.from_units for _, after in pairwise(self.tiers)), inf]
        return zip(self.tiers, ends, strict=True)


def read_service_prices(document: Row) -> Mapping[str, tuple[ServicePrice, ...]]:
    """Build the prices from their data file, by key."""
    found = {
        key: tuple(
            ServicePrice(
                key=key,
                what=row["what"],
                unit=row["unit"],
                billed=row["billed"],
                tiers=_tiers(sheet),
                region=region,
                as_of=date.fromisoformat(sheet["as_of"]),
                source=sheet["source"],
                note=row["note"],
            )
            for sheet in row["prices"]
            for region in sheet["regions"]
        )
        for key, row in document["rows"].items()
    }
    return MappingProxyType(found)


def _tiers(sheet: Row) -> tuple[PriceTier, ...]:
    if "usd" in sheet:
        return (PriceTier(from_units=0, usd=sheet["usd"]),)
    return tuple(PriceTier(from_units=units, usd=usd) for units, usd in sheet["tiers"])


@cache
def service_prices() -> Mapping[str, tuple[ServicePrice, ...]]:
    """Return all prices; the file is read on the first call."""
    return read_service_prices(read_one("service-prices"))


def service_price(key: str, region: str) -> ServicePrice | None:
    """Return the newest price in a Region; if it has none, the newest in us-east-1, or None."""
    listed = service_prices().get(key, ())
    for place in (region, PRICE_REGION):
        here = [price for price in listed if price.region == place]
        if here:
            return max(here, key=lambda price: price.as_of)
    return None
