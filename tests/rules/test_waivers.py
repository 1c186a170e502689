"""Waivers: what they lift, what they leave, and what is wrong with one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from config.cluster import Cluster
from config.design.report.plan import report
from config.diagnostics import Diagnostic, counted, render
from config.profile.waiver import Waiver
from config.rules.codes import CODES
from config.rules.example_rows import ProfileExample
from config.rules.waivers import METADATA, as_metadata, declared_in, waived_in
from tests.rules.waiving import REASON, WAIVABLE, bad_rows, waived
from tests.tables import each_row

Check = Callable[..., Cluster]

PARIS = """\
extends: p6-b200
name: mine
region: eu-west-3
availability_zone: eu-west-3a
network: {secondary_zones: []}
observability: {grafana: null}
storage: null
"""


def found(cluster: Cluster, code: str) -> Diagnostic:
    (diagnostic,) = (d for d in cluster.diagnostics if d.code == code)
    return diagnostic


def test_a_waived_error_stays_in_sight_with_its_reason_and_stops_nothing(check: Check) -> None:
    refused = check(PARIS)
    assert (refused.exit_status, refused.design) == (1, None)
    cluster = check(PARIS + "waive: [{code: ORC006, reason: HyperPod came to Paris this month}]\n")
    assert cluster.exit_status == 0
    assert cluster.design is not None
    diagnostic = found(cluster, "ORC006")
    assert (diagnostic.severity.value, diagnostic.waived) == ("error", "HyperPod came to Paris this month")
    assert diagnostic.as_dict()["waived"] == "HyperPod came to Paris this month"
    first, second, *_ = render(diagnostic).splitlines()
    assert first.startswith("waived error[ORC006] region: ")
    assert second == "  waived: HyperPod came to Paris this month"
    assert found(refused, "ORC006").as_dict()["waived"] is None


def test_what_is_waived_is_reported_last_and_counted_apart(check: Check) -> None:
    cluster = check(PARIS + "waive: [{code: ORC006, reason: HyperPod came to Paris this month}]\n")
    assert [d.code for d in cluster.diagnostics][-1] == "ORC006"
    assert counted(cluster.diagnostics) == "1 warning, 1 note, 1 waived"


@pytest.mark.long
@each_row("row", lambda: [row for code in WAIVABLE for row in bad_rows(code)])
def test_with_its_errors_waived_a_profile_is_designed_and_no_finding_is_lost(
    row: ProfileExample, tmp_path: Path
) -> None:
    before, after = waived(row, tmp_path)
    assert {(d.code, d.path, d.message) for d in before.diagnostics} == {
        (d.code, d.path, d.message) for d in after.diagnostics
    }
    assert {d.code for d in after.diagnostics if d.waived == REASON} >= {row.code}
    assert after.exit_status == (0 if after.design else 1)
    if after.design:
        assert {waiver.code for waiver in report(after.design).waivers} >= {row.code}


@each_row("code", WAIVABLE)
def test_an_error_that_can_be_waived_leads_to_a_design(code: str, tmp_path: Path) -> None:
    assert any(waived(row, tmp_path)[1].design for row in bad_rows(code))


def test_a_note_and_a_warning_can_be_waived(check: Check) -> None:
    cluster = check(
        "extends: p6-b200\nwaive:\n"
        "  - {code: PRO028, reason: it is the same stack}\n"
        "  - {code: CAP011, reason: they are kept for us}\n"
    )
    assert {d.code: d.waived for d in cluster.diagnostics} == {
        "PRO028": "it is the same stack",
        "CAP011": "they are kept for us",
    }


def test_faults_of_waivers_are_reported_at_their_lines_and_all_at_once(check: Check) -> None:
    cluster = check(
        "extends: p6-b200\nname: mine\nwaive:\n"
        "  - {code: CAP111, reason: no such code exists}\n"
        "  - {code: LUS002, reason: a size that is not sold}\n"
        "  - {code: CAP011, reason: they are kept for us}\n"
        "  - {code: CAP011, reason: nobody else wants them}\n"
        "  - {code: CAP009, reason: the catalogue is behind}\n"
    )
    reported = [(d.code, d.severity.value, d.line) for d in cluster.diagnostics if d.waived is None]
    assert reported == [
        ("PRO040", "error", 4),
        ("PRO041", "error", 5),
        ("PRO042", "error", 7),
        ("PRO043", "warning", 8),
    ]
    assert found(cluster, "CAP011").waived == "they are kept for us"


@pytest.mark.parametrize("code", ["PRO040", "PRO041", "PRO042", "PRO043"])
def test_what_is_wrong_with_a_waiver_cannot_be_waived(code: str, check: Check) -> None:
    cluster = check(f"extends: p6-b200\nname: mine\nwaive: [{{code: {code}, reason: we like our waivers}}]\n")
    assert [d.code for d in cluster.diagnostics if d.stops] == ["PRO041"]


@pytest.mark.parametrize(
    ("waiver", "code"),
    [
        ("{code: CAP011, reason: too short}", "PRO016"),
        ("{code: CAP011, reason: '          '}", "PRO016"),
        ("{code: CAP011}", "PRO013"),
        ('{code: CAP011, reason: "one line\\nand another"}', "PRO016"),
        ("{code: CAP011, reason: costs $5 an hour}", "PRO016"),
        ("{code: cap011, reason: they are kept for us}", "PRO016"),
        ("CAP011", "PRO011"),
    ],
)
def test_a_waiver_of_the_wrong_shape_is_refused_and_waives_nothing(
    waiver: str, code: str, check: Check
) -> None:
    cluster = check(f"extends: p6-b200\nname: mine\nwaive: [{waiver}]\n")
    assert [d.code for d in cluster.diagnostics if d.stops] == [code]
    assert found(cluster, "CAP011").waived is None


def test_a_profile_that_extends_another_has_its_waivers_unless_it_states_its_own(check: Check) -> None:
    base = "extends: p6-b200\nname: base\nwaive: [{code: CAP011, reason: they are kept for us}]\n"
    files = {"base.yaml": base}
    assert found(check("extends: base.yaml\nname: mine\n", files), "CAP011").waived == "they are kept for us"
    assert found(check("extends: base.yaml\nname: mine\nwaive: []\n", files), "CAP011").waived is None


def test_waivers_stand_in_a_template_by_code() -> None:
    waivers = [
        Waiver(code="ORC006", reason="HyperPod came here\n"),
        Waiver(code="CAP011", reason="kept for us"),
    ]
    declared = as_metadata(waivers)
    assert declared == [
        {"code": "CAP011", "reason": "kept for us"},
        {"code": "ORC006", "reason": "HyperPod came here"},
    ]
    assert waived_in({METADATA: declared}, CODES) == {
        "CAP011": "kept for us",
        "ORC006": "HyperPod came here",
    }


def test_a_hand_in_the_template_waives_no_more_than_a_profile_could() -> None:
    declared = [
        {"code": "LUS002", "reason": "a size that is not sold"},
        {"code": "ZZZ999", "reason": "no such code exists"},
        {"code": "LUS003", "reason": "it came to our zone"},
    ]
    assert waived_in({METADATA: declared}, CODES) == {"LUS003": "it came to our zone"}
    assert set(declared_in({METADATA: declared})) == {"LUS002", "ZZZ999", "LUS003"}


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        [],
        {METADATA: None},
        {METADATA: "CAP011"},
        {METADATA: {"code": "CAP011"}},
        {METADATA: ["CAP011", 1, None, {"code": 1, "reason": "a"}, {"code": "CAP011", "reason": " "}]},
    ],
)
def test_metadata_of_another_shape_waives_nothing(metadata: object) -> None:
    assert declared_in(metadata) == {}
