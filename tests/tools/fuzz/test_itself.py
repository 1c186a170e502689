"""The fuzz tests report each wrong property, cover the schema, and are reproducible for a seed."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from config.cluster import Cluster
from config.diagnostics import Diagnostic, Severity
from config.profile.source.loader import load
from config.profile.source.yaml_source import read_yaml
from scripts.tools.fuzz import __main__ as command
from scripts.tools.fuzz import synths
from scripts.tools.fuzz.case import Case
from scripts.tools.fuzz.cases import cases, small_cases
from scripts.tools.fuzz.checks import properties
from scripts.tools.fuzz.checks.by_schema import check_shape_by_schema
from scripts.tools.fuzz.checks.diagnostics import check_diagnostics, lines_of
from scripts.tools.fuzz.checks.planted import valid_profile
from scripts.tools.fuzz.checks.properties import check
from scripts.tools.fuzz.checks.waived import accepts_errors, with_waivers
from scripts.tools.fuzz.finding import Finding, Found
from scripts.tools.fuzz.shrink import shrunk
from scripts.tools.fuzz.stored import store, stored
from scripts.tools.fuzz.tally import Tally, explained, profile_codes
from scripts.tools.fuzz.validations import drawn
from scripts.tools.fuzz.values.mutations import HOSTILE, NUMBERS, OTHERS, key_at, places_in
from scripts.tools.fuzz.values.schema_values import definition, definitions, every_key, keys_in, of_model
from scripts.tools.fuzz.values.texts import as_json, block, flow, short
from tests.conftest import ROOT

VALID = Case(files={"my.yaml": block(valid_profile()).encode()})
DIAGNOSTIC = Diagnostic(
    code="PRO011", severity=Severity.ERROR, path="name", message="1 is not text", hint="write text",
    source="docs/reference/profiles.md", file="my.yaml", line=1,
)  # fmt: skip


def no_report(*_: object) -> None:
    raise KeyError("peak")


def rejected(*diagnostics: Diagnostic) -> Cluster:
    with VALID.written() as folder:
        return replace(VALID.load(folder), design=None, diagnostics=diagnostics)


def kinds(cluster: Cluster) -> list[str]:
    return [finding.expected for finding in check_diagnostics(VALID, cluster)]


def test_a_complete_diagnostic_is_no_finding() -> None:
    assert kinds(rejected(DIAGNOSTIC)) == []


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        ({"code": "XXX001"}, "a diagnostic is complete"),
        ({"severity": Severity.NOTE}, "a diagnostic is complete"),
        ({"hint": ""}, "a diagnostic is complete"),
        ({"waived": "because I say so"}, "a diagnostic is complete"),
        ({"message": "<class 'int'> is not text"}, "a diagnostic has no Python terms"),
        ({"message": "None is not text"}, "a diagnostic has no Python terms"),
        ({"hint": "Input should be a valid string"}, "a diagnostic has no Python terms"),
        ({"message": "1 is not text."}, "a diagnostic ends without a period"),
        ({"line": 2}, "a diagnostic has the line of its key"),
        ({"line": None}, "a diagnostic has the line of its key"),
        ({"line": 900}, "a line number is within its file"),
    ],
)
def test_a_diagnostic_that_lacks_something_is_a_finding(change: dict[str, Any], holds: str) -> None:
    error = replace(DIAGNOSTIC, code="ORC002", path="orchestrator", message="that is all", line=37)
    assert holds in kinds(rejected(replace(DIAGNOSTIC, **change), error))


def test_a_refusal_without_a_reason_is_a_finding() -> None:
    assert kinds(rejected()) == ["a rejected profile has an error"]


@pytest.mark.parametrize(
    ("text", "faults", "holds"),
    [
        ("extends: p5\nname: mine\nstorage: {local_nvme: {raid: 1}}\n", 1, []),
        ("extends: p5\nname: mine\n", 0, []),
        (
            "extends: p5\nname: mine\nstorage: {local_nvme: {raid: false}}\n",
            0,
            ["the schema accepts a profile without shape errors"],
        ),
        ("extends: p5\nname: mine\n", 1, ["a profile that the schema accepts has no shape errors"]),
    ],
)
def test_where_schema_and_loader_disagree_is_a_finding(
    text: str, faults: int, holds: list[str], tmp_path: Path
) -> None:
    (tmp_path / "my.yaml").write_text(text, encoding="utf-8")
    loaded = load("my.yaml", base=tmp_path)
    loaded.diagnostics = [DIAGNOSTIC] * faults
    assert [finding.expected for finding in check_shape_by_schema(loaded)] == holds


def test_a_profile_is_accepted_once_its_errors_are_waived() -> None:
    place = "region: us-west-1\navailability_zone: us-west-1a\nnetwork: {secondary_zones: []}\n"
    text = f"extends: p5\nname: mine\n{place}"
    case = Case(files={"my.yaml": text.encode()})
    with case.written() as folder:
        rejected_one = case.load(folder)
    waived = with_waivers(case, rejected_one)
    assert waived is not None
    with waived.written() as folder:
        accepted = waived.load(folder)
    assert rejected_one.design is None
    assert accepted.design is not None
    assert accepts_errors(accepted)
    assert with_waivers(waived, accepted) is None


def test_an_error_that_nobody_can_waive_is_not_waived() -> None:
    case = Case(files={"my.yaml": b"extends: p5\nname: Bad\n"})
    with case.written() as folder:
        assert with_waivers(case, case.load(folder)) is None


def test_an_exception_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(Case, "load", fails)
    (finding,) = check(VALID).findings
    assert finding.expected == "validation never raises"
    assert f"ZeroDivisionError: by nothing in {Path(__file__).name}" in finding.observed


def test_a_plan_that_raises_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(properties, "report", no_report)
    assert [finding.expected for finding in check(VALID).findings] == ["processing never raises"]


def test_a_case_that_shows_a_finding_is_made_small() -> None:
    def findings_of(case: Case) -> tuple[Finding, ...]:
        return (Finding("x", "y"),) if b"vpc_cidr" in case.files["my.yaml"] else ()

    other = replace(VALID, files={**VALID.files, "other.yaml": b""}, orchestrator="eks")
    small = shrunk(Found(Finding("x", "y"), other), findings_of).case
    assert (list(small.files), small.orchestrator) == (["my.yaml"], None)
    assert small.text() == 'network:\n  vpc_cidr: "10.0.0.0/16"\n'


def test_a_reported_case_can_be_pasted() -> None:
    assert Case(files={"my.yaml": b"name: mine\n"}, orchestrator="eks", about=("hand",)).as_yaml() == (
        "# generated by: hand\n# --orchestrator eks\n# my.yaml\nname: mine"
    )
    assert r"b'\x00'" in Case(files={"my.yaml": b"\0"}).as_yaml()


@pytest.mark.parametrize("style", [block, flow, as_json, short])
def test_every_style_is_read_back_as_the_same_data(style: Any) -> None:
    halves = "\ud800"  # a file cannot contain half of a surrogate pair
    values = [value for value in (*HOSTILE, *NUMBERS, *OTHERS) if value == value and value != halves]
    profiles = [{"name": value, "a": [value, {"b": value}]} for value in values]
    assert [data for data in profiles if read_yaml(style(data)).data != _as_read(data)] == []


def _as_read(value: Any) -> Any:
    """Return the value as the loader reads it: infinite numbers are texts."""
    if isinstance(value, dict):
        return {key: _as_read(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_as_read(item) for item in value]
    infinite = isinstance(value, float) and abs(value) == float("inf")
    if infinite:
        return ".inf" if value > 0 else "-.inf"
    return value


@pytest.mark.long
def test_every_model_of_the_schema_is_generated_with_every_key() -> None:
    seen: set[str] = set()
    for name in definitions():
        drawn(of_model(name), 60, 1, lambda value, name=name: seen.update(_keys(value, name)))  # type: ignore[misc]  # the name is bound at once
    assert every_key() - seen == set()


def _keys(value: Any, name: str) -> set[str]:
    return set(keys_in(value, {**definition(name), "title": name}))


def test_every_key_of_the_sound_profile_is_known_to_the_schema() -> None:
    data = valid_profile()
    keys = [at for at in places_in(data) if isinstance(at[-1], str)]
    assert [at for at in keys if key_at(data, at) is None] == []
    assert ("DataRepository", "import") in [key_at(data, at) for at in keys]


def test_lines_are_those_of_keys_and_items() -> None:
    assert lines_of("a: 1\nb:\n  - c\n  - {d: 1}\n") == {"a": 1, "b": 2, "b[0]": 3, "b[1]": 4, "b[1].d": 4}
    assert lines_of("a: [") == {}


@pytest.mark.long
def test_the_same_seed_gives_the_same_cases() -> None:
    one: list[Case] = []
    two: list[Case] = []
    drawn(cases(), 30, 5, one.append)
    drawn(cases(), 30, 5, two.append)
    assert one == two
    other: list[Case] = []
    drawn(cases(), 30, 6, other.append)
    assert other != one


@pytest.mark.long
def test_the_same_seed_gives_the_same_cases_in_another_process() -> None:
    code = (
        "%s; from scripts.tools.fuzz.cases import cases; from scripts.tools.fuzz.validations import drawn\n"
        "found = []; drawn(cases(), 30, 5, found.append); print(sorted(map(repr, found)))"
    )
    reported = {
        subprocess.run(
            [sys.executable, "-c", code % other], cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": number},
            capture_output=True, check=True,
        ).stdout
        # otherwise Hypothesis uses constants of the loaded modules, so code changes change cases
        for number, other in (("1", "pass"), ("2", "import scripts.cli.review.report, scripts.cloud.server"))
    }  # fmt: skip
    assert len(reported) == 1


def test_cases_travel_through_folders(tmp_path: Path) -> None:
    made: list[Case] = []
    drawn(small_cases(), 5, 1, made.append)
    made = [
        *made,
        Case(files={}, profile="p5-dev", orchestrator="hyperpod-eks", about=("a built-in profile",)),
    ]
    store(made, tmp_path)
    assert [(case, case.about) for case, _ in stored(tmp_path)] == [(one, one.about) for one in made]


def test_codes_that_are_explained_as_unreached_exist() -> None:
    assert set(explained()) <= profile_codes()


@pytest.mark.long
def test_a_run_without_findings_has_status_0_and_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--seed", "1", "--validations", "20", "--synths", "0"]) == 0
    said = capsys.readouterr().out
    assert "seed 1: 20 validations, 0 synths" in said
    assert "0 findings" in said.splitlines()[-1]


@pytest.mark.long
def test_a_finding_is_printed_with_its_case_and_has_status_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(properties, "report", no_report)
    assert command.main(["--seed", "2", "--validations", "20", "--synths", "0"]) == 1
    said = capsys.readouterr().out
    assert "FINDING processing never raises\n  KeyError: 'peak'" in said
    assert "    # my.yaml\n    " in said


def test_without_a_seed_the_recorded_ones_are_run_and_then_a_random_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run: list[int] = []

    def noted(seed: int, *_: int) -> bool:
        run.append(seed)
        return True

    monkeypatch.setattr(command, "run", noted)
    assert command.main([]) == 0
    assert run[:-1] == command.recorded_seeds()
    assert run[-1] not in command.recorded_seeds()


def test_a_process_that_dies_while_it_synthesizes_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "false")
    tally = Tally()
    synths.synthesize_all([VALID], tally, lambda _: None)
    (found,) = tally.found.values()
    assert found.finding.observed.startswith("the process stopped")
    assert found.case == VALID


def test_a_sample_is_spread_over_all() -> None:
    many = [Case(files={"my.yaml": str(number).encode()}) for number in range(10)]
    assert [case.text() for case in synths.spread(many, 3)] == ["0", "3", "6"]
    assert synths.spread(many[:2], 3) == many[:2]
