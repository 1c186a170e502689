"""The reservation of a calendar with a real slurmctld: jobs that cannot finish in time do not start."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from config.design.capacity.holds import in_slurm
from tests.conftest import ROOT
from tests.slurm.real.conftest import conf_of
from tests.slurm.real.slurm_cluster import Slurm

SCRIPT = ROOT / "scripts/node/slurm/calendar.sh"
NAME = "ultracluster-end-train"
JOB = ("-N1", "--partition=train")
HELD = ("ReqNodeNotAvail", "Reservation", "Resources")


@pytest.fixture
def slurm() -> Iterator[Slurm]:
    with Slurm(conf_of("p5", nodes=2)) as running:
        yield running


def soon(**later: float) -> datetime:
    return datetime.now(UTC).replace(microsecond=0) + timedelta(**later)


def hold(slurm: Slurm, folder: Path, *lines: str, on: str = "any") -> subprocess.CompletedProcess[str]:
    """Run the script as a node does, with the lines of a calendar."""
    (folder / "calendar.sh").write_text(SCRIPT.read_text())
    listed = "\n".join(lines)
    (folder / "calendar-settings.env").write_text(f"CALENDAR_HOLDS='{listed}'\nCALENDAR_ON='{on}'\n")
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "SLURM_CONF": str(slurm.folder / "slurm.conf")}
    return subprocess.run(
        ["bash", str(folder / "calendar.sh"), "hold"],
        env=environment, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


def line(start: datetime, end: datetime) -> str:
    return f"{NAME} train {in_slurm(start)} {in_slurm(end)}"


def reservations(slurm: Slurm) -> str:
    return slurm.ask("env", "TZ=UTC", "scontrol", "--oneliner", "show", "reservation")


@pytest.mark.long
def test_a_job_that_would_run_on_does_not_start_and_a_shorter_one_does(slurm: Slurm, tmp_path: Path) -> None:
    start, end = soon(minutes=30), soon(minutes=90)
    made = hold(slurm, tmp_path, line(start, end))
    assert made.returncode == 0, made.stdout + made.stderr
    long = slurm.submit("sleep 60", *JOB, "--time=60")
    endless = slurm.submit("sleep 60", *JOB, "--time=UNLIMITED")
    short = slurm.submit("true", *JOB, "--time=5")
    slurm.wait_for(short, "COMPLETED")
    for held in (long, endless):
        reported = slurm.job(held)
        assert reported.state == "PENDING"
        assert any(word in reported.reason for word in HELD), reported
    # without the reservation, it starts immediately
    assert hold(slurm, tmp_path).returncode == 0
    slurm.wait_for(long, "RUNNING", 60)
    assert not slurm.errors()


def test_a_reservation_is_made_once_changed_with_its_dates_and_taken_back(
    slurm: Slurm, tmp_path: Path
) -> None:
    start, end = soon(hours=2), soon(hours=3)
    for _ in range(2):
        assert hold(slurm, tmp_path, line(start, end)).returncode == 0
    reported = reservations(slurm)
    assert reported.count("ReservationName=") == 1
    assert f"StartTime={in_slurm(start)} EndTime={in_slurm(end)}" in reported
    assert "Nodes=train-[1-2]" in reported
    assert {"MAINT", "IGNORE_JOBS", "PART_NODES"} <= set(
        reported.partition("Flags=")[2].split()[0].split(",")
    )
    later = line(start + timedelta(hours=1), end + timedelta(hours=1))
    assert hold(slurm, tmp_path, later).returncode == 0
    assert f"StartTime={in_slurm(start + timedelta(hours=1))}" in reservations(slurm)
    assert "ReservationName" not in (hold(slurm, tmp_path).stdout, reservations(slurm))[1]


@pytest.mark.long
def test_a_hold_that_should_have_begun_begins_now_and_running_jobs_run_on(
    slurm: Slurm, tmp_path: Path
) -> None:
    running = slurm.submit("sleep 100", *JOB, "--time=5")
    slurm.wait_for(running, "RUNNING")
    late = line(soon(hours=-3), soon(hours=1))
    for _ in range(2):
        assert hold(slurm, tmp_path, late).returncode == 0
    assert reservations(slurm).count(f"ReservationName={NAME} ") == 1
    waiting = slurm.submit("true", *JOB, "--time=1")
    reported = slurm.job(waiting)
    assert reported.state == "PENDING"
    assert slurm.job(running).state == "RUNNING"


@pytest.mark.long
def test_a_reservation_that_is_over_is_not_made(slurm: Slurm, tmp_path: Path) -> None:
    assert hold(slurm, tmp_path, line(soon(hours=-3), soon(hours=-1))).returncode == 0
    assert "ReservationName" not in reservations(slurm)


@pytest.mark.long
def test_other_reservations_are_left_alone(slurm: Slurm, tmp_path: Path) -> None:
    mine = ("reservationname=mine", "user=root", "starttime=now", "duration=60", "nodes=train-1")
    slurm.ask("scontrol", "create", "reservation", *mine)
    assert hold(slurm, tmp_path).returncode == 0
    assert "ReservationName=mine" in reservations(slurm)


@pytest.mark.long
def test_a_controller_that_does_not_answer_is_asked_again(slurm: Slurm, tmp_path: Path) -> None:
    slurm._daemons.kill("slurmctld")
    assert hold(slurm, tmp_path, line(soon(hours=2), soon(hours=3))).returncode == 1


@pytest.mark.long
def test_of_a_controller_of_ones_own_it_alone_makes_reservations(slurm: Slurm, tmp_path: Path) -> None:
    assert hold(slurm, tmp_path, line(soon(hours=2), soon(hours=3)), on="controller").returncode == 0
    host = subprocess.run(["hostname", "-s"], capture_output=True, text=True, check=True).stdout.strip()
    there = host in slurm.ask("scontrol", "ping")
    assert ("ReservationName" in reservations(slurm)) == there
