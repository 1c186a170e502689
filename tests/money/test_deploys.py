"""A cluster's tags, its budget and its calendar, deployed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.cloud.assets import put_assets
from scripts.cloud.local import LocalCloud, local_cloud
from tests.conftest import Synthesized

pytestmark = [pytest.mark.cloud, pytest.mark.synth, pytest.mark.long]

REGION = "us-west-2"
DATES = {"start": "2027-01-04T11:30Z", "end": "2027-01-18T11:30Z"}
BLOCK = {"kind": "capacity-block", "reservation_id": "cr-0a1b2c3d4e5f60718", **DATES}
PLAN = {
    "kind": "training-plan",
    "arn": "arn:aws:sagemaker:us-west-2:123456789012:training-plan/mine",
    "availability_zone_id": "usw2-az2",
    **DATES,
}
TRAIN = {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 4}
LOGIN = {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1}
CONTROLLER = {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1}
SYSTEM = {"name": "system", "role": "system", "instance_type": "m6i.4xlarge", "count": 2}
# EKS scales a group to 0, EC2 and HyperPod take the machines themselves
LEAD_MIN = {"hyperpod-slurm": 60, "hyperpod-eks": 60, "eks": 40, "pcs": 30}
GROUPS: Mapping[str, list[dict[str, Any]]] = {
    "hyperpod-slurm": [CONTROLLER, LOGIN, {**TRAIN, "capacity": PLAN}],
    "hyperpod-eks": [SYSTEM, {**TRAIN, "capacity": PLAN}],
    "eks": [SYSTEM, {**TRAIN, "capacity": BLOCK}],
    "pcs": [LOGIN, {**TRAIN, "capacity": BLOCK}],
}


def profile(kind: str, **calendar: Any) -> dict[str, Any]:
    """A cluster on dated machines, with everything that money has to do with."""
    return {
        "extends": "p6-b200",
        "name": "mine",
        "orchestrator": {"kind": kind},
        "compute": {"groups": GROUPS[kind]},
        "tags": {"owner": "pretraining"},
        "budget": {
            "monthly_usd": 9_000_000,
            "alerts": [
                {"percent": 100, "figure": "forecast", "emails": ["ml@example.com"]},
                {"percent": 80, "emails": ["ops@example.com", "ml@example.com"]},
            ],
        },
        "calendar": {
            "longest_job_h": 24,
            "reminders": {"before_h": [24, 2], "emails": ["ml@example.com"]},
            **calendar,
        },
    }


@contextmanager
def deployed(made: Synthesized) -> Iterator[tuple[LocalCloud, Any]]:
    with local_cloud() as cloud:
        cloud.bootstrap(REGION)
        put_assets(cloud, REGION, made.folder)
        stack = cloud.deploy(REGION, "mine", made.text)
        assert stack.status == "CREATE_COMPLETE", [e.reason for e in stack.events if "FAILED" in e.status]
        yield cloud, stack


@pytest.mark.parametrize("kind", GROUPS)
def test_a_cluster_tells_of_its_costs_and_of_its_end(
    kind: str, tried: Callable[[str, str | None], Synthesized], tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(profile(kind)))
    with deployed(tried(str(file), None)) as (cloud, _):
        (budget,) = cloud.client("budgets", "us-east-1").describe_budgets(AccountId="123456789012")["Budgets"]
        assert budget["BudgetLimit"] == {"Amount": "9000000", "Unit": "USD"}
        assert budget["CostFilters"] == {"TagKeyValue": ["user:ultracluster:profile$mine"]}
        events = cloud.client("events", REGION)
        clock = [rule for rule in events.list_rules()["Rules"] if "ScheduleExpression" in rule]
        termination = datetime(2027, 1, 18, 11, 30, tzinfo=UTC) - timedelta(minutes=LEAD_MIN[kind])
        assert sorted(rule["ScheduleExpression"] for rule in clock) == [
            f"cron({termination.minute} {termination.hour} 17 1 ? 2027)",
            f"cron({termination.minute} {termination.hour - 2} 18 1 ? 2027)",
        ]
        last = termination - timedelta(hours=24, minutes=30)
        for rule in clock:
            (target,) = events.list_targets_by_rule(Rule=rule["Name"])["Targets"]
            assert ":mine-calendar" in target["Arn"]
            reported = f"Last safe start for a 24-hour job: {last:%Y-%m-%d %H:%M} UTC"
            assert reported in json.loads(target["Input"])


def written(folder: Path, name: str, data: dict[str, Any]) -> str:
    (folder / f"{name}.yaml").write_text(yaml.safe_dump(data))
    return str(folder / f"{name}.yaml")


def objects_of(made: Synthesized) -> list[dict[str, Any]]:
    """The objects of the calendar's manifest; references in it leave nothing of theirs."""
    declared = made.resources("Custom::AWSCDK-EKS-KubernetesResource").values()
    texts = [resource["Properties"]["Manifest"] for resource in declared]
    return [
        found
        for text in texts
        if isinstance(text, str) and "ultracluster-calendar" in text
        for found in json.loads(text)
    ]


@pytest.mark.parametrize("kind", ["eks", "hyperpod-eks"])
def test_nodes_and_queues_of_kubernetes_are_held_from_the_last_safe_start_on(
    kind: str, tried: Callable[[str, str | None], Synthesized], tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(profile(kind)))
    jobs = {o["metadata"]["name"]: o for o in objects_of(tried(str(file), None)) if o["kind"] == "CronJob"}
    repeated = {"eks": "*/15 11-", "hyperpod-eks": "*/15 11-"}[kind]
    assert jobs["cordon-train-1"]["spec"]["schedule"].startswith(repeated)
    assert jobs["hold-queues-1"]["spec"]["schedule"] == jobs["cordon-train-1"]["spec"]["schedule"]
    cordon, hold = jobs["cordon-train"]["spec"], jobs["hold-queues"]["spec"]
    wanted = {"eks": "20 10 17 1 *", "hyperpod-eks": "0 10 17 1 *"}[kind]
    assert cordon["schedule"] == hold["schedule"] == wanted
    (node,) = cordon["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    assert node["image"].startswith("registry.k8s.io/kubectl:v1.3")
    assert node["args"][0] == "cordon"
    assert node["args"][1].endswith("=train,ultracluster/calendar=held")
    (queue,) = hold["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    assert '--patch={"spec":{"stopPolicy":"Hold"}}' in queue["args"]


def test_a_hold_is_taken_back_by_the_next_deployment(
    tried: Callable[[str, str | None], Synthesized], tmp_path: Path
) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(profile("eks", hold=False)))
    (job,) = [o for o in objects_of(tried(str(file), None)) if o["kind"] in ("Job", "CronJob")]
    pods = job["spec"]["template"]["spec"]
    done = [container["args"] for container in (*pods["initContainers"], *pods["containers"])]
    assert [arguments[0] for arguments in done] == ["uncordon", "label", "patch"]
    assert '--patch={"spec":{"stopPolicy":"None"}}' in done[-1]


def test_what_was_held_for_one_block_is_not_held_for_the_next(
    tried: Callable[[str, str | None], Synthesized], tmp_path: Path
) -> None:
    def release(name: str, **calendar: Any) -> str:
        made = tried(written(tmp_path, name, profile("eks", **calendar)), None)
        (job,) = [one["metadata"]["name"] for one in objects_of(made) if one["kind"] == "Job"]
        return str(job)

    # a job of another name is made anew
    assert release("first") != release("second", drain_min=60)
