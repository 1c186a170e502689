"""Rules for the settings of Grafana."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog.files import version_parts
from config.design.model import Design
from config.diagnostics import Path
from config.profile.observability.metrics import ExistingGrafana, ManagedGrafana
from config.rules.registry import ERROR, Finding, rule

_AMG = "https://docs.aws.amazon.com/grafana/latest/userguide"
_AT: Path = ("observability", "grafana")
_LEAST_SUBNETS = 2
_WITHOUT_VPC = ("ap-northeast-2",)

_MAJOR = ("10", "12", "13")
"""Versions that AWS documents and the dashboards support; of major version 10, only the last minor version
(https://docs.aws.amazon.com/grafana/latest/userguide/using-grafana-v13.html)."""
_OLDEST = "10.4"


def _grafana(design: Design) -> ManagedGrafana:
    wanted = design.profile.observability
    grafana = wanted.grafana if wanted else None
    return grafana if isinstance(grafana, ManagedGrafana) else ManagedGrafana(kind="managed")


def _own(design: Design) -> ExistingGrafana | None:
    wanted = design.profile.observability
    return wanted.grafana if wanted and isinstance(wanted.grafana, ExistingGrafana) else None


@rule(
    "OBS030", ERROR, "an identity provider is set only if Grafana signs in with SAML",
    why="A workspace with `authentication: identity-center` gets its users from IAM Identity Center and ignores `saml`.",
    source=f"{_AMG}/authentication-in-AMG.html", reads="observability", where="grafana-settings",
)  # fmt: skip
def provider_is_for_saml(design: Design) -> Iterator[Finding]:
    """Check that `saml` and `identity-center` are not combined."""
    grafana = _grafana(design)
    if grafana.saml is not None and grafana.authentication != "saml":
        yield Finding(
            at=(*_AT, "saml"),
            message=f"`saml` has no effect with `authentication: {grafana.authentication}`",
            hint="remove `saml`, or set `authentication: saml`",
        )


@rule(
    "OBS031", ERROR, "a Grafana that connects to a VPC has at least two subnets and a security group",
    why="Amazon Managed Grafana requires 2 to 6 subnets in different Availability Zones together with 1 to 5 security groups.",
    source="https://docs.aws.amazon.com/grafana/latest/APIReference/API_VpcConfiguration.html",
    reads="observability", where="grafana-settings",
)  # fmt: skip
def network_of_grafana_is_complete(design: Design) -> Iterator[Finding]:
    """Check `subnet_ids` and `security_group_ids`."""
    grafana = _grafana(design)
    if grafana.subnet_ids and len(set(grafana.subnet_ids)) < _LEAST_SUBNETS:
        yield Finding(
            at=(*_AT, "subnet_ids"),
            message=f"`subnet_ids` has {len(set(grafana.subnet_ids))} subnet, but Amazon Managed Grafana requires at least "
            f"{_LEAST_SUBNETS}",
            hint="add a subnet in another zone to `subnet_ids`",
        )
    if bool(grafana.subnet_ids) != bool(grafana.security_group_ids):
        has, lacks = (
            ("subnet_ids", "security_group_ids")
            if grafana.subnet_ids
            else ("security_group_ids", "subnet_ids")
        )
        yield Finding(
            at=(*_AT, has),
            message=f"`{has}` requires `{lacks}`, which is not set",
            hint=f"add `{lacks}:`, or remove `{has}`",
        )


@rule(
    "OBS032", ERROR, "Amazon Managed Grafana can connect to a VPC in its Region",
    why="Workspaces in Asia Pacific (Seoul) cannot connect to a VPC.",
    source="https://docs.aws.amazon.com/grafana/latest/APIReference/API_VpcConfiguration.html",
    reads="region observability", where="grafana-settings", ages="the Regions where Amazon Managed Grafana connects to VPCs",
)  # fmt: skip
def region_connects_grafana(design: Design) -> Iterator[Finding]:
    """Check that `subnet_ids` is not set in ap-northeast-2."""
    grafana = _grafana(design)
    region = grafana.region or design.profile.region
    if grafana.subnet_ids and region in _WITHOUT_VPC:
        yield Finding(
            at=(*_AT, "subnet_ids"),
            message=f"Amazon Managed Grafana cannot connect to a VPC in {region}",
            hint="remove `subnet_ids` and `security_group_ids`, or set `region` to another Region",
        )


@rule(
    "OBS033", ERROR, "a new Grafana workspace has a version that the dashboards support",
    why="The type of the data source in Grafana depends on Grafana's version. You can raise the version later, but you cannot "
    "lower it (OBS-12).",
    source=f"{_AMG}/AMG-workspace-version-update.html", reads="observability", where="grafana-settings",
    ages="the versions of Amazon Managed Grafana",
)  # fmt: skip
def version_is_known(design: Design) -> Iterator[Finding]:
    """Check the `version` of a workspace."""
    version = _grafana(design).version
    if version is None or version == _OLDEST or version.partition(".")[0] in _MAJOR[1:]:
        return
    yield Finding(
        at=(*_AT, "version"),
        message=f"Grafana {version} is not available in Amazon Managed Grafana, or the dashboards do not support it",
        hint=f'set `version: "{_OLDEST}"`, or a version {" or ".join(_MAJOR[1:])} that '
        "`aws grafana list-versions` lists",
    )


@rule(
    "OBS034", ERROR, "the secret with the token of an existing Grafana is in the profile's Region",
    why="The Lambda function that loads the dashboards runs in the cluster's Region and reads the token in that Region. A closed "
    "network has an endpoint for that Region only.",
    source="https://docs.aws.amazon.com/secretsmanager/latest/userguide/replicate-secrets.html",
    reads="region observability", where="own-grafana",
)  # fmt: skip
def token_is_in_the_region(design: Design) -> Iterator[Finding]:
    """Check the Region of `token_secret_arn`."""
    grafana = _own(design)
    if grafana is None:
        return
    region = grafana.token_secret_arn.split(":")[3]
    if region != design.profile.region:
        yield Finding(
            at=(*_AT, "token_secret_arn"),
            message=f"the secret is in {region}, but the cluster is in {design.profile.region}",
            hint=f"replicate the secret to {design.profile.region} and set `token_secret_arn` to the replica",
        )


@rule(
    "OBS035", ERROR, "an existing Grafana is new enough for the dashboards",
    why="The type of the data source depends on Grafana's version. Older versions do not have all panel types that the dashboards "
    "use.",
    source="https://docs.aws.amazon.com/grafana/latest/userguide/AMG-workspace-version-update.html",
    reads="observability", where="own-grafana",
)  # fmt: skip
def own_grafana_is_new_enough(design: Design) -> Iterator[Finding]:
    """Check the `version` of an existing Grafana."""
    grafana = _own(design)
    if grafana is not None and version_parts(grafana.version) < version_parts(_OLDEST):
        yield Finding(
            at=(*_AT, "version"),
            message=f"Grafana {grafana.version} is too old: the dashboards require {_OLDEST} or newer",
            hint=f"upgrade Grafana to {_OLDEST} or newer, and set `version` to the version that Grafana's page `/api/health` shows",
        )
