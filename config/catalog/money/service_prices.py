"""What AWS bills for what a cluster has beside its machines: dated prices with their sources."""

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
"""By the hour, by the month, or by a use that no profile states."""

PRICE_REGION = "us-east-1"
"""The Region whose prices are shown where none is listed for the profile's own, and said to be of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceTier:
    """USD of each unit from so many units of a month on."""

    from_units: float
    usd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ServicePrice:
    """The price of one thing in one Region: USD a unit, rising through `tiers` with the units of a month."""

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
        """USD of the first unit."""
        return self.tiers[0].usd

    def cost(self, units: float) -> float:
        """USD of so many units of one hour, or of one month where units are counted by the month."""
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
    """Build the prices from their data file, by what they are of."""
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
    """All prices, read on the first call."""
    return read_service_prices(read_one("service-prices"))


def service_price(key: str, region: str) -> ServicePrice | None:
    """The newest price in a Region, or else in us-east-1; None where no source that was read lists one."""
    listed = service_prices().get(key, ())
    for place in (region, PRICE_REGION):
        here = [price for price in listed if price.region == place]
        if here:
            return max(here, key=lambda price: price.as_of)
    return None
