"""Each quota that a profile needs, against what the account has."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from config.design.report.quota_needs import quotas_of
from config.profile.source.merge import Layered
from scripts.cli.preflight import quotas
from scripts.cli.preflight.all_checks import hold_against
from scripts.cli.preflight.checks import Result
from tests.preflight.fake_cloud import ACCOUNT, NOW, FakeCloud, design_of, refusal


@dataclass(frozen=True)
class Need:
    service: str = "ec2"
    name: str = "Running On-Demand P instances"
    code: str | None = "L-417A185B"
    needed: float = 3072
    unit: str = "vCPUs"
    because: str = "16 x p6-b200.48xlarge"


QUOTA = {"ServiceCode": "ec2", "QuotaCode": "L-417A185B", "QuotaName": "Running On-Demand P instances"}


def asked(
    cloud: FakeCloud, need: Need, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Result, list[str]]:
    monkeypatch.setattr(quotas, "quotas_of", lambda _: (need,))
    report = hold_against(design_of("reserved", folder), Layered(), cloud.account(), account=ACCOUNT, now=NOW)
    (result,) = (one for one in report.results if one.service == "Quotas")
    said = [f"{one.path}: {one.message} {one.hint}" for one in report.diagnostics if one.code == "PRE006"]
    return result, said


@pytest.mark.parametrize(("value", "state"), [(3072.0, "ok"), (3071.0, "wrong"), (0.0, "wrong")])
def test_a_quota_is_held_against_the_need(
    value: float, state: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloud = FakeCloud({"service-quotas:GetServiceQuota": lambda _: {"Quota": {**QUOTA, "Value": value}}})
    result, said = asked(cloud, Need(), tmp_path, monkeypatch)
    assert (result.state, result.said) == (state, f"{value:,.10g}, 3,072 needed")
    assert bool(said) == (state == "wrong")
    for line in said:
        assert line.startswith("compute: ")
        assert f"is {value:,.10g} vCPUs, but the profile needs 3,072: 16 x p6-b200.48xlarge" in line
        assert "--quota-code L-417A185B --desired-value 3072`" in line


def test_where_an_account_has_no_value_of_its_own_the_default_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cloud = FakeCloud(
        {
            "service-quotas:GetServiceQuota": lambda _: refusal("NoSuchResourceException"),
            "service-quotas:GetAWSDefaultServiceQuota": lambda _: {"Quota": {**QUOTA, "Value": 64.0}},
        }
    )
    assert asked(cloud, Need(), tmp_path, monkeypatch)[0].said == "64, 3,072 needed"


def test_a_quota_without_a_code_is_found_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = [
        {**QUOTA, "QuotaName": "another", "Value": 1.0},
        {**QUOTA, "Value": 4000.0, "Adjustable": False},
    ]
    cloud = FakeCloud({"service-quotas:ListServiceQuotas": lambda _: {"Quotas": listed}})
    assert asked(cloud, Need(code=None), tmp_path, monkeypatch)[0].state == "ok"
    result, said = asked(cloud, Need(code=None, needed=5000), tmp_path, monkeypatch)
    assert result.state == "wrong"
    assert "AWS does not increase this quota" in said[0]
    result, _ = asked(cloud, Need(code=None, name="nobody's"), tmp_path, monkeypatch)
    assert (result.state, result.said) == ("not checked", "ec2 has no quota with this name")


@pytest.mark.parametrize(
    ("need", "cloud", "says"),
    [
        (
            Need(),
            FakeCloud(
                {
                    f"service-quotas:{name}": lambda _: refusal("NoSuchResourceException")
                    for name in ("GetServiceQuota", "GetAWSDefaultServiceQuota")
                }
            ),
            "does not have this quota in the Region",
        ),
        (
            Need(code=None),
            FakeCloud({"service-quotas:ListServiceQuotas": lambda _: refusal("NoSuchResourceException")}),
            "has no quota with this name",
        ),
        (
            Need(),
            FakeCloud({"service-quotas:GetServiceQuota": lambda _: refusal("AccessDeniedException")}),
            "needs servicequotas:GetServiceQuota",
        ),
        (
            Need(),
            FakeCloud({"service-quotas:GetServiceQuota": lambda _: refusal("TooManyRequestsException")}),
            "TooManyRequestsException: no (after 8 attempts)",
        ),
        (
            Need(),
            FakeCloud(
                {
                    "service-quotas:GetServiceQuota": lambda _: {
                        "Quota": {"ErrorReason": {"ErrorCode": "DEPENDENCY_THROTTLING_ERROR"}}
                    }
                }
            ),
            "DEPENDENCY_THROTTLING_ERROR",
        ),
    ],
)
def test_what_nobody_tells_is_not_checked(
    need: Need, cloud: FakeCloud, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result, said = asked(cloud, need, tmp_path, monkeypatch)
    assert (result.state, said) == ("not checked", [])
    assert says in result.said


def test_the_needs_are_those_that_the_core_works_out(tmp_path: Path) -> None:
    design = design_of("reserved", tmp_path)
    report = hold_against(design, Layered(), FakeCloud().account(), account=ACCOUNT, now=NOW)
    asked_for = [one.subject for one in report.results if one.service == "Quotas"]
    assert asked_for == [f"{need.service}: {need.name}" for need in quotas_of(design)]
    assert asked_for
