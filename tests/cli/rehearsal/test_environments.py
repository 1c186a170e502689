"""One account with several of a profile: environments, Regions, a bootstrap and a boundary of its own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from config.cluster import load_cluster
from config.design.model import Design
from scripts.cli.rehearsal.__main__ import main
from scripts.cli.rehearsal.assembly import read_assembly
from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cli.rehearsal.existing import create_declared
from scripts.cli.rehearsal.target import target
from scripts.cloud import state
from scripts.cloud.assets import put_assets
from scripts.cloud.local import LocalCloud
from tests.cloud.sandbox import explained
from tests.conftest import Synthesized

if TYPE_CHECKING:
    from scripts.cloud.process import Cloud

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

Synthesize = Callable[[str], Synthesized]
SLURM = "extends: p5-dev\nname: twice\n"
EKS = """\
extends: p5-dev
name: twice
orchestrator: {kind: eks}
compute:
  groups:
    - {name: system, role: system, instance_type: m5.xlarge, count: 2}
    - {name: train, role: compute, instance_type: p5.4xlarge, count: 1}
"""
WEST = """\
region: us-west-2
availability_zone_id: usw2-az1
network: {secondary_zones: [usw2-az2]}
"""
BOUNDARY = "hpc-boundary"
ACCOUNT = f"""\
account: "123456789012"
deployment: {{permissions_boundary: {BOUNDARY}, qualifier: acme01}}
"""


def write(folder: Path, name: str, text: str) -> str:
    file = folder / f"{name}.yaml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def design_of(profile: str) -> Design:
    cluster = load_cluster(profile)
    assert cluster.design is not None, [d.message for d in cluster.diagnostics if d.stops]
    return cluster.design


def deploy(local: LocalCloud, synthesized: Synthesize, profile: str) -> Any:
    design, made = design_of(profile), synthesized(profile)
    qualifier = design.profile.deployment.qualifier if design.profile.deployment else None
    local.bootstrap(design.profile.region, *filter(None, [qualifier]))
    create_declared(local, design.profile)
    put_assets(local, design.profile.region, made.folder)
    stack = local.deploy(design.profile.region, design.profile.name, made.text)
    assert stack.status == "CREATE_COMPLETE", explained(stack)
    return stack


@pytest.mark.long
@pytest.mark.parametrize("text", [SLURM, pytest.param(EKS, marks=pytest.mark.long)], ids=["slurm", "eks"])
def test_two_environments_are_deployed_in_one_account_and_region(
    text: str, local: LocalCloud, synthesized: Synthesize, tmp_path: Path
) -> None:
    stacks = [
        deploy(local, synthesized, write(tmp_path, word, f"{text}environment: {word}\n"))
        for word in ("dev", "prod")
    ]
    assert [stack.name for stack in stacks] == ["twice-env-dev", "twice-env-prod"]
    shared = {r.physical_id for r in stacks[0].resources.values()} & {
        r.physical_id for r in stacks[1].resources.values()
    }
    assert shared == set()


@pytest.mark.long
@pytest.mark.parametrize("text", [SLURM, pytest.param(EKS, marks=pytest.mark.long)], ids=["slurm", "eks"])
def test_the_same_profile_is_deployed_in_two_regions(
    text: str, local: LocalCloud, synthesized: Synthesize, tmp_path: Path
) -> None:
    east = deploy(local, synthesized, write(tmp_path, "east", text))
    west = deploy(local, synthesized, write(tmp_path, "west", text + WEST))
    assert east.name == west.name == "twice"
    # what the account, or all of AWS, has once
    everywhere = ("AWS::IAM::", "AWS::S3::Bucket")
    ids = [
        {r.physical_id for r in s.resources.values() if r.type.startswith(everywhere)} for s in (east, west)
    ]
    assert ids[0]
    assert not ids[0] & ids[1]
    # and each goes by itself
    for stack, region, other in ((east, "us-east-2", west), (west, "us-west-2", None)):
        stack.protected = False
        local.backend(region).delete(stack)
        assert stack.status == "DELETE_COMPLETE", explained(stack)
        roles = {role["RoleName"] for role in local.client("iam", region).list_roles()["Roles"]}
        still = (
            {r.physical_id for r in other.resources.values() if r.type == "AWS::IAM::Role"}
            if other
            else set()
        )
        assert still <= roles


@pytest.mark.long
@pytest.mark.parametrize("text", [SLURM, pytest.param(EKS, marks=pytest.mark.long)], ids=["slurm", "eks"])
def test_every_role_is_made_within_the_boundary(
    text: str, local: LocalCloud, synthesized: Synthesize, tmp_path: Path
) -> None:
    stack = deploy(local, synthesized, write(tmp_path, "bounded", text + ACCOUNT))
    roles = [r.physical_id for r in stack.resources.values() if r.type == "AWS::IAM::Role"]
    assert roles
    iam = local.client("iam", "us-east-2")
    for name in roles:
        found = iam.get_role(RoleName=name)["Role"]["PermissionsBoundary"]["PermissionsBoundaryArn"]
        assert found == f"arn:aws:iam::123456789012:policy/{BOUNDARY}"


@pytest.fixture
def running(cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cloud:
    """The session's cloud, as one that somebody runs in the foreground."""
    monkeypatch.setattr(state, "PATH", tmp_path / "cloud.json")
    monkeypatch.setenv("CDK_VALIDATION", "false")
    state.write(state.Running(cloud.endpoint, cloud.account, 0))
    return cloud


@pytest.mark.long
def test_a_bootstrap_of_ones_own_deploys_and_destroys(
    running: Cloud, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    profile = ["--profile", write(tmp_path, "bounded", SLURM + "environment: staging\n" + ACCOUNT)]
    assert main(["deploy", *profile, "--json"]) == 0
    reported = capfd.readouterr()
    assert "bootstrap aws://123456789012/us-east-2 with the qualifier acme01" in reported.err
    cloudformation = running.client("cloudformation", "us-east-2")
    names = {s["StackName"] for s in cloudformation.describe_stacks()["Stacks"]}
    # beside a bootstrap of the default qualifier, and not in its place
    assert {"CDKToolkit-acme01", "twice-env-staging"} <= names
    buckets = {bucket["Name"] for bucket in running.client("s3", "us-east-2").list_buckets()["Buckets"]}
    assert "cdk-acme01-assets-123456789012-us-east-2" in buckets
    assert main(["deploy", *profile]) == 0
    assert "is bootstrapped in us-east-2 with the qualifier acme01" in capfd.readouterr().err
    assert main(["diff", *profile]) == 0
    assert main(["destroy", *profile, "--confirm", "twice-env-staging"]) == 0
    names = {s["StackName"] for s in cloudformation.describe_stacks()["Stacks"]}
    assert "twice-env-staging" not in names


def test_an_assembly_tells_its_bootstrap(synthesized: Synthesize, tmp_path: Path) -> None:
    declared = synthesized(write(tmp_path, "bounded", SLURM + ACCOUNT))
    assert read_assembly(declared.folder).qualifier == "acme01"
    assert '"/cdk-bootstrap/acme01/version"' in json.dumps(declared.template)
    assert read_assembly(synthesized("p5-dev").folder).qualifier == "hnb659fds"


OTHER = 'account: "210987654321"\n'


@pytest.mark.long
@pytest.mark.usefixtures("running")
@pytest.mark.parametrize(
    "command",
    ["deploy", pytest.param("diff", marks=pytest.mark.long), pytest.param("destroy", marks=pytest.mark.long)],
)
def test_a_profile_of_another_account_is_not_rehearsed_in_this_one(
    command: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path, "guarded", SLURM + OTHER)
    assert main([command, "--profile", file]) == 1
    assert "the profile is for account 210987654321" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("account", "refused"), [("210987654321", True), ("123456789012", False), (None, False)]
)
def test_credentials_of_another_account_are_refused_before_anything_is_asked(
    account: str | None, refused: bool, monkeypatch: pytest.MonkeyPatch, local: LocalCloud
) -> None:
    monkeypatch.setattr(boto3, "client", lambda service: local.client(service, "us-east-1"))
    if refused:
        with (
            pytest.raises(
                RehearsalError, match="for account 210987654321, but the credentials are for 123456789012"
            ),
            target(aws=True, account=account),
        ):
            pass
        return
    with target(aws=True, account=account) as place:
        assert place.account == "123456789012"
