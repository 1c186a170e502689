"""A template that waives a code: neither the embedded cloud nor a review refuses by it, and both tell it."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from config.rules.waivers import METADATA
from scripts.cli.review import Review, review_templates
from scripts.cloud.local import local_cloud
from scripts.cloud.template.document import Template
from scripts.cloud.validation import problems
from tests.cloud.validation.test_cloud import NETWORK, REGION

NEXT = "our preview has the next Slurm"
WAIVER = {"code": "PCS006", "reason": NEXT}


def slurm(version: str = "27.05", subnets: int = 1) -> dict[str, Any]:
    properties = {
        "Name": "train",
        "Size": "SMALL",
        "Scheduler": {"Type": "SLURM", "Version": version},
        "Networking": {
            "SubnetIds": [{"Ref": "Subnet"}] * subnets,
            "SecurityGroupIds": [{"Fn::GetAtt": ["Group", "GroupId"]}],
        },
    }
    return {"Type": "AWS::PCS::Cluster", "Properties": properties}


def template(waivers: list[dict[str, str]], **resources: Any) -> dict[str, Any]:
    body: dict[str, Any] = {"Resources": {**NETWORK, **resources}}
    return body | ({"Metadata": {METADATA: waivers}} if waivers else {})


def events(body: dict[str, Any]) -> dict[str, str]:
    """The last status of each resource, with its reason."""
    with local_cloud() as local:
        stack = local.deploy(REGION, "stack", json.dumps(body), rollback=False)
    return {event.logical_id: f"{event.status}: {event.reason}" for event in stack.events}


def review(old: dict[str, Any], new: dict[str, Any]) -> Review:
    return review_templates(Template.parse(json.dumps(old)), Template.parse(json.dumps(new)), region=REGION)


def test_the_cloud_makes_what_is_waived_and_logs_why(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="scripts.cloud.engine.resources"):
        reported = events(template([WAIVER], Slurm=slurm()))
    assert reported["Slurm"].startswith("CREATE_COMPLETE")
    (logged,) = (record.getMessage() for record in caplog.records)
    assert logged.startswith(
        "Slurm: PCS006 #/Scheduler/Version: PCS does not create clusters with Slurm 27.05"
    )
    assert logged.endswith(f"(waived: {NEXT})")


def test_the_cloud_refuses_what_is_not_waived_beside_it() -> None:
    assert "PCS006" in events(template([], Slurm=slurm()))["Slurm"]
    reported = events(template([WAIVER], Slurm=slurm(subnets=2)))["Slurm"]
    assert reported.startswith("CREATE_FAILED")
    assert "PCS001" in reported
    assert "PCS006" not in reported


def test_a_code_that_cannot_be_waived_refuses_in_spite_of_the_template() -> None:
    reported = events(template([{"code": "PCS001", "reason": NEXT}], Slurm=slurm("25.11", subnets=2)))[
        "Slurm"
    ]
    assert "PCS001" in reported


def test_a_review_tells_what_is_waived_and_refuses_nothing_by_it() -> None:
    found = review(template([]), template([WAIVER], Slurm=slurm()))
    assert [change.action.value for change in found.changes] == ["add"]
    (diagnostic,) = found.diagnostics
    assert (diagnostic.code, diagnostic.severity.value, diagnostic.waived) == ("PCS006", "error", NEXT)
    refused = review(template([]), template([], Slurm=slurm()))
    assert [change.action.value for change in refused.changes] == ["refused"]
    assert [diagnostic.waived for diagnostic in refused.diagnostics] == [None]


def test_a_waived_value_is_still_held_against_the_services_api() -> None:
    cluster = {"Name": "x", "Scheduler": {"Type": "SLURM", "Version": "27.05"}}
    waived, api = (
        problems(REGION, "AWS::PCS::Cluster", cluster, {}, {"PCS006": NEXT}),
        problems(REGION, "AWS::PCS::Cluster", cluster, {}),
    )
    assert [p.path for p in waived if p.waived is None] == [p.path for p in api if p.code is None]
    assert [p.path for p in waived if p.waived] == ["Scheduler/Version"]
