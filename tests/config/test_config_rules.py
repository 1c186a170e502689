"""Every rule by a table of profiles over p6-b200 that break or keep it: `config/rules/examples/*.yaml`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import yaml

from config.cluster import Cluster
from config.rules import RULES
from tests.conftest import ROOT

_TABLES = ROOT / "config" / "rules" / "examples"
_HEAD = [
    {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
    {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1},
]
_TRAIN = {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 16}


def _rows() -> list[dict[str, Any]]:
    tables = [yaml.safe_load(file.read_text()) for file in sorted(_TABLES.glob("*.yaml"))]
    return [
        {"code": code, "kind": kind, **row}
        for table in tables
        for code, rows in table.items()
        for kind in ("bad", "good")
        for row in rows[kind]
    ]


def _profile(row: dict[str, Any]) -> str:
    """The row's profile; `train` changes the one compute group of p6-b200, `more` adds groups.

    `under` is another control plane, for which Slurm's controller and login groups are left out.
    """
    profile: dict[str, Any] = {"extends": "p6-b200", "name": "mine", **row.get("profile", {})}
    if "under" in row:
        profile["orchestrator"] = row["under"]
    if {"train", "more", "under"} & set(row):
        groups = [
            *([] if "under" in row else _HEAD),
            {**_TRAIN, **row.get("train", {})},
            *row.get("more", []),
        ]
        profile["compute"] = {"groups": groups}
    return yaml.safe_dump(profile, sort_keys=False)


ROWS = _rows()


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['code']}-{row['kind']}-{row['row']}" for row in ROWS])
def test_a_rule_says_what_is_wrong_where_and_in_which_figures(
    row: dict[str, Any], check: Callable[..., Cluster]
) -> None:
    files = {name: yaml.safe_dump(content) for name, content in row.get("files", {}).items()}
    found = [d for d in check(_profile(row), files=files).diagnostics if d.code == row["code"]]
    if row["kind"] == "good":
        assert found == []
        return
    assert [d.path for d in found] == [row["at"]]
    said = f"{found[0].message}\n{found[0].hint}"
    assert [figure for figure in row["says"] if str(figure) not in said] == []


@pytest.mark.parametrize("kind", ["bad", "good"])
def test_every_rule_has_a_row_of_each_kind(kind: str) -> None:
    shown = {row["code"] for row in ROWS if row["kind"] == kind}
    assert {rule.code.code for rule in RULES} == shown


def test_rules_read_only_keys_that_exist() -> None:
    from config.profile.model import Profile

    assert {key for rule in RULES for key in rule.reads} <= set(Profile.model_fields)


def test_every_rule_has_a_code_of_its_own_and_says_why_and_where_from() -> None:
    codes = [rule.code.code for rule in RULES]
    assert len(set(codes)) == len(codes)
    for rule in RULES:
        assert rule.code.why.endswith(".")
        assert rule.code.source.startswith(("https://", "docs/"))
        assert not rule.code.holds.endswith(".")
