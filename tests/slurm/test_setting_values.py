"""Types of values of Slurm settings, and the checks of their data file."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from config.catalog.files import read
from config.catalog.slurm.slurm_values import value_of
from tests.tools.catalogue.check import check

Document = dict[str, Any]


@pytest.mark.parametrize(
    ("kind", "taken", "refused"),
    [
        ("text", ["", "a b"], []),
        ("path", ["/opt/a.sh"], ["a.sh", ""]),
        ("flag", ["YES", "no", "1", "True"], ["maybe", "2", ""]),
        ("number 5 - s", ["5", "600"], ["4", "-5", "5s", "5.0", "UNLIMITED", ""]),
        ("number 0 65533 min UNLIMITED", ["0", "65533", "unlimited"], ["65534", "INFINITE"]),
        ("time INFINITE", ["30", "30:00", "12:00:00", "1-12", "1-12:00:00", "infinite"], ["soon", "1:2:3:4"]),
        ("one NO YES[:N]", ["no", "YES", "yes:4"], ["YES:0", "YES:x", "NO:2", "no,yes", ""]),
        ("words Alloc NoHold", ["alloc", "Alloc,NoHold", "alloc, nohold"], ["Alloc,", "never", ""]),
        ("codes", ["1", "1-9,18"], ["a", "1-", "1 2"]),
        ("ports", ["60001-63000"], ["60001", "60001:63000"]),
        ("weights", ["CPU=1.0,Mem=0.25G,GRES/gpu=2", "cpu=-1"], ["CPU", "CPU=a"]),
        ("decimal", ["100", "101.5"], ["1.5.2", "all"]),
        ("period", ["12months", "60days", "1 hour", "6"], ["2 years", "soon"]),
    ],
)  # fmt: skip
def test_a_kind_takes_what_slurm_takes(kind: str, taken: list[str], refused: list[str]) -> None:
    value = value_of(kind)
    assert [text for text in taken if value.hint_for(text)] == []
    assert [text for text in refused if value.hint_for(text) is None] == []


def _drop(document: Document) -> None:
    del document["values"]["cluster"]["MinJobAge"]


def _invent(document: Document) -> None:
    document["values"]["queue"]["Nodes"] = "text"


def _unknown_kind(document: Document) -> None:
    document["values"]["group"]["Weight"] = "heavy"


def _unsourced(document: Document) -> None:
    document["sources"]["cgroup"] = []


def _twice(document: Document) -> None:
    document["of_the_service"]["slurmdbd"] += " TrackWCKey"


def _needs_nothing(document: Document) -> None:
    document["needs"]["GraceTime"] = "Patience"


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (_drop, "MinJobAge: has no kind of value"),
        (_invent, "Nodes: is no setting that PCS lets through"),
        (_unknown_kind, "Weight: heavy is no kind of value"),
        (_unsourced, "cgroup: has no source"),
        (_twice, "TrackWCKey: has a kind of value too"),
        (_needs_nothing, "Patience: is no setting of a cluster or a queue"),
    ],
)
def test_a_fault_of_the_file_is_found(harm: Callable[[Document], None], said: str) -> None:
    docs = dict(read())
    document = copy.deepcopy(dict(docs["slurm-settings"]))
    harm(document)
    docs["slurm-settings"] = document
    assert any(said in str(fault) for fault in check(docs))
