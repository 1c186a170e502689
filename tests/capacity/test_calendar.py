"""Calendar calculations, for any dates."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from config.cluster import load_cluster
from config.design.capacity.calendar import BAR, bars_of, gaps_of
from config.design.capacity.holds import Hold, holds_of, reservation_command, settings_of
from config.design.capacity.reminders import reminders_of
from config.design.model import Design
from config.design.report.plan import report
from scripts.cli.main import main

FIRST = datetime(2027, 1, 4, 11, 30, tzinfo=UTC)


@st.composite
def holds(draw: st.DrawFn) -> list[Hold]:
    found = []
    for number in range(draw(st.integers(1, 6))):
        start = FIRST + timedelta(minutes=draw(st.integers(0, 300 * 1440)))
        end = start + timedelta(minutes=draw(st.integers(1, 182 * 1440)))
        termination = end - timedelta(minutes=draw(st.integers(0, 60)))
        drained = termination - timedelta(minutes=draw(st.integers(0, 10080)))
        last = drained - timedelta(hours=draw(st.integers(0, 4368)))
        declared = start if draw(st.booleans()) else None
        found.append(
            Hold(
                group=f"group-{number}", start=declared, end=end, termination=termination,
                drained=drained, last_start=last, partition=None,
            )
        )  # fmt: skip
    return found


@given(holds())
def test_every_bar_is_of_one_width_and_in_one_order(found: list[Hold]) -> None:
    for bar in bars_of(found):
        assert len(bar) == BAR
        assert re.fullmatch(r"\.*=*-*x+\.*", bar)


@given(holds(), st.integers(1, 200))
def test_bars_of_any_width_have_it(found: list[Hold], width: int) -> None:
    assert {len(bar) for bar in bars_of(found, width)} == {width}


@given(holds())
def test_a_machine_that_stays_longer_has_no_shorter_end_in_the_picture(found: list[Hold]) -> None:
    ends = [(hold.end, len(bar.rstrip("."))) for hold, bar in zip(found, bars_of(found), strict=True)]
    ordered = sorted(ends)
    # what is too short for a character has one all the same
    assert all(before <= after + 1 for (_, before), (_, after) in pairwise(ordered))


@given(holds())
def test_in_a_gap_no_reservation_runs_and_outside_of_gaps_one_does(found: list[Hold]) -> None:
    dated = [(hold.start, hold.end) for hold in found if hold.start is not None]
    gaps = gaps_of(found)
    for gap in gaps:
        assert gap.start < gap.end
        assert not any(start < gap.end and end > gap.start for start, end in dated)
    if dated:
        first, last = min(start for start, _ in dated), max(end for _, end in dated)
        for start, end in dated:
            for moment in (start, end - timedelta(minutes=1)):
                assert first <= moment <= last
                assert not any(gap.start <= moment < gap.end for gap in gaps)


def designed(folder: Path, kind: str = "pcs", **calendar: Any) -> Design:
    file = folder / "mine.yaml"
    file.write_text(yaml.safe_dump(profile(kind, **calendar)))
    design = load_cluster(str(file)).design
    assert design is not None
    return design


def profile(kind: str = "pcs", **calendar: Any) -> dict[str, Any]:
    """Return a profile with two Capacity Blocks, two days apart in time."""

    def block(name: str, number: int, start: str, end: str) -> dict[str, Any]:
        dates = {"start": f"{start}T11:30Z", "end": f"{end}T11:30Z"}
        reservation = {"kind": "capacity-block", "reservation_id": f"cr-0a1b2c3d4e5f6071{number}", **dates}
        return {
            "name": name, "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 4,
            "capacity": reservation,
        }  # fmt: skip

    return {
        "extends": "p6-b200",
        "name": "mine",
        "orchestrator": {"kind": kind},
        "compute": {
            "groups": [
                {"name": "system", "role": "system", "instance_type": "m6i.4xlarge", "count": 2}
                if kind == "eks"
                else {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1},
                block("january", 1, "2027-01-04", "2027-01-18"),
                block("february", 2, "2027-01-20", "2027-02-03"),
            ]
        },
        "calendar": calendar,
    }


def test_machines_of_a_block_go_half_an_hour_before_its_end_and_drain_before(tmp_path: Path) -> None:
    design = designed(tmp_path, longest_job_h=24, drain_min=60, checkpoint_before_min=90)
    first, second = holds_of(design.profile, design.groups)
    assert (first.group, second.group) == ("january", "february")
    assert first.termination == datetime(2027, 1, 18, 11, 0, tzinfo=UTC)
    assert first.drained == datetime(2027, 1, 18, 10, 0, tzinfo=UTC)
    assert first.last_start == datetime(2027, 1, 17, 10, 0, tzinfo=UTC)
    plan = design.calendar
    assert plan is not None
    assert plan.checkpoint_by(first) == datetime(2027, 1, 18, 9, 30, tzinfo=UTC)
    assert [(gap.before, gap.after, gap.end - gap.start) for gap in plan.gaps] == [
        ("january", "february", timedelta(days=2))
    ]


def test_under_eks_machines_go_when_eks_scales_their_group_down(tmp_path: Path) -> None:
    design = designed(tmp_path, "eks")
    assert holds_of(design.profile, design.groups)[0].termination == datetime(2027, 1, 18, 10, 50, tzinfo=UTC)


def test_a_profile_without_a_calendar_holds_nothing_and_has_the_bundle_that_it_had(tmp_path: Path) -> None:
    data = profile()
    del data["calendar"]
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(data))
    design = load_cluster(str(file)).design
    assert design is not None
    assert holds_of(design.profile, design.groups) == ()
    assert settings_of(design.profile, design.groups) is None
    assert report(design).calendar is None
    assert design.pcs is not None
    assert not any(name.startswith("calendar") for name in design.pcs.scripts.files)


@pytest.mark.parametrize("held", [True, False])
def test_nodes_of_slurm_are_reported_what_to_hold(held: bool, tmp_path: Path) -> None:
    design = designed(tmp_path, hold=held)
    assert design.pcs is not None
    files = design.pcs.scripts.files
    assert 'step bash "$here/calendar.sh" install "$here"' in files["prepare.sh"]
    line = "ultracluster-end-january january 2027-01-18T10:30:00 2027-01-18T11:30:00"
    assert (line in files["calendar-settings.env"]) is held
    assert "CALENDAR_ON='any'" in files["calendar-settings.env"]


def test_the_command_by_hand_says_what_the_script_does(tmp_path: Path) -> None:
    design = designed(tmp_path)
    command = reservation_command(holds_of(design.profile, design.groups)[0])
    assert "starttime=2027-01-18T10:30:00 endtime=2027-01-18T11:30:00" in command
    assert "partitionname=january nodes=ALL flags=maint,ignore_jobs,part_nodes" in command


def test_messages_name_the_moments_that_matter(tmp_path: Path) -> None:
    design = designed(tmp_path, reminders={"before_h": [2, 24, 24], "emails": ["ml@example.com"]})
    reported = reminders_of(design.profile, design.calendar)
    assert [one.name for one in reported] == ["january-24h", "january-2h", "february-24h", "february-2h"]
    assert reported[0].at == datetime(2027, 1, 17, 11, 0, tzinfo=UTC)
    assert "All jobs must end by 2027-01-18 10:30 UTC." in reported[0].text


def test_the_plan_shows_each_group_on_one_line_that_fits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "64")
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(profile(longest_job_h=24)))
    assert main(["plan", str(file)]) == 0
    shown = capsys.readouterr().out
    bars = [line for line in shown.splitlines() if re.search(r"[.=x-]{48}$", line)]
    assert [line.split()[0] for line in bars] == ["january", "february"]
    assert all(len(line) <= 64 for line in bars)
    assert "48.0 hours without instances" in shown
    assert "2027-01-17T10:30Z" in shown
