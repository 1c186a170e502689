"""Failures on purpose: each kind, where it strikes, how often, and what it says."""

from __future__ import annotations

import json
import re
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any
from urllib.parse import urlparse

import pytest
from botocore.exceptions import ClientError

from scripts.cloud.fault_targets import check_target
from scripts.cloud.faults import Fault, FaultError, Faults
from scripts.cloud.server import main as serve

if TYPE_CHECKING:
    from scripts.cloud.engine.stack import Stack
    from scripts.cloud.local import LocalCloud
    from scripts.cloud.process import Cloud

REGION = "us-east-1"
PARAMETER = {"Type": "AWS::SSM::Parameter", "Properties": {"Type": "String", "Value": "1"}}


def deploy(local: LocalCloud, resources: dict[str, Any] | None = None) -> Stack:
    body = json.dumps({"Resources": resources or {"A": PARAMETER}})
    stack: Stack = local.deploy(REGION, "s", body)
    return stack


def reasons(stack: Stack) -> str:
    return " ".join(event.reason or "" for event in stack.events)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("refused", "(HandlerErrorCode: InvalidRequest)"),
        ("expired", "The security token included in the request is expired"),
        ("capacity", "We currently do not have sufficient capacity"),
        ("throttled", "Rate exceeded"),
    ],
)
@pytest.mark.parametrize("place", ["type", "logical_id"])
def test_a_fault_fails_the_resource_with_the_services_words(
    local: LocalCloud, kind: Any, said: str, place: str
) -> None:
    where: Any = {place: "AWS::SSM::Parameter" if place == "type" else "A"}
    local.faults.inject(Fault(kind=kind, **where))
    stack = deploy(local)
    assert stack.status == "ROLLBACK_COMPLETE"
    assert said in reasons(stack)
    assert local.client("ssm", REGION).describe_parameters()["Parameters"] == []


def test_a_throttled_call_is_tried_again_with_growing_pauses(local: LocalCloud) -> None:
    local.faults.inject(Fault(kind="throttled", logical_id="A", times=3))
    stack = deploy(local)
    assert stack.status == "CREATE_COMPLETE"
    assert stack.clock.elapsed_s == 5 + 10 + 20 + 3


def test_a_slow_resource_takes_its_time_on_the_simulated_clock_alone(local: LocalCloud) -> None:
    local.faults.inject(Fault(kind="slow", logical_id="A", seconds=3600))
    stack = deploy(local)
    assert stack.status == "CREATE_COMPLETE"
    assert stack.clock.elapsed_s == 3603


def test_a_call_fails_in_the_services_own_protocol(local: LocalCloud) -> None:
    local.faults.inject(Fault(kind="expired", call="ssm:PutParameter", times=1))
    stack = deploy(local)
    assert "The security token included in the request is expired" in reasons(stack)
    local.faults.inject(Fault(kind="refused", call="s3:PutObject", message="not today"))
    s3 = local.client("s3", REGION)
    s3.create_bucket(Bucket="bucket-x")
    with pytest.raises(ClientError, match="not today"):
        s3.put_object(Bucket="bucket-x", Key="k", Body=b"")
    local.faults.clear()
    s3.put_object(Bucket="bucket-x", Key="k", Body=b"")


def test_a_throttled_call_of_a_resource_is_tried_again(local: LocalCloud) -> None:
    local.faults.inject(Fault(kind="throttled", call="ssm:PutParameter", times=2))
    assert deploy(local).status == "CREATE_COMPLETE"


def test_faults_are_counted_down_and_the_first_that_fits_strikes() -> None:
    faults = Faults([Fault(kind="refused", type="T", times=1), Fault(kind="slow", logical_id="A")])
    first, second = (faults.at_resource("T", "A", "create") for _ in range(2))
    assert first is not None
    assert first.kind == "refused"
    assert second is not None
    assert second.kind == "slow"
    assert faults.at_resource("T", "B", "create") is None
    assert [fault["kind"] for fault in faults.listed()] == ["slow"]


def test_an_action_narrows_a_fault() -> None:
    faults = Faults([Fault(kind="refused", type="T", action="delete")])
    assert faults.at_resource("T", "A", "create") is None
    assert faults.at_resource("T", "A", "delete") is not None


def test_a_fault_is_written_on_one_line() -> None:
    fault = Fault.parse("capacity type=AWS::SageMaker::Cluster times=1 seconds=600")
    assert fault == Fault(kind="capacity", type="AWS::SageMaker::Cluster", times=1, seconds=600.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("broken type=T", "'broken' is not a fault type"),
        ("refused", "a fault requires a place"),
        ("refused where=here", "use name=value"),
        ("refused type=T times=often", "times must be a number"),
    ],
)
def test_a_fault_that_cannot_be_understood_says_what_to_write(text: str, said: str) -> None:
    with pytest.raises(FaultError, match=said):
        Fault.parse(text)


@pytest.mark.cloud
def test_a_running_cloud_takes_faults_and_tells_how_long_a_deployment_took(cloud: Cloud) -> None:
    cloudformation = cloud.client("cloudformation", REGION)
    body = json.dumps({"Resources": {"A": PARAMETER, "B": {**PARAMETER, "DependsOn": "A"}}})
    cloud.inject(Fault(kind="slow", logical_id="B", seconds=60, times=1))
    cloudformation.create_stack(StackName="timed", TemplateBody=body)
    timeline = cloud.timeline("timed")
    assert timeline["seconds"] == 66
    assert [span["logical_id"] for span in timeline["critical_path"]] == ["A", "B"]
    cloud.inject(Fault(kind="refused", logical_id="A"))
    cloudformation.create_stack(StackName="struck", TemplateBody=body)
    connection = HTTPConnection("localhost", urlparse(cloud.endpoint).port)
    connection.request("DELETE", "/_ultracluster/faults")
    assert json.loads(connection.getresponse().read()) == []
    for path in ("nothing", "timeline?stack=absent"):
        connection.request("GET", f"/_ultracluster/{path}")
        response = connection.getresponse()
        assert (response.status, response.reason) == (404, "Not Found")
        assert "does not exist" in json.loads(response.read())["error"]
    connection.close()
    (stack,) = cloudformation.describe_stacks(StackName="struck")["Stacks"]
    assert stack["StackStatus"] == "ROLLBACK_COMPLETE"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("refused type=AWS::SageMaker::Clusters", "did you mean AWS::SageMaker::Cluster?"),
        ("refused call=fsx:CreateFileSistem", "did you mean fsx:CreateFileSystem?"),
        ("refused call=fsxx:CreateFileSystem", "does not exist in the embedded cloud"),
    ],
)
def test_a_fault_at_a_place_that_is_not_there_is_refused(text: str, said: str) -> None:
    with pytest.raises(FaultError, match=re.escape(said)):
        check_target(Fault.parse(text))


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("--pace=fast", "'fast' is not a number"),
        ("--pace=0", "0 is not a positive number"),
        ("--account=12", "12 digits"),
        ("--port=22x", "'22x' is not a number"),
        ("--fault=", "'' is not a fault type"),
        ("--fault=refused type=AWS::S3::Bucket times=-1", "times= must be 1 or more"),
        ("--fault=refused type=AWS::S3::Bucket action=make", "use create, update, delete"),
    ],
)
def test_a_wrong_argument_of_the_cloud_says_what_is_wrong(
    argument: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        serve([argument])
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
