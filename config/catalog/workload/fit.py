"""Where the formulas of the fit come from, and published figures that they are held against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from config.catalog.files import Row, read_one


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A figure that somebody published, in the unit of its formula; it may differ by the share `within`."""

    what: str
    formula: str
    given: Mapping[str, float] = field(hash=False)
    published: float
    within: float
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FitFacts:
    """Sources of each formula, published figures, and what a published run reached, in TFLOPS of a GPU."""

    formulas: Mapping[str, tuple[str, ...]] = field(hash=False)
    published: tuple[Published, ...]
    reached_gpu: str
    reached_tflops: tuple[float, float]


@cache
def fit_facts() -> FitFacts:
    """The facts as they stand in their file, read on the first call."""
    document: Row = read_one("fit")
    reached = document["reached"]
    return FitFacts(
        formulas=document["formulas"],
        published=tuple(
            Published(
                what=row["what"], formula=row["formula"], given=row["with"],
                published=row["published"], within=row["within"], source=row["source"],
            )
            for row in document["published"]
        ),
        reached_gpu=reached["gpu"],
        reached_tflops=(reached["low_tflops"], reached["high_tflops"]),
    )  # fmt: skip


def reached_shares() -> tuple[float, float]:
    """Shares of the BF16 peak that the published run reached, the lower one first."""
    from config.catalog import catalog

    facts = fit_facts()
    peak = catalog().gpus[facts.reached_gpu].bf16_tflops or 1
    low, high = facts.reached_tflops
    return low / peak, high / peak
