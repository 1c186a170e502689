"""`ultracluster preflight`, from its arguments to what it prints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from config.cluster import load_cluster
from scripts.cli.main import main
from scripts.cli.preflight import account as accounts
from scripts.cli.preflight.account import Account, kept
from scripts.cli.preflight.asking import GoneError
from scripts.cli.rehearsal.existing import create_declared
from scripts.cloud.local import LocalCloud, local_cloud
from tests.preflight.fake_cloud import RICH

REGION = "us-west-2"
RESERVATION = {
    "CapacityReservations": [
        {
            "CapacityReservationId": "cr-0a1b2c3d4e5f60718",
            "State": "active",
            "InstanceType": "p6-b200.48xlarge",
            "AvailabilityZoneId": "usw2-az2",
            "TotalInstanceCount": 12,
            "AvailableInstanceCount": 12,
            "EndDate": "2127-03-01T11:30:00+00:00",
        }
    ]
}
RESERVED = """extends: p6-b200
name: mine
orchestrator: {kind: eks}
compute:
  groups:
    - name: train
      role: compute
      instance_type: p6-b200.48xlarge
      count: 16
      capacity: {kind: odcr, reservation_id: cr-0a1b2c3d4e5f60718}
    - {name: system, role: system, instance_type: m5.4xlarge, count: 2}
"""


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without credentials."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def reserved(tmp_path: Path) -> str:
    file = tmp_path / "my.yaml"
    file.write_text(RESERVED, encoding="utf-8")
    return str(file)


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    folder = tmp_path / "answers"
    folder.mkdir()
    (folder / "ec2.describe-capacity-reservations.json").write_text(json.dumps(RESERVATION))
    return folder


def test_a_reviewer_without_credentials_holds_a_reservation_against_the_profile(
    reserved: str, answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["preflight", reserved, "--answers", str(answers)]) == 1
    reported = capsys.readouterr()
    assert reported.err == ""
    assert "active, 12 of 12 free" in " ".join(reported.out.split())
    assert "error[PRE012] compute.groups[0].count: cr-0a1b2c3d4e5f60718 contains 12" in reported.out
    assert (
        "has no ec2.describe-regions.json" in " ".join(reported.out.split()) or "not checked" in reported.out
    )
    assert (
        max(len(line) for line in reported.out.splitlines() if "at:" not in line and "source:" not in line)
        <= 80
    )
    assert main(["preflight", reserved, "--answers", str(answers), "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert (data["account"], data["region"]) == (None, REGION)
    states = {one["asked"]: one["state"] for one in data["checks"]}
    assert states["the reservation cr-0a1b2c3d4e5f60718"] == "wrong"
    assert set(states.values()) == {"wrong", "not checked"}
    assert [one["code"] for one in data["diagnostics"]] == ["PRE012"]
    assert data["diagnostics"][0]["line"] == 9


def test_an_accepted_finding_stops_nothing_and_one_that_cannot_be_accepted_is_refused(
    reserved: str, answers: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    offers = {"InstanceTypeOfferings": [
        {"InstanceType": "m5.4xlarge", "LocationType": "availability-zone-id", "Location": "usw2-az2"}
    ]}  # fmt: skip
    (answers / "ec2.describe-capacity-reservations.json").unlink()
    (answers / "ec2.describe-instance-type-offerings.availability-zone-id.json").write_text(
        json.dumps(offers)
    )
    assert main(["preflight", reserved, "--answers", str(answers)]) == 1
    capsys.readouterr()
    with Path(reserved).open("a", encoding="utf-8") as file:
        file.write("waive: [{code: PRE004, reason: it is sold to us from May on}]\n")
    assert main(["preflight", reserved, "--answers", str(answers)]) == 0
    assert "waived error[PRE004]" in capsys.readouterr().out
    Path(reserved).write_text(
        f"{RESERVED}waive: [{{code: PRE012, reason: the account team knows}}]\n", encoding="utf-8"
    )
    assert main(["preflight", reserved, "--answers", str(answers)]) == 1
    assert "PRE012 cannot be waived" in capsys.readouterr().err


@pytest.mark.parametrize("seen", [True, False])
def test_progress_is_for_those_who_see_a_terminal(
    seen: bool,
    reserved: str,
    answers: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: seen)
    main(["preflight", reserved, "--answers", str(answers)])
    assert ("1 of " in capsys.readouterr().err) is seen


@pytest.mark.parametrize("arguments", [[], ["--json"]])
def test_without_credentials_one_line_says_so(
    reserved: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["preflight", reserved, *arguments]) == 2
    reported = capsys.readouterr()
    assert reported.err.startswith("error: unable to locate credentials\n")
    if arguments:
        assert "credentials" in json.loads(reported.out)["error"]


def test_a_token_that_expires_meanwhile_ends_it_in_one_line(
    reserved: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Expiring(Account):
        def ask(self, service: str, operation: str, region: str | None, parameters: dict[str, Any]) -> Any:
            raise GoneError("ExpiredToken: the token has expired")

    def find(region: str, *, embedded: bool) -> Account:
        return Expiring(
            number="123456789012", clients=lambda _s, _r: None, region=region, now=datetime.now(UTC)
        )

    monkeypatch.setattr(accounts, "find_account", find)
    assert main(["preflight", reserved]) == 2
    assert capsys.readouterr().err.startswith("error: AWS no longer answers: ExpiredToken")


def status_of(arguments: list[str]) -> int:
    """What argparse refuses ends the process."""
    try:
        return main(arguments)
    except SystemExit as stopped:
        return int(str(stopped.code))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--answers", "nowhere"], "nowhere is not a folder of answers"),
        (["--answers", "a", "--record", "b"], "not allowed with argument"),
        (["--embedded", "--aws"], "not allowed with argument"),
    ],
)
def test_what_cannot_be_used_is_refused(
    reserved: str, arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(["preflight", reserved, *arguments]) == 2
    assert says in " ".join(capsys.readouterr().err.split())


def test_the_policy_is_printed_without_asking_anybody(
    reserved: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["preflight", reserved, "--policy"]) == 0
    policy = json.loads(capsys.readouterr().out)
    actions = [action for one in policy["Statement"] for action in one["Action"]]
    assert "ec2:DescribeCapacityReservations" in actions
    assert "sagemaker:DescribeTrainingPlan" not in actions
    assert len(actions) == len(set(actions))


def test_a_profile_with_an_error_is_not_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "my.yaml"
    file.write_text("extends: p6-b200\nname: mine\nimages: {caches: [{upstream: docker-hub}]}\n")
    assert main(["preflight", str(file)]) == 1
    assert "IMG004" in capsys.readouterr().err
    assert main(["preflight", "nobodys-profile"]) == 2


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalCloud]:
    with local_cloud() as running:

        def find(region: str, *, embedded: bool) -> Account:
            return accounts.asked_who(region, kept(running.client))

        monkeypatch.setattr(accounts, "find_account", find)
        yield running


@pytest.mark.cloud
def test_an_account_that_can_have_the_cluster_is_reported_and_recorded(
    cloud: LocalCloud, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parameter = {"Name": "/cdk-bootstrap/hnb659fds/version", "Value": "28", "Type": "String"}
    cloud.client("ssm", REGION).put_parameter(**parameter)
    folder = tmp_path / "answers"
    assert main(["preflight", "p6-b200", "--embedded", "--record", str(folder)]) == 0
    reported = capsys.readouterr()
    assert "p6-b200: account 123456789012, us-west-2" in reported.out
    assert " wrong" not in reported.out
    assert "answers to" in reported.err
    assert main(["preflight", "p6-b200", "--answers", str(folder)]) == 0
    again = capsys.readouterr().out
    assert "version 28, 6 required" in " ".join(again.split())
    assert main(["preflight", "p6-b200", "--embedded", "--record", str(folder)]) == 2
    assert "is not empty" in " ".join(capsys.readouterr().err.split())


@pytest.mark.cloud
def test_the_embedded_cloud_has_quotas_of_networks_alone(cloud: LocalCloud) -> None:
    client = cloud.client("service-quotas", REGION)
    vpcs = {"ServiceCode": "vpc", "QuotaCode": "L-F678F1CE"}
    reported = client.get_aws_default_service_quota(**vpcs)["Quota"]
    assert reported["QuotaCode"] == "L-F678F1CE"
    assert reported in client.list_service_quotas(ServiceCode="vpc")["Quotas"]
    for ask in (client.get_service_quota, client.get_aws_default_service_quota):
        with pytest.raises(client.exceptions.NoSuchResourceException):
            ask(ServiceCode="ec2", QuotaCode="L-417A185B")


@pytest.mark.long
@pytest.mark.cloud
def test_what_a_profile_states_is_found_in_an_account_that_has_it(
    cloud: LocalCloud, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = RICH["existing"].replace("222233334444", "123456789012")
    text = text.replace("  grafana: {kind: managed, authentication: identity-center}\n", "")
    file = tmp_path / "existing.yaml"
    file.write_text(text, encoding="utf-8")
    cluster = load_cluster(str(file))
    assert cluster.design is not None
    capsys.readouterr()
    main(["preflight", str(file), "--embedded", "--json"])
    before = {one["path"] for one in json.loads(capsys.readouterr().out)["diagnostics"]}
    create_declared(cloud, cluster.design.profile)
    place: Any = {"LocationConstraint": REGION}  # no node needs it, so a rehearsal does not make it
    cloud.client("s3", REGION).create_bucket(Bucket="my-sessions", CreateBucketConfiguration=place)
    cloud.client("ec2", REGION).modify_vpc_attribute(VpcId="vpc-12345678", EnableDnsHostnames={"Value": True})
    main(["preflight", str(file), "--embedded", "--json"])
    data = json.loads(capsys.readouterr().out)
    after = {one["path"] for one in data["diagnostics"] if one["severity"] != "note"}
    assert {"network.vpc_id", "storage.lustre.key_arn", "deployment.permissions_boundary"} <= before
    assert after == {"deployment.qualifier"}, data["diagnostics"]  # nobody has bootstrapped
