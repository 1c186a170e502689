"""Collection in a Kubernetes cluster: exporters, agent and permissions."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from config.catalog.kubernetes.charts import charts
from config.catalog.observability.metrics import metrics
from config.design.kubernetes.model import Part
from config.design.kubernetes.steps import Manifest, Release, filled
from config.design.model import Design
from config.design.observability.collection.exporter_charts import TEXTFILES
from config.design.observability.collection.kubernetes import collection_part
from config.design.observability.collection.scrape import NAMESPACE
from scripts.cloud.kubernetes.schemas import fault_of
from tests.kubernetes.chart_values import unknown_values
from tests.kubernetes.component_clusters import check_object, known
from tests.observability.measured_clusters import KUBERNETES, PROFILES, built_in, changed
from tests.tables import each_row
from ultracluster.kubernetes.steps import MAX_BYTES

CASES = list(product(PROFILES, KUBERNETES))
SECRET = "arn:aws:secretsmanager:us-west-2:123456789012:secret:metrics-AbCdEf"
AMP = "https://aps-workspaces.us-west-2.amazonaws.com/workspaces/ws-0123abcd/api/v1/remote_write"
OWN: dict[str, Any] = {"kind": "existing", "remote_write_url": "https://metrics.example.com/write"}
WAYS: list[dict[str, Any]] = [
    {"prometheus": {"kind": "managed"}, "collection": {"collector": "agent"}},
    {"prometheus": OWN},
    {"prometheus": {**OWN, "remote_write_url": AMP, "authentication": {"kind": "sigv4"}}},
    {"prometheus": {**OWN, "authentication": {"kind": "secret", "secret_arn": SECRET}}},
]


def part_of(found: Design) -> Part:
    return collection_part(found.profile, found.groups, [system.name for system in found.file_systems])


def observed(folder: Path, plane: Mapping[str, Any] | None = None, **declared: Any) -> Part:
    """Return the collection part of a small profile with `declared` as its `observability`."""
    return part_of(changed(folder, orchestrator={"kind": "eks", **(plane or {})},
                           observability={"grafana": None, **declared}))  # fmt: skip


def releases(part: Part) -> dict[str, Release]:
    return {step.name: step for step in part.steps if isinstance(step, Release)}


def objects(part: Part) -> list[dict[str, Any]]:
    found = (step.objects for step in part.steps if isinstance(step, Manifest))
    return [filled(one, known) for several in found for one in several]


def of_kind(found: Iterable[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    return [one for one in found if one["kind"] == kind]


@each_row("name, plane", CASES)
def test_each_exporter_of_kubernetes_is_brought_once(name: str, plane: str) -> None:
    part = part_of(built_in(name, plane))
    assert set(releases(part)) == {"node-exporter", "dcgm-exporter", "kube-state-metrics"}
    names = [step.name for step in part.steps]
    assert len(set(names)) == len(names)
    # the AMP managed collector scrapes them
    assert "prometheus-agent" not in names


@each_row("name, plane", CASES)
def test_charts_are_pinned_and_read_every_value(name: str, plane: str) -> None:
    for release in releases(part_of(built_in(name, plane))).values():
        assert unknown_values(release, None) == []
        assert release.namespace == NAMESPACE == charts()[release.chart].namespace
        assert len(json.dumps(release.values)) < MAX_BYTES


@pytest.mark.sample(3)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("version", ["1.33", "1.35"])
def test_every_object_is_one_that_the_cluster_takes(
    tmp_path: Path, way: dict[str, Any], version: str
) -> None:
    for one in objects(observed(tmp_path, **way)):
        check_object(one, version)
        assert fault_of(one, version) is None


def test_the_part_is_in_the_cluster_where_the_profile_wants_metrics(tmp_path: Path) -> None:
    def steps(**more: Any) -> set[str]:
        eks = changed(tmp_path, orchestrator={"kind": "eks"}, **more).eks
        assert eks is not None
        return {step.name for step in eks.contents.steps}

    assert "node-exporter" in steps()
    assert "node-exporter" not in steps(observability={"prometheus": None, "grafana": None})
    assert "node-exporter" not in steps(observability=None)


def test_nothing_of_ours_runs_beside_hyperpods_own_collectors(tmp_path: Path) -> None:
    declared = {"kind": "hyperpod-eks", "observability_addon": {}}
    assert observed(tmp_path, declared, prometheus={"kind": "managed"}) == Part()


def test_obs_04_dcgm_has_a_gibibyte_at_least_and_go_less_than_that(tmp_path: Path) -> None:
    values = releases(observed(tmp_path))["dcgm-exporter"].values
    memory, unit = values["resources"]["limits"]["memory"][:-2], values["resources"]["limits"]["memory"][-2:]
    assert (int(memory) >= 1, unit) == (True, "Gi")
    go = next(one["value"] for one in values["extraEnv"] if one["name"] == "GOMEMLIMIT")
    assert go.endswith("GiB")
    assert int(go.removesuffix("GiB")) < int(memory)


@pytest.mark.parametrize("scheduler", ["kueue", "kai"])
def test_obs_05_one_exporter_asks_dcgm(tmp_path: Path, scheduler: str) -> None:
    eks = changed(tmp_path, orchestrator={"kind": "eks", "scheduler": scheduler}).eks
    assert eks is not None
    found = {step.chart: step for step in eks.contents.steps if isinstance(step, Release)}
    assert "dcgm-exporter" in found
    inside = charts()["gpu-operator"].bundles["dcgm-exporter"]
    assert inside.default
    assert ("gpu-operator" in found) is (scheduler == "kai")
    if scheduler == "kai":
        assert not inside.installed(found["gpu-operator"].values)


@pytest.mark.parametrize("profiling", [True, False])
def test_obs_06_sys_admin_and_profiling_fields_go_together(tmp_path: Path, profiling: bool) -> None:
    values = releases(observed(tmp_path, collection={"profiling": profiling}))["dcgm-exporter"].values
    assert (values["securityContext"]["capabilities"]["add"] == ["SYS_ADMIN"]) is profiling
    assert ("DCGM_FI_PROF_" in values["customMetrics"]) is profiling


@each_row("name, plane", CASES)
def test_the_pinned_image_of_dcgm_is_on_gpu_nodes_by_their_types(name: str, plane: str) -> None:
    found = built_in(name, plane)
    values = releases(part_of(found))["dcgm-exporter"].values
    image = f"{values['image']['repository']}:{values['image']['tag']}"
    assert image == metrics().exporters["dcgm"].image
    terms = values["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    (expression,) = terms["nodeSelectorTerms"][0]["matchExpressions"]
    prefix = "ml." if plane == "hyperpod-eks" else ""
    types = {one.name for group in found.groups for one in group.types if one.is_gpu}
    assert set(expression["values"]) == {prefix + one for one in types}
    assert {"operator": "Exists"} in values["tolerations"]
    assert values["hostNetwork"] is True


def test_pods_with_claims_are_found_on_machines_whose_gpus_are_had_by_claims() -> None:
    for name, there in (("p6e-gb200", True), ("p5", False)):
        values = releases(part_of(built_in(name, "eks")))["dcgm-exporter"].values
        assert values["kubernetesDRA"]["enabled"] is there


def test_on_bottlerocket_the_exporter_mounts_all_gpus_and_no_script_writes_textfiles(tmp_path: Path) -> None:
    found = releases(observed(tmp_path, {"node_image": {"family": "bottlerocket"}}))
    mounts = found["dcgm-exporter"].values["extraVolumeMounts"]
    assert [one["mountPath"] for one in mounts] == [
        "/etc/dcgm-exporter/default-counters.csv",
        "/var/run/nvidia-container-devices/all",
    ]
    assert found["node-exporter"].values["extraHostVolumeMounts"] == []
    assert not any("textfile" in one for one in found["node-exporter"].values["extraArgs"])


def test_textfiles_of_the_host_are_read_and_never_written(tmp_path: Path) -> None:
    values = releases(observed(tmp_path))["node-exporter"].values
    (mount,) = values["extraHostVolumeMounts"]
    assert (mount["hostPath"], mount["readOnly"]) == (TEXTFILES, True)
    assert f"--collector.textfile.directory={mount['mountPath']}" in values["extraArgs"]


def test_collectors_are_on_for_every_series_of_the_table_that_is_the_exporters_own(tmp_path: Path) -> None:
    on = {one.removeprefix("--collector.") for one in
          releases(observed(tmp_path))["node-exporter"].values["extraArgs"]}  # fmt: skip
    needed = {
        "node_cpu": "cpu", "node_memory": "meminfo", "node_filesystem": "filesystem",
        "node_network": "netdev", "node_boot": "stat", "node_load1": "loadavg", "node_textfile": "textfile",
    }  # fmt: skip
    for row in metrics().of("node"):
        if row.needs is None:
            (collector,) = [name for start, name in needed.items() if row.name.startswith(start)]
            assert collector in on


def test_other_counters_are_other_pods_of_the_exporter(tmp_path: Path) -> None:
    def stamp(*, profiling: bool) -> str:
        part = observed(tmp_path, collection={"profiling": profiling})
        return str(releases(part)["dcgm-exporter"].values["podAnnotations"]["ultracluster/counters"])

    assert stamp(profiling=True) == stamp(profiling=True)
    assert stamp(profiling=True) != stamp(profiling=False)


@pytest.mark.parametrize(
    ("fstype", "mount", "measured"),
    [
        ("ext4", "/", True),
        ("xfs", "/opt/dlami/nvme", True),
        ("tmpfs", "/var/lib/kubelet/pods/0a/volumes/token", False),
        ("xfs", "/var/lib/kubelet/pods/0a/volumes/data", False),
        ("lustre", "/fsx", False),
        ("nfs4", "/home", False),
    ],
)
def test_disks_of_the_node_are_measured_and_no_mount_that_may_hang(
    tmp_path: Path, fstype: str, mount: str, measured: bool
) -> None:
    arguments = releases(observed(tmp_path))["node-exporter"].values["extraArgs"]
    settings = dict(one.split("=", 1) for one in arguments if "=" in one)
    excluded = re.search(settings["--collector.filesystem.fs-types-exclude"], fstype) or re.search(
        settings["--collector.filesystem.mount-points-exclude"], mount
    )
    assert (not excluded) is measured


def test_kube_state_metrics_shows_what_the_table_has(tmp_path: Path) -> None:
    values = releases(observed(tmp_path))["kube-state-metrics"].values
    assert set(values["metricAllowlist"]) == {row.name for row in metrics().of("kube-state")}
    assert set(values["collectors"]) == {row.name.split("_")[1] + "s" for row in metrics().of("kube-state")}


def test_obs_19_the_agent_has_credentials_of_its_own_and_asks_no_node_for_them(tmp_path: Path) -> None:
    part = observed(tmp_path, **WAYS[0])
    agent = next(one for one in part.identities if one.name == "prometheus-agent")
    (pod,) = [one for one in of_kind(objects(part), "Deployment")
              if one["metadata"]["name"] == "prometheus-agent"]  # fmt: skip
    assert (agent.namespace, agent.service_account) == (
        NAMESPACE,
        pod["spec"]["template"]["spec"]["serviceAccountName"],
    )
    assert [statement["Action"] for statement in agent.statements] == [["aps:RemoteWrite"]]
    assert "hostNetwork" not in pod["spec"]["template"]["spec"]
    configuration = json.loads(of_config(part, "prometheus-agent")["prometheus.yml"])
    # without a Region, the agent would query the node's metadata for it
    assert configuration["remote_write"][0]["sigv4"] == {"region": "us-west-2"}


def of_config(part: Part, name: str) -> Mapping[str, str]:
    (found,) = [one for one in of_kind(objects(part), "ConfigMap") if one["metadata"]["name"] == name]
    data: Mapping[str, str] = found["data"]
    return data


@pytest.mark.parametrize(
    ("way", "action", "resource"),
    [
        (WAYS[1], None, None),
        (WAYS[2], "aps:RemoteWrite", "arn:aws:aps:*:*:workspace/ws-0123abcd"),
        (WAYS[3], "secretsmanager:GetSecretValue", SECRET),
    ],
)
def test_the_agent_may_do_what_its_way_to_sign_in_takes(
    tmp_path: Path, way: dict[str, Any], action: str | None, resource: str | None
) -> None:
    found = [one for one in observed(tmp_path, **way).identities if one.name == "prometheus-agent"]
    statements = [statement for one in found for statement in one.statements]
    assert [(one["Action"], one["Resource"]) for one in statements] == (
        [] if action is None else [([action], resource)]
    )


def test_a_secret_is_in_no_object_and_only_in_the_memory_of_the_pod(tmp_path: Path) -> None:
    part = observed(tmp_path, **WAYS[3])
    assert of_kind(objects(part), "Secret") == []
    (pod,) = [one["spec"]["template"]["spec"] for one in of_kind(objects(part), "Deployment")
              if one["metadata"]["name"] == "prometheus-agent"]  # fmt: skip
    volumes = {one["name"]: one for one in pod["volumes"]}
    assert volumes["secrets"] == {"name": "secrets", "emptyDir": {"medium": "Memory"}}
    assert [one["name"] for one in pod["initContainers"]] == ["credentials"]


def test_a_secret_that_is_rotated_is_read_again_and_one_that_cannot_be_read_stays(tmp_path: Path) -> None:
    deployments = of_kind(objects(observed(tmp_path, **WAYS[3])), "Deployment")
    (reader,) = [one for deployment in deployments
                 for one in deployment["spec"]["template"]["spec"].get("initContainers", ())]  # fmt: skip
    assert reader["restartPolicy"] == "Always"
    stand_in = """
import json, sys, time, types
answers = [{"username": "u", "password": "first"}, {"username": "u"}, {"username": "u", "password": "second"}]
class Client:
    def get_secret_value(self, SecretId):
        return {"SecretString": json.dumps(answers.pop(0))}
sys.modules["boto3"] = types.SimpleNamespace(client=lambda name, region_name: Client())
seen = []
def sleep(seconds):
    seen.append(open(sys.argv[3] + "/password").read())
    if not answers:
        print(seen)
        sys.exit()
time.sleep = sleep
"""
    script = stand_in + reader["args"][1]
    run = subprocess.run(
        [sys.executable, "-c", script, *reader["args"][2:4], str(tmp_path)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert run.stdout.splitlines() == [
        "cannot read the secret, the last value is kept: KeyError",
        "['first', 'first', 'second']",
    ]


@pytest.mark.parametrize("way", WAYS)
def test_obs_20_there_are_never_two_collectors_at_a_time(tmp_path: Path, way: dict[str, Any]) -> None:
    deployments = of_kind(objects(observed(tmp_path, **way)), "Deployment")
    assert {one["metadata"]["name"] for one in deployments} == {"prometheus-agent", "cloudwatch-exporter"}
    for one in deployments:
        assert (one["spec"]["replicas"], one["spec"]["strategy"]) == (1, {"type": "Recreate"})


def test_another_configuration_is_another_pod(tmp_path: Path) -> None:
    def stamps(seconds: int) -> list[str]:
        part = observed(tmp_path, prometheus=OWN, collection={"interval_s": seconds})
        found = of_kind(objects(part), "Deployment")
        return [one["spec"]["template"]["metadata"]["annotations"]["ultracluster/config"] for one in found]

    assert stamps(30) == stamps(30)
    assert stamps(30)[-1] != stamps(60)[-1]


@pytest.mark.parametrize("way", WAYS)
def test_pods_of_ours_may_do_nothing_on_their_node(tmp_path: Path, way: dict[str, Any]) -> None:
    for one in of_kind(objects(observed(tmp_path, **way)), "Deployment"):
        pod = one["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        for container in [*pod["containers"], *pod.get("initContainers", ())]:
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert container["securityContext"]["readOnlyRootFilesystem"] is True
            assert ":latest" not in container["image"]


def test_without_lustre_nothing_asks_cloudwatch(tmp_path: Path) -> None:
    found = changed(tmp_path, orchestrator={"kind": "eks"}, storage={"lustre": None})
    part = part_of(found)
    assert "cloudwatch-exporter" not in {step.name for step in part.steps}
    assert part.identities == ()
