"""What Amazon Managed Grafana takes of a workspace's settings."""

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
"""Versions whose guides AWS has and that our dashboards run on; of 10 the last one
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
    "OBS030", ERROR, "an identity provider is set for Grafana that signs in with SAML",
    why="A workspace that signs in with IAM Identity Center has its people from there.",
    source=f"{_AMG}/authentication-in-AMG.html", reads="observability", where="grafana-settings",
)  # fmt: skip
def provider_is_for_saml(design: Design) -> Iterator[Finding]:
    """`saml` beside identity-center."""
    grafana = _grafana(design)
    if grafana.saml is not None and grafana.authentication != "saml":
        yield Finding(
            at=(*_AT, "saml"),
            message=f"an identity provider for SAML beside `authentication: {grafana.authentication}`",
            hint="take `saml` out, or write `authentication: saml`",
        )


@rule(
    "OBS031", ERROR, "Grafana stands in two subnets with a security group where it reaches into a network",
    why="Amazon Managed Grafana takes 2 to 6 subnets in different zones and 1 to 5 security groups, and neither alone.",
    source="https://docs.aws.amazon.com/grafana/latest/APIReference/API_VpcConfiguration.html",
    reads="observability", where="grafana-settings",
)  # fmt: skip
def network_of_grafana_is_whole(design: Design) -> Iterator[Finding]:
    """subnet_ids and security_group_ids."""
    grafana = _grafana(design)
    if grafana.subnet_ids and len(set(grafana.subnet_ids)) < _LEAST_SUBNETS:
        yield Finding(
            at=(*_AT, "subnet_ids"),
            message=f"{len(set(grafana.subnet_ids))} subnet, Grafana stands in {_LEAST_SUBNETS} or more",
            hint="add one of another zone",
        )
    if bool(grafana.subnet_ids) != bool(grafana.security_group_ids):
        has, lacks = (
            ("subnet_ids", "security_group_ids")
            if grafana.subnet_ids
            else ("security_group_ids", "subnet_ids")
        )
        yield Finding(
            at=(*_AT, has), message=f"`{has}` without `{lacks}`", hint=f"add `{lacks}:`, or take `{has}` out"
        )


@rule(
    "OBS032", ERROR, "Grafana reaches into a network where Amazon Managed Grafana can",
    why="Workspaces in Seoul connect to no network.",
    source="https://docs.aws.amazon.com/grafana/latest/APIReference/API_VpcConfiguration.html",
    reads="region observability", where="grafana-settings", ages="the Regions where Amazon Managed Grafana connects to VPCs",
)  # fmt: skip
def region_connects_grafana(design: Design) -> Iterator[Finding]:
    """subnet_ids in ap-northeast-2."""
    grafana = _grafana(design)
    region = grafana.region or design.profile.region
    if grafana.subnet_ids and region in _WITHOUT_VPC:
        yield Finding(
            at=(*_AT, "subnet_ids"),
            message=f"Amazon Managed Grafana connects to no network in {region}",
            hint="take `subnet_ids` and `security_group_ids` out, or use a Grafana elsewhere",
        )


@rule(
    "OBS033", ERROR, "a new Grafana workspace has a version that the dashboards run on",
    why="The version chooses the kind of the data source, and it can be raised later but never lowered (OBS-12).",
    source=f"{_AMG}/AMG-workspace-version-update.html", reads="observability", where="grafana-settings",
    ages="the versions of Amazon Managed Grafana",
)  # fmt: skip
def version_is_known(design: Design) -> Iterator[Finding]:
    """`version` of a workspace."""
    version = _grafana(design).version
    if version is None or version == _OLDEST or version.partition(".")[0] in _MAJOR[1:]:
        return
    yield Finding(
        at=(*_AT, "version"),
        message=f"Grafana {version} is none that Amazon Managed Grafana offers and the dashboards run on",
        hint=f'write `version: "{_OLDEST}"`, or one of {" or ".join(_MAJOR[1:])} that '
        "`aws grafana list-versions` names",
    )


@rule(
    "OBS034", ERROR, "the token of a Grafana of one's own is a secret of the profile's Region",
    why="The function that loads dashboards runs in the cluster's Region and reads the token there, "
    "in a closed network through that Region's endpoint.",
    source="https://docs.aws.amazon.com/secretsmanager/latest/userguide/replicate-secrets.html",
    reads="region observability", where="own-grafana",
)  # fmt: skip
def token_is_in_the_region(design: Design) -> Iterator[Finding]:
    """`token_secret_arn`."""
    grafana = _own(design)
    if grafana is None:
        return
    region = grafana.token_secret_arn.split(":")[3]
    if region != design.profile.region:
        yield Finding(
            at=(*_AT, "token_secret_arn"),
            message=f"a secret of {region}, the cluster is in {design.profile.region}",
            hint=f"replicate it to {design.profile.region} and name the replica",
        )


@rule(
    "OBS035", ERROR, "a Grafana of one's own is new enough for the dashboards",
    why="The version chooses the kind of the data source; older ones have no such panels.",
    source="https://docs.aws.amazon.com/grafana/latest/userguide/AMG-workspace-version-update.html",
    reads="observability", where="own-grafana",
)  # fmt: skip
def own_grafana_is_new_enough(design: Design) -> Iterator[Finding]:
    """`version` of an existing one."""
    grafana = _own(design)
    if grafana is not None and version_parts(grafana.version) < version_parts(_OLDEST):
        yield Finding(
            at=(*_AT, "version"),
            message=f"Grafana {grafana.version}, the dashboards run on {_OLDEST} and newer",
            hint="write the version that its page `/api/health` tells; upgrade it where that is older",
        )
