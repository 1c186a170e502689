"""Grafana resources of a stack are deployed, updated and deleted in the embedded cloud."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml
from aws_cdk import App, Environment, Stack

from config.cluster import load_cluster
from config.design.observability.model import Measured
from scripts.cloud.assets import put_assets
from scripts.cloud.grafana.managed import site_of
from scripts.cloud.grafana.site import Site
from scripts.cloud.local import LocalCloud
from stacks.observability.grafana import add_grafana
from tests.observability.grafana.place import MEASURED, UIDS
from ultracluster.observability import LoaderNetwork, MetricsWorkspace, MetricsWorkspaceProps
from ultracluster.retention import Retention

pytestmark = pytest.mark.synth

_numbers = count()
REGION, ELSEWHERE = "us-west-2", "eu-west-1"


@dataclass
class Deployment:
    """A stack with only the observability layers of a profile."""

    cloud: LocalCloud
    folder: Path

    def deploy(self, grafana: Mapping[str, Any], measured: Measured = MEASURED) -> Any:
        template, folder = self.synthesized(grafana, measured)
        put_assets(self.cloud, REGION, folder)
        return self.cloud.deploy(REGION, "demo", json.dumps({"Resources": template["Resources"]}))

    def synthesized(
        self,
        grafana: Mapping[str, Any],
        measured: Measured = MEASURED,
        network: LoaderNetwork | None = None,
        with_prometheus: bool = True,
    ) -> tuple[dict[str, Any], Path]:
        profile = {
            "extends": "p6-b200",
            "name": "demo",
            "observability": {
                "prometheus": {"kind": "managed"} if with_prometheus else None,
                "grafana": dict(grafana),
            },
        }
        file = self.folder / "demo.yaml"
        file.write_text(yaml.safe_dump(profile), encoding="utf-8")
        design = load_cluster(str(file)).design
        assert design is not None
        folder = self.folder / f"assembly-{next(_numbers)}"
        app = App(analytics_reporting=False, outdir=str(folder))
        stack = Stack(app, "demo", env=Environment(region=REGION))
        metrics = MetricsWorkspace(
            stack,
            "Metrics",
            MetricsWorkspaceProps(
                alias="demo", retention_days=30, log_retention_days=30, retention=Retention.DISPOSABLE
            ),
        )
        add_grafana(
            stack,
            design.profile,
            measured,
            metrics_arn=metrics.workspace_arn,
            metrics_endpoint=metrics.prometheus_endpoint,
            network=network,
        )
        return app.synth().get_stack_by_name("demo").template, folder

    def delete(self, stack: Any) -> Any:
        self.cloud.backend(REGION).delete(stack)
        return stack

    def sites(self, region: str = REGION) -> list[Site]:
        workspaces = self.cloud.client("grafana", region).list_workspaces()["workspaces"]
        found = [site_of(self.cloud.account, region, workspace["id"]) for workspace in workspaces]
        return [site for site in found if site]


@pytest.fixture
def deployment(local: LocalCloud, tmp_path: Path) -> Deployment:
    return Deployment(local, tmp_path)


MANAGED = {"kind": "managed"}


def failures(stack: Any) -> list[tuple[str, str]]:
    return [(e.logical_id, e.reason) for e in stack.events if e.reason and e.status.endswith("FAILED")]


def test_a_workspace_comes_with_its_dashboards_and_goes_with_them(deployment: Deployment) -> None:
    stack = deployment.deploy(MANAGED)
    assert failures(stack) == []
    assert stack.status == "CREATE_COMPLETE"
    (site,) = deployment.sites()
    assert sorted(site.dashboards) == sorted(UIDS)
    endpoint = site.sources["prometheus"]["url"]
    assert endpoint.startswith(f"https://aps-workspaces.{REGION}.amazonaws.com/workspaces/ws-")
    deployment.delete(stack)
    assert deployment.sites() == []


@pytest.mark.long
def test_new_content_is_loaded_by_the_next_deployment(deployment: Deployment) -> None:
    deployment.deploy(MANAGED)
    (site,) = deployment.sites()
    before = site.dashboards["ultracluster-gpu"]["dashboard"]
    stack = deployment.deploy(MANAGED, replace(MEASURED, profiling=False))
    assert failures(stack) == []
    assert stack.status == "UPDATE_COMPLETE"
    after = site.dashboards["ultracluster-gpu"]["dashboard"]
    assert len(after["panels"]) < len(before["panels"])
    # the Slurm dashboard is the same, and is not saved again
    assert site.dashboards["ultracluster-scheduler"]["dashboard"]["version"] == 1


@pytest.mark.long
def test_an_upgrade_of_grafana_brings_its_data_source(deployment: Deployment) -> None:
    deployment.deploy(MANAGED)
    stack = deployment.deploy({**MANAGED, "version": "12.4"})
    assert failures(stack) == []
    (site,) = deployment.sites()
    assert site.version == "12.4"
    assert site.sources["prometheus"]["type"] == "grafana-amazonprometheus-datasource"


@pytest.mark.long
def test_a_workspace_elsewhere_comes_and_goes(deployment: Deployment) -> None:
    stack = deployment.deploy({**MANAGED, "region": ELSEWHERE})
    assert failures(stack) == []
    assert deployment.sites() == []
    (site,) = deployment.sites(ELSEWHERE)
    assert sorted(site.dashboards) == sorted(UIDS)
    # it queries the Prometheus in the cluster's Region
    assert site.sources["prometheus"]["jsonData"]["sigV4Region"] == REGION
    deployment.delete(stack)
    assert deployment.sites(ELSEWHERE) == []


@pytest.mark.long
def test_a_workspace_that_moves_to_another_region_leaves_nothing(deployment: Deployment) -> None:
    deployment.deploy({**MANAGED, "region": ELSEWHERE})
    stack = deployment.deploy({**MANAGED, "region": "eu-central-1"})
    assert failures(stack) == []
    assert deployment.sites(ELSEWHERE) == []
    assert [sorted(site.dashboards) for site in deployment.sites("eu-central-1")] == [sorted(UIDS)]


def test_a_deployment_that_fails_while_it_loads_is_taken_back(
    deployment: Deployment, local: LocalCloud
) -> None:
    secret = f"arn:aws:secretsmanager:{REGION}:123456789012:secret:gone-abcdef"
    existing = {"kind": "existing", "url": "http://127.0.0.1:9", "token_secret_arn": secret}
    stack = deployment.deploy(existing)
    assert stack.status == "ROLLBACK_COMPLETE"
    assert any("GetSecretValue" in reason for _, reason in failures(stack))
    assert local.client("lambda", REGION).list_functions()["Functions"] == []


@pytest.mark.long
def test_only_a_closed_grafana_puts_the_function_into_the_vpc(deployment: Deployment) -> None:
    network = LoaderNetwork(vpc_id="vpc-0123456789abcdef0", subnet_ids=["subnet-0123456789abcdef0"])
    closed = {**MANAGED, "vpc_endpoint_ids": ["vpce-0123456789abcdef0"]}
    for grafana, inside in ((closed, True), (MANAGED, False)):
        template, _ = deployment.synthesized(grafana, network=network)
        (function,) = [r for r in template["Resources"].values() if r["Type"] == "AWS::Lambda::Function"]
        assert ("VpcConfig" in function["Properties"]) is inside


def test_without_a_prometheus_there_are_no_dashboards(deployment: Deployment) -> None:
    template, _ = deployment.synthesized(MANAGED, with_prometheus=False)
    types = {resource["Type"] for resource in template["Resources"].values()}
    assert "AWS::Grafana::Workspace" in types
    assert not [name for name in types if name.startswith("Custom::")]


def test_the_same_profile_gives_the_same_archive(deployment: Deployment) -> None:
    keys = set()
    for _ in range(2):
        template, _folder = deployment.synthesized(MANAGED)
        (function,) = [r for r in template["Resources"].values() if r["Type"] == "AWS::Lambda::Function"]
        keys.add(function["Properties"]["Code"]["S3Key"])
    assert len(keys) == 1
