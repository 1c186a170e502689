"""Scrape configuration for Kubernetes: accepted keys, discovery and labels."""

from __future__ import annotations

import copy
import json
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.catalog.observability.metrics import LABELS, metrics
from config.design.kubernetes.steps import filled
from config.design.observability.collection import agent
from config.design.observability.collection.kubernetes import scraper_text
from config.design.observability.collection.scrape import (
    SCRAPER_LEAST_S,
    SCRAPER_MOST_BYTES,
    TOKEN,
    Targets,
    agent_configuration,
    scraper_configuration,
)
from config.design.observability.model import Measured
from config.profile.observability.metrics import ExistingPrometheus, ManagedPrometheus, SecretAuthentication
from tests.observability.measured_clusters import KUBERNETES, PROFILES, built_in, changed, measured_in
from tests.programs import lacks
from tests.tables import each_row

CASES = list(product(PROFILES, KUBERNETES))
TARGETS = Targets(application_port=9464, file_system_ids=("fs-0123456789abcdef0", "fs-0fedcba9876543210"))
SECRET = "arn:aws:secretsmanager:us-west-2:123456789012:secret:metrics-AbCdEf"
ENDPOINT = "https://aps-workspaces.us-west-2.amazonaws.com/workspaces/ws-01234567/"
Configuration = dict[str, Any]

TAKEN = {
    "job_name", "metrics_path", "scheme", "scrape_interval", "scrape_timeout", "authorization", "tls_config",
    "kubernetes_sd_configs", "static_configs", "relabel_configs", "metric_relabel_configs",
}  # fmt: skip
"""Keys of a job in the sample of https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-collector-how-to.html
and in the list of https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/
managed-prometheus-collectors-scraper-configuration.html."""


def measured(name: str, plane: str) -> Measured:
    return measured_in(built_in(name, plane))


def scraper(found: Measured) -> Configuration:
    return scraper_configuration(found, TARGETS)


def agents(found: Measured) -> Configuration:
    written = agent.remote_write(ManagedPrometheus(kind="managed"), "us-west-2")
    return agent_configuration(found, TARGETS, filled(written, lambda kind, name: ENDPOINT))


def jobs(configuration: Configuration) -> dict[str, Any]:
    return {job["job_name"]: job for job in configuration["scrape_configs"]}


@each_row("name, plane", CASES)
def test_the_collector_is_given_nothing_that_it_does_not_take(name: str, plane: str) -> None:
    configuration = scraper(measured(name, plane))
    assert set(configuration) == {"global", "scrape_configs"}
    assert configuration["global"]["external_labels"] == {"cluster": name}
    for job in configuration["scrape_configs"]:
        assert set(job) <= TAKEN
        assert [set(search) <= {"role", "namespaces"} for search in job["kubernetes_sd_configs"]] == [True]
        # its only way to authenticate
        assert job.get("authorization") in (None, {"type": "Bearer", "credentials_file": TOKEN})
        assert "static_configs" not in job
    assert len(json.dumps(configuration).encode()) < SCRAPER_MOST_BYTES


@pytest.mark.parametrize("interval_s", [15, 29, 30, 31, 300])
def test_the_collector_asks_every_30_seconds_at_most(tmp_path: Path, interval_s: int) -> None:
    observed = {"prometheus": {"kind": "managed"}, "collection": {"interval_s": interval_s}}
    found = measured_in(changed(tmp_path, orchestrator={"kind": "eks"}, observability=observed))
    asked = [scraper(found)["global"], *scraper(found)["scrape_configs"]]
    assert all(
        int(one["scrape_interval"][:-1]) >= max(SCRAPER_LEAST_S, interval_s)
        for one in asked
        if "scrape_interval" in one
    )
    assert agents(found)["global"]["scrape_interval"] == f"{interval_s}s"


@each_row("name, plane", CASES)
def test_every_exporter_in_a_cluster_is_asked_once(name: str, plane: str) -> None:
    found = measured(name, plane)
    names = [job["job_name"] for job in scraper(found)["scrape_configs"]]
    assert sorted(names) == sorted(
        metrics().exporters[exporter].job for exporter in found.exporters - {"agent"}
    )


def relabelled(job: Any, target: dict[str, str], which: str = "relabel_configs") -> dict[str, str] | None:
    """Return the labels of a target after relabelling; None if Prometheus drops the target."""
    labels = dict(target)
    for rule in job.get(which, ()):
        value = ";".join(labels.get(name, "") for name in rule.get("source_labels", ()))
        match = re.fullmatch(rule["regex"], value)
        action = rule.get("action", "replace")
        if action == "keep" and not match:
            return None
        if action == "drop" and match:
            return None
        if action == "labeldrop":
            labels = {key: held for key, held in labels.items() if not re.fullmatch(rule["regex"], key)}
        if action == "replace" and match:
            labels[rule["target_label"]] = match.expand(
                re.sub(r"\$(\d)", r"\\\1", rule.get("replacement", "$1"))
            )
    return {key: held for key, held in labels.items() if not key.startswith("__meta_")}


def node(instance_type: str, **labels: str) -> dict[str, str]:
    meta = "__meta_kubernetes_node_"
    return {
        "__address__": "10.0.1.7:10250",
        f"{meta}name": "ip-10-0-1-7.ec2.internal",
        f"{meta}address_InternalIP": "10.0.1.7",
        f"{meta}label_node_kubernetes_io_instance_type": instance_type,
        f"{meta}label_ultracluster_group": "train",
        **labels,
    }


@pytest.mark.parametrize(("plane", "prefix"), [("eks", ""), ("hyperpod-eks", "ml.")])
def test_obs_03_each_series_has_the_node_that_kubernetes_names_and_no_host_of_the_exporter(
    plane: str, prefix: str
) -> None:
    job = jobs(scraper(measured("p6-b200", plane)))["dcgm"]
    target = relabelled(job, node(f"{prefix}p6-b200.48xlarge"))
    assert target == {
        "__address__": "10.0.1.7:9400",
        "node": "ip-10-0-1-7.ec2.internal",
        "instance_type": "p6-b200.48xlarge",
        "group": "train",
    }
    for label in ("Hostname", "hostname"):
        series = {"__name__": "DCGM_FI_DEV_GPU_TEMP", "gpu": "0", "UUID": "GPU-1", label: "localhost"}
        kept = relabelled(job, {**series, **target}, "metric_relabel_configs")
        assert kept is not None
        assert label not in kept
        assert (kept["node"], kept["gpu"]) == (target["node"], "0")


@each_row("name, plane", CASES)
def test_exporters_of_nodes_are_asked_at_every_node_that_should_have_them(name: str, plane: str) -> None:
    found = measured(name, plane)
    prefix = "ml." if plane == "hyperpod-eks" else ""
    asked = jobs(scraper(found))
    for nodes in found.gpu_nodes:
        for job in ("node", "dcgm"):
            target = relabelled(asked[job], node(prefix + nodes.instance_type))
            assert target is not None
            assert target["instance_type"] == nodes.instance_type
            assert set(LABELS["node"]) <= {*target, "cluster", "job"}
    assert relabelled(asked["dcgm"], node(f"{prefix}m5.4xlarge")) is None
    assert relabelled(asked["node"], node(f"{prefix}m5.4xlarge")) is not None


def test_labels_of_the_pod_that_has_a_gpu_are_those_of_the_exporter() -> None:
    job = jobs(scraper(measured("p6-b200", "eks")))["dcgm"]
    target = relabelled(job, node("p6-b200.48xlarge"))
    assert target is not None
    assert not set(target) & set(metrics().exporters["dcgm"].optional_labels)


@each_row("name, plane", CASES)
def test_no_label_of_a_target_takes_the_place_of_an_exporters_own(name: str, plane: str) -> None:
    found = measured(name, plane)
    for make in (scraper, agents):
        for job in make(found)["scrape_configs"]:
            exporter = next(one for one in metrics().exporters.values() if one.job == job["job_name"])
            targets = {rule.get("target_label") for rule in job["relabel_configs"]} - {None, "__address__"}
            for row in metrics().of(exporter.name):
                assert not targets & {*row.labels, *exporter.optional_labels}, row.key


@each_row("name, plane", CASES)
def test_every_series_of_the_table_is_kept_and_others_are_not(name: str, plane: str) -> None:
    found = measured(name, plane)
    for job in scraper(found)["scrape_configs"]:
        exporter = next(one for one in metrics().exporters.values() if one.job == job["job_name"])
        own = {"dimension_FileSystemId": TARGETS.file_system_ids[0]} if exporter.name == "fsx" else {}
        for row in metrics().of(exporter.name):
            there = not row.architectures or bool(set(row.architectures) & found.architectures)
            for series in row.series:
                kept = relabelled(job, {"__name__": series, **own}, "metric_relabel_configs")
                assert (kept is not None) is there, series
        assert relabelled(job, {"__name__": "go_goroutines", **own}, "metric_relabel_configs") is None


def pod(port: str, **more: str) -> dict[str, str]:
    meta = "__meta_kubernetes_pod_"
    found = {
        "__address__": f"10.0.3.9:{port}",
        f"{meta}ip": "10.0.3.9",
        f"{meta}phase": "Running",
        f"{meta}node_name": "ip-10-0-1-7.ec2.internal",
        f"{meta}container_port_number": port,
    }
    return {**found, **{f"{meta}{key}": value for key, value in more.items()}}


@pytest.mark.parametrize(
    ("target", "address"),
    [
        (pod("9464"), "10.0.3.9:9464"),
        (pod("8080"), None),
        (pod("9464", phase="Succeeded"), None),
        (pod("8080", annotationpresent_ultracluster_metrics_port="true",
             annotation_ultracluster_metrics_port="8000"), "10.0.3.9:8000"),
    ],
)  # fmt: skip
def test_jobs_are_asked_at_the_port_of_the_profile_or_that_of_their_annotation(
    target: dict[str, str], address: str | None
) -> None:
    found = relabelled(jobs(scraper(measured("p5", "eks")))["application"], target)
    assert (found and found["__address__"]) == address
    assert found is None or found["node"] == "ip-10-0-1-7.ec2.internal"


def test_of_two_managers_of_kueue_only_the_leader_counts() -> None:
    job = jobs(scraper(measured("p5", "eks")))["kueue"]
    for role, kept in (("leader", True), ("standalone", True), ("follower", False)):
        series = {"__name__": "kueue_pending_workloads", "replica_role": role}
        assert (relabelled(job, series, "metric_relabel_configs") is not None) is kept


def test_file_systems_of_others_in_the_region_are_left_out() -> None:
    job = jobs(scraper(measured("p5", "eks")))["fsx"]
    for name, kept in (("fs-0123456789abcdef0", True), ("fs-0aaaaaaaaaaaaaaaa", False)):
        series = {"__name__": "aws_fsx_client_connections_maximum", "dimension_FileSystemId": name}
        assert (relabelled(job, series, "metric_relabel_configs") is not None) is kept


def test_obs_20_one_collector_has_one_cluster_label_and_no_replica_that_is_thrown_away() -> None:
    for make in (scraper, agents):
        assert set(make(measured("p5", "eks"))["global"]["external_labels"]) == {"cluster"}


def test_the_text_of_the_collector_is_what_it_takes_with_marks_for_ids() -> None:
    design = built_in("p5", "eks")
    names = [system.name for system in design.file_systems]
    text = scraper_text(design.profile, design.groups, names)
    (kept,) = [
        rule["regex"]
        for rule in jobs(yaml.safe_load(text))["fsx"]["metric_relabel_configs"]
        if rule["source_labels"] == ["dimension_FileSystemId"]
    ]
    assert kept == "|".join(f"${{ultracluster:file-system-id:{name}}}" for name in names)


def promtool(folder: Path, configuration: Configuration, *arguments: str) -> str:
    """Return the output of promtool for a configuration, with local files instead of those in a pod.

    Debian's promtool does not support Kubernetes discovery, so that a fixed target replaces it.
    """
    program = shutil.which("promtool")
    if program is None:
        lacks("no promtool: apt-get install prometheus")
    token = folder / "token"
    token.write_text("x")
    found = copy.deepcopy(configuration)
    for job in found["scrape_configs"]:
        del job["kubernetes_sd_configs"]
        job["static_configs"] = [{"targets": ["10.0.1.7:9100"]}]
    text = json.dumps(found).replace(TOKEN, str(token)).replace("/secrets/password", str(token))
    # Debian's version does not support username_file
    file = folder / "prometheus.yml"
    file.write_text(text.replace('"username_file": "/secrets/username"', '"username": "x"'))
    reported = subprocess.run(
        [program, "check", "config", *arguments, str(file)], capture_output=True, text=True, check=False
    )
    return "" if reported.returncode == 0 else reported.stdout + reported.stderr


@each_row("name, plane", CASES)
def test_nodes_and_pods_are_what_is_searched_for_in_kubernetes(name: str, plane: str) -> None:
    found = measured(name, plane)
    for job in [*scraper(found)["scrape_configs"], *agents(found)["scrape_configs"]]:
        (search,) = job["kubernetes_sd_configs"]
        assert search["role"] in ("node", "pod")
        assert search.get("attach_metadata", {"node": True}) == {"node": True}


@each_row("name, plane", CASES)
def test_promtool_takes_the_configurations(tmp_path: Path, name: str, plane: str) -> None:
    found = measured(name, plane)
    assert promtool(tmp_path, scraper(found)) == ""
    assert promtool(tmp_path, agents(found), "--agent") == ""


@pytest.mark.parametrize(
    "authentication", [None, {"kind": "none"}, {"kind": "sigv4"}, {"kind": "secret", "secret_arn": SECRET}]
)
def test_promtool_takes_every_way_to_sign_in(tmp_path: Path, authentication: dict[str, Any] | None) -> None:
    address = {"kind": "existing", "remote_write_url": "https://metrics.example.com/api/v1/write"}
    more = {} if authentication is None else {"authentication": authentication}
    written = agent.remote_write(ExistingPrometheus.model_validate({**address, **more}), "us-west-2")
    found = agent_configuration(measured("p5", "eks"), TARGETS, written)
    assert promtool(tmp_path, found, "--agent") == ""
    assert ("basic_auth" in written) is (more.get("authentication", {}).get("kind") == "secret")


def test_promtool_reports_a_broken_configuration(tmp_path: Path) -> None:
    broken = scraper(measured("p5", "eks"))
    broken["scrape_configs"][0]["relabel_configs"].append({"regex": "(", "action": "keep"})
    assert promtool(tmp_path, broken) != ""


def test_secrets_are_no_part_of_a_configuration() -> None:
    authentication = SecretAuthentication(kind="secret", secret_arn=SECRET)
    existing = ExistingPrometheus(
        kind="existing", remote_write_url="https://metrics.example.com/write", authentication=authentication
    )
    assert "secret:metrics" not in json.dumps(agent.remote_write(existing, "us-west-2"))
