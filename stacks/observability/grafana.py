"""Resources for Grafana: the workspace and its content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from constructs import Construct, IDependable

from config.design.observability.grafana_content import GrafanaContent as PlannedContent
from config.design.observability.grafana_content import plan_content, version_of
from config.design.observability.model import Measured
from config.profile.model import Profile
from config.profile.observability.metrics import ExistingGrafana, ManagedGrafana, Observability
from stacks.common import tags_of
from ultracluster.observability import (
    GrafanaContent,
    GrafanaContentProps,
    GrafanaLoader,
    GrafanaLoaderProps,
    GrafanaWorkspace,
    GrafanaWorkspaceProps,
    LoaderNetwork,
    RegionalGrafanaWorkspace,
    SamlSignIn,
    add_workspace_role,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GrafanaResources:
    """A Grafana workspace of this stack; `loader` is None if there is no content to load."""

    workspace_id: str
    endpoint: str
    loader: GrafanaLoader | None = None


def add_grafana(
    scope: Construct,
    profile: Profile,
    measured: Measured,
    *,
    metrics_arn: str | None,
    metrics_endpoint: str | None,
    network: LoaderNetwork | None = None,
    after: Sequence[IDependable] = (),
) -> GrafanaResources | None:
    """Create the profile's Grafana workspace, data sources and dashboards; None if it has no workspace.

    `metrics_arn`, `metrics_endpoint`: AMP workspace of the stack. `network`: VPC for the loader function, if
    it must run in a VPC. `after`: constructs that must exist before the dashboards are loaded.
    """
    wanted = profile.observability
    if wanted is None or wanted.grafana is None:
        return None
    content = plan_content(wanted, measured, region=profile.region)
    managed = wanted.grafana if isinstance(wanted.grafana, ManagedGrafana) else None
    existing = wanted.grafana if isinstance(wanted.grafana, ExistingGrafana) else None
    made = loader = None
    if managed:
        made = _workspace(scope, profile, managed, content, [metrics_arn] if metrics_arn else [], network)
        loader = made.loader
    elif existing and content:
        loader = _loader(scope, profile, content, secret_arns=[existing.token_secret_arn])
    if content and loader:
        GrafanaContent(
            scope,
            "GrafanaContent",
            GrafanaContentProps(
                loader=loader,
                workspace_id=made.workspace_id if made else None,
                workspace_region=managed.region or profile.region if managed else None,
                url=existing.url if existing else None,
                token_secret_arn=existing.token_secret_arn if existing else None,
                prometheus_url=content.prometheus_url or metrics_endpoint,
                prometheus_secret_arn=content.secret_arn,
                after=after,
            ),
        )
    return made


def _workspace(
    scope: Construct,
    profile: Profile,
    wanted: ManagedGrafana,
    content: PlannedContent | None,
    metrics_arns: Sequence[str],
    network: LoaderNetwork | None,
) -> GrafanaResources:
    """Create the loader function, and the workspace in the stack's or another Region."""
    props = workspace_props(profile, wanted, metrics_arns)
    region = wanted.region or profile.region
    reach = network if wanted.vpc_endpoint_ids or wanted.prefix_list_ids else None
    if region == profile.region:
        workspace = GrafanaWorkspace(scope, "Grafana", props)
        identity = workspace.workspace_id
        loader = (
            _loader(scope, profile, content, region=region, workspace_id=identity, network=reach)
            if content
            else None
        )
        return GrafanaResources(workspace_id=identity, endpoint=workspace.endpoint, loader=loader)
    role_arn = add_workspace_role(Construct(scope, "Grafana"), props)
    loader = _loader(scope, profile, content, region=region, role_arn=role_arn, network=reach)
    regional = RegionalGrafanaWorkspace(
        scope, "RegionalGrafana", props, region=region, role_arn=role_arn, loader=loader
    )
    return GrafanaResources(workspace_id=regional.workspace_id, endpoint=regional.endpoint, loader=loader)


def workspace_props(
    profile: Profile, wanted: ManagedGrafana, metrics_arns: Sequence[str]
) -> GrafanaWorkspaceProps:
    """Return the properties of a Grafana workspace."""
    saml = wanted.saml
    return GrafanaWorkspaceProps(
        name=profile.name,
        grafana_version=version_of(wanted),
        metrics_workspace_arns=metrics_arns,
        authentication="SAML" if wanted.authentication == "saml" else "AWS_SSO",
        saml=SamlSignIn(
            metadata_url=saml.metadata_url,
            role_attribute=saml.role_attribute,
            admins=saml.admins,
            editors=saml.editors,
        )
        if saml
        else None,
        prefix_list_ids=wanted.prefix_list_ids,
        vpc_endpoint_ids=wanted.vpc_endpoint_ids,
        subnet_ids=wanted.subnet_ids,
        security_group_ids=wanted.security_group_ids,
        tags=tags_of(profile),
    )


def _loader(
    scope: Construct,
    profile: Profile,
    content: PlannedContent | None,
    *,
    region: str | None = None,
    workspace_id: str | None = None,
    role_arn: str | None = None,
    secret_arns: Sequence[str] = (),
    network: LoaderNetwork | None = None,
) -> GrafanaLoader:
    observability = profile.observability or Observability()
    grafana = observability.grafana
    return GrafanaLoader(
        scope,
        "GrafanaLoader",
        GrafanaLoaderProps(
            name=profile.name,
            content=content.body if content else {},
            log_retention_days=observability.log_retention_days,
            workspace_region=region,
            workspace_id=workspace_id,
            workspace_role_arn=role_arn,
            identity_center=isinstance(grafana, ManagedGrafana)
            and grafana.authentication == "identity-center",
            secret_arns=sorted(
                {*secret_arns, *([content.secret_arn] if content and content.secret_arn else [])}
            ),
            network=network,
            tags=tags_of(profile),
        ),
    )
