"""What happens around a deployment: the CLI is killed, two come at once, the account is not bootstrapped."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from scripts.cloud.faults import Fault
from scripts.cloud.process import Cloud, start_cloud
from tests.cloud.fixtures import Cdk, Stacks

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = [pytest.mark.cloud, pytest.mark.long]
Vary = Callable[[Callable[[dict[str, Any]], None]], Path]
PACE = 60.0  # a minute of AWS in a second


def slow(real_s: float) -> Fault:
    return Fault(kind="slow", type="AWS::EC2::InternetGateway", seconds=real_s * PACE, times=1)


@pytest.fixture(scope="module")
def paced() -> Iterator[Cloud]:
    """A cloud on which deployments take time."""
    with start_cloud(pace=PACE) as running:
        yield running


@pytest.fixture(scope="module")
def by_cli(paced: Cloud, fixture_app: Path, assembly: Path) -> Cdk:
    runner = Cdk(fixture_app, paced.environment())
    made = runner.run("bootstrap", "aws://123456789012/us-east-1", "--app", os.fspath(assembly))
    assert made.status == 0, made.output
    return runner


@pytest.fixture
def stacks(paced: Cloud) -> Iterator[Stacks]:
    stacks = Stacks(paced)
    yield stacks
    if any(s["StackName"] == "fixture" for s in stacks.api.describe_stacks()["Stacks"]):
        until(lambda: not stacks.status("fixture").endswith("IN_PROGRESS"))
        stacks.api.update_termination_protection(StackName="fixture", EnableTerminationProtection=False)
        stacks.api.delete_stack(StackName="fixture")
        until(lambda: "fixture" not in [s["StackName"] for s in stacks.api.describe_stacks()["Stacks"]])


def until(holds: Callable[[], bool], timeout_s: float = 60.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not holds():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.05)


def small(template: dict[str, Any]) -> None:
    template["Resources"] = {"Igw": template["Resources"]["Igw"]}
    template.pop("Outputs", None)


def deploy_arguments(folder: Path) -> list[str]:
    return ["deploy", "--app", os.fspath(folder), "--require-approval", "never"]


def exists(stacks: Stacks, name: str) -> bool:
    return name in [s["StackName"] for s in stacks.api.describe_stacks()["Stacks"]]


def test_a_killed_cli_leaves_a_deployment_that_ends_and_the_next_run_goes_on(
    by_cli: Cdk, paced: Cloud, stacks: Stacks, vary: Vary
) -> None:
    folder = vary(small)
    paced.inject(slow(3))
    running = by_cli.start(*deploy_arguments(folder))
    until(lambda: exists(stacks, "fixture") and stacks.status("fixture") == "CREATE_IN_PROGRESS")
    running.kill()
    running.communicate()
    second = by_cli.run(*deploy_arguments(folder))
    if second.status:  # it came while the first was under way: said plainly, and nothing is broken
        assert "CREATE_IN_PROGRESS" in second.output
    until(lambda: stacks.status("fixture") == "CREATE_COMPLETE")
    again = by_cli.run(*deploy_arguments(folder))
    assert (again.status, "(no changes)" in again.output) == (0, True), again.output


def test_a_cli_killed_before_it_executes_its_change_set_hinders_nobody(
    by_cli: Cdk, stacks: Stacks, vary: Vary
) -> None:
    folder = vary(small)
    prepared = by_cli.run(*deploy_arguments(folder), "--no-execute")
    assert prepared.status == 0, prepared.output
    assert stacks.status("fixture") == "REVIEW_IN_PROGRESS"
    done = by_cli.run(*deploy_arguments(folder))
    assert done.status == 0, done.output
    assert stacks.status("fixture") == "CREATE_COMPLETE"


def test_of_two_deployments_at_once_the_second_is_refused_with_the_state(
    by_cli: Cdk, paced: Cloud, stacks: Stacks, vary: Vary
) -> None:
    folder = vary(small)
    paced.inject(slow(8))
    running = by_cli.start(*deploy_arguments(folder))
    until(lambda: exists(stacks, "fixture") and stacks.status("fixture") == "CREATE_IN_PROGRESS")
    second = by_cli.run(*deploy_arguments(folder))
    assert second.status == 1, second.output
    assert "CREATE_IN_PROGRESS" in second.output
    assert "Traceback" not in second.output
    output, _ = running.communicate(timeout=60)
    assert running.returncode == 0, output
    assert stacks.status("fixture") == "CREATE_COMPLETE"


def test_a_stack_that_is_busy_cannot_be_deleted(paced: Cloud, stacks: Stacks) -> None:
    gateway: Mapping[str, Any] = {"Igw": {"Type": "AWS::EC2::InternetGateway"}}
    paced.inject(slow(1))
    name = stacks.create(gateway)
    assert stacks.status(name) == "CREATE_IN_PROGRESS"
    with pytest.raises(
        stacks.api.exceptions.ClientError, match="CREATE_IN_PROGRESS state and can not be deleted"
    ):
        stacks.api.delete_stack(StackName=name)
    until(lambda: stacks.status(name) == "CREATE_COMPLETE")


@pytest.mark.parametrize(
    ("version", "said"), [(None, "cdk bootstrap"), ("5", "requires bootstrap stack version")]
)
def test_an_account_that_is_not_bootstrapped_or_long_ago_is_configured_to_be(
    version: str | None, said: str, paced: Cloud, fixture_app: Path, vary: Vary
) -> None:
    region = "us-west-1"
    if version is not None:
        ssm = paced.client("ssm", region)
        ssm.put_parameter(Name="/cdk-bootstrap/hnb659fds/version", Type="String", Value=version)
    folder = vary(small)
    for file in ("manifest.json", "fixture.assets.json"):
        text = (folder / file).read_text()
        (folder / file).write_text(text.replace("us-east-1", region))
    failed = Cdk(fixture_app, paced.environment()).run(*deploy_arguments(folder))
    assert failed.status == 1, failed.output
    assert said in failed.output
    assert not exists(Stacks(paced, region), "fixture")
