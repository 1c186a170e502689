"""Spare nodes and a calendar on one partition with a real Slurm: they do not affect each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.slurm.real.conftest import conf_of
from tests.slurm.real.slurm_cluster import Slurm
from tests.slurm.real.test_calendar import hold as hold_calendar
from tests.slurm.real.test_calendar import line, reservations, soon
from tests.slurm.real.test_spares import bundle, spare
from tests.slurm.real.test_spares import hold as hold_spares

__all__ = ["bundle"]


@pytest.fixture
def slurm() -> Iterator[Slurm]:
    with Slurm(conf_of("p6-b200", nodes=6), impatient=True) as running:
        yield running


@pytest.mark.long
@pytest.mark.parametrize("first", ["spares", "calendar"])
def test_both_reservations_stand_whichever_is_made_first(
    first: str, slurm: Slurm, bundle: Path, tmp_path: Path
) -> None:
    dated = line(soon(hours=2), soon(hours=3))
    for which in (first, "calendar", "spares", "calendar"):
        if which == "spares":
            hold_spares(slurm, bundle)
        else:
            assert hold_calendar(slurm, tmp_path, dated).returncode == 0
    assert spare(slurm) == 2, reservations(slurm)
    assert reservations(slurm).count("ReservationName=") == 2
    # a failed node reduces the number of spare nodes, and a returned node increases it
    slurm.ask("scontrol", "update", "nodename=train-1", "state=down", "reason=broken")
    hold_spares(slurm, bundle)
    assert spare(slurm) == 1
