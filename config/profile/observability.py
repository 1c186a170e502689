"""The observability part of a profile."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import Model


class ManagedPrometheus(Model):
    """A workspace of Amazon Managed Service for Prometheus (AMP)."""

    kind: Literal["managed"]
    retention_days: Annotated[int, Field(ge=1, le=1095, description="Days that metrics are kept.")] = 150


class ManagedGrafana(Model):
    """A workspace of Amazon Managed Grafana (AMG)."""

    kind: Literal["managed"]
    authentication: Annotated[
        Literal["saml", "identity-center"],
        Field(
            description="saml: works in any account, the identity provider is set afterwards; identity-center: "
            "needs IAM Identity Center in the organization."
        ),
    ] = "saml"


class Observability(Model):
    """Metrics, dashboards and logs."""

    prometheus: Annotated[ManagedPrometheus | None, Field(description="Where metrics are kept.")] = None
    grafana: Annotated[ManagedGrafana | None, Field(description="Where dashboards are.")] = None
    log_retention_days: Annotated[int, Field(description="Days that the cluster's log groups are kept.")] = 90
