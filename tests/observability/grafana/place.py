"""Grafana workspace in the embedded cloud, and content for it, for tests of the loader function."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from config.design.observability.dashboards import Places
from config.design.observability.grafana_content import plan_content
from config.design.observability.model import GpuNodes, Measured
from config.profile.observability.metrics import Observability
from scripts.cloud.custom.environment import Environment
from scripts.cloud.grafana.managed import site_of
from scripts.cloud.grafana.site import Site
from scripts.cloud.local import LocalCloud
from tests.cloud.custom.handler_lifecycle import Report, exercise
from ultracluster.observability.grafana_function import handler as loader

REGION = "us-east-1"
CONTENT, WORKSPACE = loader.CONTENT_TYPE, loader.WORKSPACE_TYPE
PROMETHEUS = f"https://aps-workspaces.{REGION}.amazonaws.com/workspaces/ws-1/"
UIDS = tuple(
    Places().uid(board) for board in ("cost", "efa", "gpu", "node", "scheduler", "storage", "training")
)
MEASURED = Measured(
    cluster="demo",
    control_plane="pcs",
    exporters=frozenset({"dcgm", "node", "fsx", "application", "agent", "slurm-native"}),
    gpu_nodes=(
        GpuNodes(
            instance_type="p5.48xlarge",
            architecture="hopper",
            gpus=8,
            efa_devices=32,
            dollars_per_gpu_hour=12.3,
        ),
    ),
)
MANAGED = {"kind": "managed"}


def content(
    grafana: dict[str, Any] | None = None, prometheus: dict[str, Any] | None = None, cluster: str = "demo"
) -> dict[str, Any]:
    """Return the content for a profile with this `observability`."""
    wanted = Observability.model_validate(
        {"grafana": grafana or MANAGED, "prometheus": prometheus or {"kind": "managed"}}
    )
    measured = Measured(
        **{name: getattr(MEASURED, name) for name in MEASURED.__slots__} | {"cluster": cluster}
    )
    found = plan_content(wanted, measured, region=REGION)
    assert found is not None
    return dict(found.body)


class GrafanaPlace:
    """A workspace, the loader's code with its content, and requests of CloudFormation."""

    def __init__(self, cloud: LocalCloud, folder: Path, version: str = "10.4", region: str = REGION) -> None:
        self.cloud, self.region = cloud, region
        self._file = folder / "content.json"
        self.grafana = cloud.client("grafana", region)
        trust = {"Version": "2012-10-17", "Statement": []}
        role = cloud.client("iam", region).create_role(
            RoleName="grafana", AssumeRolePolicyDocument=json.dumps(trust)
        )
        self.role_arn = role["Role"]["Arn"]
        self.workspace_id = self.grafana.create_workspace(
            accountAccessType="CURRENT_ACCOUNT",
            authenticationProviders=["SAML"],
            permissionType="CUSTOMER_MANAGED",
            workspaceRoleArn=self.role_arn,
            grafanaVersion=version,
        )["workspace"]["id"]
        self.holds(content({"kind": "managed", "version": version}))
        self.properties = {
            "WorkspaceId": self.workspace_id,
            "Region": region,
            "PrometheusUrl": PROMETHEUS,
            "ContentHash": "1",
        }

    @property
    def file(self) -> Path:
        return self._file

    def holds(self, body: dict[str, Any]) -> None:
        """Change the content in the function's code."""
        self._file.write_text(json.dumps(body), encoding="utf-8")

    @property
    def site(self) -> Site:
        found = site_of(self.cloud.account, self.region, self.workspace_id)
        assert found is not None
        return found

    def accounts(self) -> list[str]:
        page = self.grafana.list_workspace_service_accounts(workspaceId=self.workspace_id)
        return [account["name"] for account in page["serviceAccounts"]]

    @property
    def environment(self) -> Environment:
        return Environment(account_id=self.cloud.account, region=REGION)

    def exercise(self, create: dict[str, Any], changed: dict[str, Any], kind: str = CONTENT) -> Report:
        """Run all requests of the lifecycle of a resource, with repetitions."""
        return exercise(of_type(kind), self.environment, create=create, changed=changed)


def of_type(kind: str) -> Any:
    """Return the handler for `exercise`, which supports one resource type."""
    return lambda event, context: loader.handler({**event, "ResourceType": kind}, context)
