"""Waivers that come, go or have another reason are told by a review in each of its forms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # stubs are not locked

from config.rules.waivers import METADATA
from scripts.cli.review.forms.as_json import as_json, json_schema
from scripts.cli.review.forms.markdown import as_markdown
from scripts.cli.review.forms.text import write_text
from scripts.cli.review.report import Report
from tests.review.support import ONE, assembly, inside, report, write

OLD = [
    {"code": "CAP011", "reason": "they are kept for us"},
    {"code": "LUS003", "reason": "it came to our zone"},
    {"code": "OBS001", "reason": "Grafana came here"},
]
NEW = [
    {"code": "CAP011", "reason": "they are kept for *us*"},
    {"code": "OBS001", "reason": "Grafana came here"},
    {"code": "ORC006", "reason": "HyperPod came here"},
    {"code": "LUS002", "reason": "a size that is not sold"},
]
REPORTED = [
    "the waiver of CAP011 is changed: they are kept for *us* (before: they are kept for us)",
    "the waiver of LUS002 is added: a size that is not sold; it has no effect, because this code "
    "cannot be waived",
    "the waiver of LUS003 is removed: it came to our zone",
    "the waiver of ORC006 is added: HyperPod came here",
]


@pytest.fixture
def both(tmp_path: Path) -> Report:
    def side(waivers: list[dict[str, str]]) -> dict[str, Any]:
        return assembly({"s": {**ONE, "Metadata": {METADATA: waivers}}})

    write(tmp_path, {**inside("old", side(OLD)), **inside("new", side(NEW))})
    return report(tmp_path, "old", "new")


def test_the_text_tells_each_waiver_that_differs(
    both: Report, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    write_text(both)
    text = capsys.readouterr().out
    assert [line for line in text.splitlines() if "waiver" in line] == REPORTED
    assert "no resource changes" in text


def test_markdown_tells_each_waiver_that_differs(both: Report) -> None:
    reported = [line for line in as_markdown(both).splitlines() if line.startswith("- **waiver**")]
    assert reported == [f"- **waiver** {sentence}".replace("*us*", "\\*us\\*") for sentence in REPORTED]


def test_json_has_both_reasons_and_keeps_to_its_schema(both: Report) -> None:
    data = json.loads(json.dumps(as_json(both)))
    assert list(Draft202012Validator(json_schema()).iter_errors(data)) == []
    (stack,) = data["stacks"]
    assert stack["status"] == "changed"
    assert stack["waivers"][0] == {
        "code": "CAP011",
        "action": "changed",
        "before": "they are kept for us",
        "after": "they are kept for *us*",
        "holds": True,
    }
    assert [(waiver["code"], waiver["action"], waiver["holds"]) for waiver in stack["waivers"][1:]] == [
        ("LUS002", "added", False),
        ("LUS003", "removed", True),
        ("ORC006", "added", True),
    ]
    assert data["exit_status"] == 0


def test_the_same_waivers_are_no_change(tmp_path: Path) -> None:
    write(tmp_path, {"t.json": {**ONE, "Metadata": {METADATA: OLD}}})
    (review,) = report(tmp_path, "t.json", "t.json").stacks
    assert (review.status, review.waivers) == ("unchanged", ())


def test_a_new_stack_tells_the_waivers_that_it_comes_with(tmp_path: Path) -> None:
    new = assembly({"a": ONE, "b": {**ONE, "Metadata": {METADATA: OLD[:1]}}})
    write(tmp_path, {**inside("old", assembly({"a": ONE})), **inside("new", new)})
    found = {
        review.stack: [w.action for w in review.waivers] for review in report(tmp_path, "old", "new").stacks
    }
    assert found == {"a": [], "b": ["added"]}
