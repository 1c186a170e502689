"""`python -m scripts.cli.rehearsal`: what make deploy, diff and destroy do."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError

from scripts.cli.rehearsal import session
from scripts.cli.rehearsal.__main__ import main
from scripts.cli.rehearsal.assembly import Assembly, read_assembly
from scripts.cli.rehearsal.destroy import destroy_stack, retained_resources
from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cli.rehearsal.failed import explained_failure
from scripts.cli.rehearsal.session import Options, clear_failed_creation
from scripts.cli.rehearsal.target import Target
from scripts.cloud import state
from scripts.cloud.faults import Fault

if TYPE_CHECKING:
    from scripts.cloud.process import Cloud
    from tests.cloud.fixtures import Stacks

pytestmark = pytest.mark.cloud


@pytest.fixture
def running(cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The session's cloud, as one that somebody runs in the foreground."""
    monkeypatch.setattr(state, "PATH", tmp_path / "cloud.json")
    monkeypatch.setenv("CDK_VALIDATION", "false")  # the fixture is not what is under test
    state.write(state.Running(cloud.endpoint, cloud.account, 0))


@pytest.fixture
def small_app(fixture_app: Path) -> Iterator[Path]:
    """The fixture app with a profile of a few resources."""
    full = json.loads((fixture_app / "fixture.json").read_text())
    names = ("Vpc", "Subnet", "Lustre", "Group", "Ingress", "Egress", "Key", "Metrics", "AmpLogs")
    small = {"protected": True, "resources": {name: full["resources"][name] for name in names}}
    (fixture_app / "small.json").write_text(json.dumps(small))
    yield fixture_app
    shutil.rmtree(fixture_app / "cdk.out", ignore_errors=True)


@pytest.mark.long
@pytest.mark.usefixtures("running", "cdk_cli")
def test_deploy_prints_a_summary_and_destroy_what_it_leaves(
    small_app: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    app = ["--profile", "small", "--app", str(small_app)]
    assert main(["deploy", *app, "--json"]) == 0
    out, err = capfd.readouterr()
    summary: dict[str, Any] = json.loads(out)
    assert summary["status"] == "CREATE_COMPLETE"
    assert summary["file_systems"][0]["capacity_gib"] == 38400
    assert summary["file_systems"][0]["efa"] is True
    assert [w["kind"] for w in summary["workspaces"]] == ["prometheus"]
    assert summary["destroy"] == "make destroy PROFILE=small"
    assert "✅  small" in err

    assert main(["destroy", *app, "--confirm", "small", "--json"]) == 0
    out, err = capfd.readouterr()
    kept = {item["logical_id"] for item in json.loads(out)["kept"]}
    assert kept == {"Vpc", "Subnet", "Lustre", "Group", "Ingress", "Egress", "Key", "Metrics"}
    assert "destroying small retains its data:" in err
    assert "and resources that this data depends on: " in err


@pytest.fixture
def place(cloud: Cloud) -> Target:
    return Target(cloud.account, started=False, cloud=cloud)


@pytest.fixture
def kept_stack(stacks: Stacks, assembly: Path) -> Assembly:
    """A stack that stands already, and an assembly of its name."""
    bucket = {"Type": "AWS::S3::Bucket", "DeletionPolicy": "RetainExceptOnCreate"}
    name = stacks.create({"Bucket": bucket}, options={"EnableTerminationProtection": True})
    return replace(read_assembly(assembly), stack_name=name)


def test_destroy_without_the_right_name_does_nothing(
    kept_stack: Assembly, place: Target, stacks: Stacks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.input", lambda: "another")
    with pytest.raises(
        RehearsalError, match=r"'another' is not the stack's name 'stack-.*'; the stack was not destroyed"
    ):
        destroy_stack(Options(profile="fixture"), kept_stack, place, confirm=None)
    assert stacks.status(kept_stack.stack_name) == "CREATE_COMPLETE"
    assert [item.type for item in retained_resources(place, kept_stack)] == ["AWS::S3::Bucket"]


def test_a_stack_that_is_not_there_is_named(kept_stack: Assembly, place: Target) -> None:
    with pytest.raises(RehearsalError, match="the stack nobody does not exist in us-east-1"):
        retained_resources(place, replace(kept_stack, stack_name="nobody"))


def test_a_failed_creation_does_not_block_the_next_one(
    kept_stack: Assembly, place: Target, stacks: Stacks
) -> None:
    bad = {"Bad": {"Type": "AWS::Nothing::AtAll"}}
    name = stacks.create(bad, options={"EnableTerminationProtection": True})
    clear_failed_creation(replace(kept_stack, stack_name=name), place)
    stacks.api.delete_stack(StackName=name)
    clear_failed_creation(kept_stack, place)
    with pytest.raises(ClientError, match="TerminationProtection is enabled"):
        stacks.api.delete_stack(StackName=kept_stack.stack_name)


def run_and_fail(place: Target, assembly: Assembly, run: Callable[[], object]) -> str:
    """What is said where the CLI ends with an error after it has done something."""
    with (  # noqa: PT012 - the error is raised inside of what tells it
        pytest.raises(RehearsalError) as reported,
        explained_failure(place, assembly, "the deployment failed"),
    ):
        run()
        raise RehearsalError("cdk said why")
    return str(reported.value)


@pytest.mark.parametrize(
    ("on_failure", "now"),
    [("ROLLBACK", "created resources are deleted, except"), ("DO_NOTHING", "created resources are retained")],
)
def test_a_deployment_that_fails_ends_with_what_failed_and_what_to_do(
    kept_stack: Assembly, place: Target, stacks: Stacks, on_failure: str, now: str
) -> None:
    name, options = stacks.name(), {"OnFailure": on_failure}
    body = {"Good": {"Type": "AWS::SNS::Topic"}, "Bad": {"Type": "AWS::Nothing::AtAll", "DependsOn": "Good"}}
    failing = replace(kept_stack, stack_name=name)
    reported = run_and_fail(place, failing, lambda: stacks.create(body, name=name, options=options))
    what, what_now = reported.splitlines()
    assert what.startswith("the deployment failed: Bad (AWS::Nothing::AtAll): ")
    assert what_now.startswith(now)


def test_what_failed_long_ago_is_not_reported_again(
    kept_stack: Assembly, place: Target, stacks: Stacks
) -> None:
    failed = replace(kept_stack, stack_name=stacks.create({"Bad": {"Type": "AWS::Nothing::AtAll"}}))
    assert run_and_fail(place, failed, lambda: None) == "cdk said why"


def test_the_stacks_that_a_profile_depends_on_are_deployed_first(
    kept_stack: Assembly, place: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    deployed: list[str] = []

    @contextmanager
    def synthesized(options: Options, profile: str) -> Iterator[Assembly]:
        yield replace(kept_stack, stack_name=profile)

    def deploy_one(options: Options, assembly: Assembly, target: Target) -> None:
        deployed.append(assembly.stack_name)

    monkeypatch.setattr(session, "required_profiles", lambda profile: [f"{profile}-data"])
    monkeypatch.setattr(session, "synthesized", synthesized)
    monkeypatch.setattr(session, "_deploy_one", deploy_one)
    session.deploy_stack(Options(profile="west"), replace(kept_stack, stack_name="west"), place)
    assert deployed == ["west-data", "west"]


@pytest.mark.long
@pytest.mark.usefixtures("running")
def test_an_app_that_does_not_synthesize_ends_with_a_message(
    fixture_app: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["deploy", "--profile", "nobody", "--app", str(fixture_app)]) == 1
    assert "the profile could not be synthesized" in capfd.readouterr().err


def test_a_refused_profile_is_diagnostics_in_json(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text("extends: p6-b200\nname: mine\nnetwork: {vpc_cidr: 10.0.0.0/8}\n", encoding="utf-8")
    assert main(["deploy", "--profile", str(file), "--json"]) == 1
    out, err = capfd.readouterr()
    assert "NET001" in [found["code"] for found in json.loads(out)["diagnostics"]]
    assert "error[NET001] network.vpc_cidr" in err


def test_without_the_cdk_cli_it_says_what_to_do(
    fixture_app: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ULTRACLUSTER_CDK", "/no/such/cdk")
    assert main(["diff", "--profile", "small", "--app", str(fixture_app)]) == 2
    assert "run `make`" in capfd.readouterr().err


def test_an_assembly_tells_the_name_and_place_of_its_stack(assembly: Path) -> None:
    found = read_assembly(assembly)
    assert (found.stack_name, found.region, found.account) == ("fixture", "us-east-1", None)
    assert found.protected


def test_an_assembly_of_two_stacks_is_refused(assembly: Path, tmp_path: Path) -> None:
    manifest = json.loads((assembly / "manifest.json").read_text())
    manifest["artifacts"]["second"] = manifest["artifacts"]["fixture"]
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(RehearsalError, match="expected one stack"):
        read_assembly(tmp_path)


@pytest.mark.usefixtures("running", "cdk_cli")
@pytest.mark.long
def test_a_first_deployment_without_machines_keeps_the_rest_and_goes_on(
    small_app: Path, cloud: Cloud, capfd: pytest.CaptureFixture[str]
) -> None:
    cloud.inject(Fault(kind="capacity", type="AWS::FSx::FileSystem", times=1))
    app = ["--profile", "small", "--app", str(small_app), "--no-rollback"]
    assert main(["deploy", *app]) == 1
    _, reported = capfd.readouterr()
    assert "We currently do not have sufficient capacity" in reported
    what, what_now = reported.splitlines()[-2:]
    assert what.startswith("the deployment failed: Lustre (AWS::FSx::FileSystem): ")
    assert "sufficient capacity" in what
    assert what_now.startswith("created resources are retained: ")
    cloudformation = cloud.client("cloudformation", "us-east-1")
    (failed,) = cloudformation.describe_stacks(StackName="small")["Stacks"]
    assert failed["StackStatus"] == "CREATE_FAILED"
    kept = {r["LogicalResourceId"]: r["PhysicalResourceId"] for r in made(cloudformation)}
    assert "Vpc" in kept
    assert main(["deploy", *app, "--json"]) == 0
    summary = json.loads(capfd.readouterr().out)
    assert summary["status"] == "UPDATE_COMPLETE"
    now = {r["LogicalResourceId"]: r["PhysicalResourceId"] for r in made(cloudformation)}
    assert kept.items() <= now.items()
    assert main(["destroy", "--profile", "small", "--app", str(small_app), "--confirm", "small"]) == 0


def made(cloudformation: Any) -> list[dict[str, Any]]:
    found = cloudformation.describe_stack_resources(StackName="small")["StackResources"]
    return [resource for resource in found if resource["ResourceStatus"].endswith("_COMPLETE")]


@pytest.mark.long
@pytest.mark.usefixtures("running", "cdk_cli")
def test_a_cluster_of_pcs_deploys_by_the_real_cli_and_is_read_back(capfd: pytest.CaptureFixture[str]) -> None:
    chosen = ["--profile", "p5-dev", "--orchestrator", "pcs"]
    assert main(["deploy", *chosen, "--json"]) == 0
    summary: dict[str, Any] = json.loads(capfd.readouterr().out)
    (cluster,) = summary["clusters"]
    assert (cluster["status"], cluster["nodes"]) == ("ACTIVE", 2)
    assert main(["destroy", *chosen, "--confirm", "p5-dev"]) == 0
