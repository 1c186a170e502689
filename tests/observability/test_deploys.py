"""Metrics, alerts and dashboards of each control plane, deployed in the embedded cloud."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import yaml

from config.cluster import load_cluster
from scripts.cloud.assets import put_assets
from scripts.cloud.local import LocalCloud, local_cloud
from tests.conftest import Synthesized

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

KUBERNETES = ("eks", "hyperpod-eks")
DEPLOYED = [
    ("p6-b200", "hyperpod-slurm"),
    ("p6-b200", "pcs"),
    ("p6-b200", "eks"),
    ("p6-b200", "hyperpod-eks"),
    ("p5-dev", "eks"),
    ("p6e-gb200", "hyperpod-eks"),
]
Tried = Callable[[str, str | None], Synthesized]


@contextmanager
def deployed(name: str, kind: str, tried: Tried) -> Iterator[tuple[LocalCloud, str, Any]]:
    design = load_cluster(name, orchestrator=kind).design
    assert design is not None
    region, found = design.profile.region, tried(name, kind)
    with local_cloud() as cloud:
        cloud.bootstrap(region)
        put_assets(cloud, region, found.folder)
        stack = cloud.deploy(region, name, found.text)
        assert stack.status == "CREATE_COMPLETE", [e.reason for e in stack.events if "FAILED" in e.status]
        yield cloud, region, stack


@pytest.mark.sample(1)
@pytest.mark.parametrize(("name", "kind"), DEPLOYED)
def test_rules_receivers_alarms_collectors_and_dashboards_are_there(
    name: str, kind: str, tried: Tried
) -> None:
    with deployed(name, kind, tried) as (cloud, region, stack):
        amp, sns = cloud.client("amp", region), cloud.client("sns", region)
        (workspace,) = amp.list_workspaces(alias=name)["workspaces"]
        workspace_id = workspace["workspaceId"]
        namespace = amp.describe_rule_groups_namespace(workspaceId=workspace_id, name=name)
        rules = yaml.safe_load(namespace["ruleGroupsNamespace"]["data"])
        alerts = {rule["alert"] for group in rules["groups"] for rule in group["rules"] if "alert" in rule}
        assert {"GpuMissing", "GpuXidReplace", "EfaMissing", "LustreTargetFull"} <= alerts

        (topic,) = [one["TopicArn"] for one in sns.list_topics()["Topics"]]
        definition = amp.describe_alert_manager_definition(workspaceId=workspace_id)["alertManagerDefinition"]
        manager = yaml.safe_load(yaml.safe_load(definition["data"])["alertmanager_config"])
        topics = {one["topic_arn"] for r in manager["receivers"] for one in r.get("sns_configs", ())}
        assert topics == {topic}
        attributes = sns.get_topic_attributes(TopicArn=topic)["Attributes"]
        by_name = {one["Sid"]: one for one in json.loads(attributes["Policy"])["Statement"]}
        assert by_name["AlertManager"]["Condition"]["ArnEquals"] == {"aws:SourceArn": workspace["arn"]}
        assert attributes["KmsMasterKeyId"]

        alarms = cloud.client("cloudwatch", region).describe_alarms()["MetricAlarms"]
        assert {f"{name}-AmpDiscardedSamples"} <= {alarm["AlarmName"] for alarm in alarms}
        assert all(
            alarm["AlarmActions"] == [topic] for alarm in alarms if alarm["AlarmName"].startswith(name)
        )

        scrapers = amp.list_scrapers()["scrapers"]
        assert [one["alias"] for one in scrapers] == ([name] if kind in KUBERNETES else [])
        (grafana,) = cloud.client("grafana", region).list_workspaces()["workspaces"]
        assert [r.status for r in stack.resources.values() if r.type == "Custom::GrafanaContent"] == [
            "CREATE_COMPLETE"
        ]
        assert grafana["name"] == name
        # the loader leaves no account that could sign in
        accounts = cloud.client("grafana", region).list_workspace_service_accounts(workspaceId=grafana["id"])
        assert accounts["serviceAccounts"] == []


@pytest.mark.long
@pytest.mark.parametrize("kind", ["hyperpod-slurm", "eks"])
def test_metrics_stay_when_the_stack_goes_and_rules_topics_and_alarms_do_not(kind: str, tried: Tried) -> None:
    with deployed("p6-b200", kind, tried) as (cloud, region, stack):
        stack.protected = False
        cloud.backend(region).delete(stack)
        assert stack.status == "DELETE_COMPLETE"
        amp = cloud.client("amp", region)
        (workspace,) = amp.list_workspaces(alias="p6-b200")["workspaces"]
        left = amp.list_rule_groups_namespaces(workspaceId=workspace["workspaceId"])["ruleGroupsNamespaces"]
        assert left == []
        assert amp.list_scrapers()["scrapers"] == []
        assert cloud.client("sns", region).list_topics()["Topics"] == []
        assert cloud.client("cloudwatch", region).describe_alarms()["MetricAlarms"] == []
        assert cloud.client("grafana", region).list_workspaces()["workspaces"] == []


@pytest.mark.long
def test_the_collector_reads_what_the_catalogue_of_metrics_names(tried: Tried) -> None:
    with deployed("p6-b200", "eks", tried) as (cloud, region, _):
        amp = cloud.client("amp", region)
        (listed,) = amp.list_scrapers()["scrapers"]
        scraper = amp.describe_scraper(scraperId=listed["scraperId"])["scraper"]
        settings = yaml.safe_load(scraper["scrapeConfiguration"]["configurationBlob"])
        assert settings["global"]["external_labels"] == {"cluster": "p6-b200"}
        assert {"node", "dcgm", "kube-state", "fsx"} <= {
            job["job_name"] for job in settings["scrape_configs"]
        }
        (file_system,) = cloud.client("fsx", region).describe_file_systems()["FileSystems"]
        assert file_system["FileSystemId"] in json.dumps(settings)
        source = scraper["source"]["eksConfiguration"]
        zones = {
            subnet["AvailabilityZone"]
            for subnet in cloud.client("ec2", region).describe_subnets(SubnetIds=source["subnetIds"])[
                "Subnets"
            ]
        }
        assert len(zones) > 1
