"""What holds nodes and queues by the clock is what Kubernetes takes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from kubernetes_validate import validate

from config.cluster import load_cluster
from config.design.kubernetes.calendar import HELD_LABEL
from config.design.kubernetes.cron import EVERY, again
from config.design.kubernetes.steps import Manifest

DATES = {"start": "2027-01-04T11:30Z", "end": "2027-01-18T11:30Z"}
BLOCK = {"kind": "capacity-block", "reservation_id": "cr-0a1b2c3d4e5f60718", **DATES}
GROUPS = [
    {"name": "system", "role": "system", "instance_type": "m6i.4xlarge", "count": 2},
    {
        "name": "a-name-of-thirty-two-characters1", "role": "compute",
        "instance_type": "p6-b200.48xlarge", "count": 4, "capacity": BLOCK,
    },
]  # fmt: skip
MORE = {"name": "more", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 2}


def calendar_objects(folder: Path, *more: dict[str, Any], hold: bool, **orchestrator: Any) -> list[Any]:
    data = {
        "extends": "p6-b200",
        "name": "mine",
        "orchestrator": {"kind": "eks", **orchestrator},
        "compute": {"groups": [*GROUPS, *more]},
        "calendar": {"hold": hold},
    }
    file = folder / "mine.yaml"
    file.write_text(yaml.safe_dump(data))
    design = load_cluster(str(file)).design
    assert design is not None
    assert design.eks is not None
    (step,) = [step for step in design.eks.contents.steps if step.name == "calendar"]
    assert isinstance(step, Manifest)
    return list(step.objects)


@pytest.mark.parametrize("hold", [True, False])
@pytest.mark.parametrize("scheduler", ["kueue", "volcano", "kai"])
def test_kubernetes_takes_every_object(hold: bool, scheduler: str, tmp_path: Path) -> None:
    for one in calendar_objects(tmp_path, hold=hold, scheduler=scheduler):
        validate(one, "1.35", strict=True)
        # a CronJob's name has 52 characters at most: its jobs' names have eleven more
        assert len(one["metadata"]["name"]) <= 52


def kinds_of(objects: list[Any]) -> list[str]:
    return [one["metadata"]["name"] for one in objects if one["kind"] == "CronJob"]


def test_queues_are_held_where_nothing_is_left_and_only_there(tmp_path: Path) -> None:
    cordon = f"cordon-{GROUPS[1]['name']}"
    assert kinds_of(calendar_objects(tmp_path, hold=True)) == [cordon, "hold-queues"]
    assert kinds_of(calendar_objects(tmp_path, MORE, hold=True)) == [cordon]
    assert kinds_of(calendar_objects(tmp_path, hold=True, scheduler="volcano")) == [cordon]


def test_nodes_that_others_have_cordoned_stay_so(tmp_path: Path) -> None:
    objects = calendar_objects(tmp_path, hold=True)
    (held,) = [one for one in objects if one["metadata"]["name"] == f"cordon-{GROUPS[1]['name']}"]
    (released,) = [one for one in objects if one["kind"] == "Job"]
    label, cordon = commands(held["spec"]["jobTemplate"]["spec"])
    # those that take pods get the label, and what has none is never uncordoned
    assert {"--field-selector=spec.unschedulable=false", f"{HELD_LABEL}=held"} <= set(label)
    uncordon = commands(released["spec"])[0]
    assert uncordon == ["uncordon", f"--selector={HELD_LABEL}=held"]
    assert cordon[-1] == f"--selector=ultracluster/group={GROUPS[1]['name']},{HELD_LABEL}=held"


def commands(job: dict[str, Any]) -> list[list[str]]:
    pods = job["template"]["spec"]
    return [one["args"] for one in (*pods["initContainers"], *pods["containers"])]


def fires(schedule: str) -> Iterator[tuple[int, int, int, int]]:
    """Months, days, hours and minutes of a schedule."""
    every, hours, days, months, _ = schedule.split()
    (first, last), (one, other) = (map(int, text.split("-")) for text in (hours, days))
    for day, hour, minute in product(range(one, other + 1), range(first, last + 1), range(0, 60, 15)):
        assert every == EVERY
        yield int(months), day, hour, minute


@pytest.mark.long
@given(
    st.datetimes(datetime(2026, 1, 1), datetime(2030, 1, 1)),
    st.timedeltas(timedelta(0), timedelta(days=200)),
)
def test_what_is_held_is_held_again_every_quarter_of_an_hour_until_the_machines_go(
    first: datetime, span: timedelta
) -> None:
    def whole(moment: datetime) -> datetime:
        return moment.replace(minute=0, second=0, microsecond=0)

    wanted, moment = [], whole(first) + timedelta(hours=1)
    while moment < whole(first + span):
        wanted.append((moment.month, moment.day, moment.hour, moment.minute))
        moment += timedelta(minutes=15)
    found = [moment for schedule in again(first, first + span) for moment in fires(schedule)]
    assert found == wanted


def test_the_account_may_do_what_is_done_and_no_more(tmp_path: Path) -> None:
    (role,) = [one for one in calendar_objects(tmp_path, hold=True) if one["kind"] == "ClusterRole"]
    nodes, queues = role["rules"]
    assert nodes["verbs"] == ["get", "list", "patch"]
    assert queues["resourceNames"]
    assert queues["verbs"] == ["get", "patch"]
    (role,) = [one for one in calendar_objects(tmp_path, MORE, hold=True) if one["kind"] == "ClusterRole"]
    assert [rule["resources"] for rule in role["rules"]] == [["nodes"]]
