"""An Amazon Managed Grafana workspace."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

GrafanaAuthentication = Literal["SAML", "AWS_SSO"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GrafanaWorkspaceProps:
    """Who signs in to Grafana and what it may read.

    Attributes:
        name: The workspace's name.
        grafana_version: The version, pinned. It can be raised later but never lowered.
        metrics_workspace_arns: Prometheus workspaces it may query.
        authentication: `SAML` by default, which any account can create and connect to an identity provider later.
            `AWS_SSO` needs IAM Identity Center, and without it the creation fails.
        plugin_admin_enabled: Whether administrators may install plugins. True by default: from version 12 on, the
            Prometheus data source with AWS signing is one (OBS-12, OBS-22).
        tags: Tags of its role; a workspace takes none in CloudFormation.
    """

    name: str
    grafana_version: str
    metrics_workspace_arns: Sequence[str]
    authentication: GrafanaAuthentication = "SAML"
    plugin_admin_enabled: bool = True
    tags: Mapping[str, str] = field(default_factory=dict)


# class GrafanaWorkspace(Construct): workspace_id: str; endpoint: str; role_arn: str
