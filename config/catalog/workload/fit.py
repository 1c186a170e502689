"""Sources of the fit formulas, and published values that the tests compare them with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from config.catalog.files import Row, read_one


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """A published value in the unit of its formula. The formula's result may differ by the share `within`."""

    what: str
    formula: str
    arguments: Mapping[str, float] = field(hash=False)
    published: float
    within: float
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FitFacts:
    """Sources of each formula, published values, and the TFLOPS per GPU of a published run."""

    formulas: Mapping[str, tuple[str, ...]] = field(hash=False)
    published: tuple[Published, ...]
    reached_gpu: str
    reached_tflops: tuple[float, float]


@cache
def fit_facts() -> FitFacts:
    """Return the facts of the fit; the file is read on the first call."""
    document: Row = read_one("fit")
    reached = document["reached"]
    return FitFacts(
        formulas=document["formulas"],
        published=tuple(
            Published(
                what=row["what"], formula=row["formula"], arguments=row["with"],
                published=row["published"], within=row["within"], source=row["source"],
            )
            for row in document["published"]
        ),
        reached_gpu=reached["gpu"],
        reached_tflops=(reached["low_tflops"], reached["high_tflops"]),
    )  # fmt: skip


def reached_shares() -> tuple[float, float]:
    """Return the lowest and highest share of the BF16 peak that the published run reached."""
    from config.catalog import catalog

    facts = fit_facts()
    peak = catalog().gpus[facts.reached_gpu].bf16_tflops or 1
    low, high = facts.reached_tflops
    return low / peak, high / peak
