"""Who hands out GPUs and EFA: one owner for each on a node, on the nodes that have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from config.design.kubernetes.devices import EFA_LABEL, GPU_LABEL, group_devices
from config.design.kubernetes.steps import Release
from tests.kubernetes.component_clusters import GB200, Contents, built_in, contents, machines

GPU_TAINT = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
CLUSTERS = ("p5-dev", "p5", "p5e", "p5en", "p6-b200", "p6-b300", "p6e-gb200")


def tolerated(tolerations: Any) -> bool:
    return any(
        one.get("key") == GPU_TAINT["key"] and one["operator"] == "Exists" and one["effect"] == "NoSchedule"
        for one in tolerations
    )


def selectors(release: Release) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Labels and values by which a release's DaemonSet finds its nodes."""
    values: Mapping[str, Any] = release.values.get("kubeletPlugin", release.values)
    for key, value in values.get("nodeSelector", {}).items():
        yield key, (value,)
    node = values.get("affinity", {}).get("nodeAffinity", {})
    for term in node.get("requiredDuringSchedulingIgnoredDuringExecution", {}).get("nodeSelectorTerms", ()):
        for expression in term["matchExpressions"]:
            yield expression["key"], tuple(expression["values"])


@pytest.mark.parametrize("name", CLUSTERS)
@pytest.mark.parametrize("kind", ["eks", "hyperpod-eks"])
def test_every_class_of_devices_on_a_node_has_one_owner(name: str, kind: str) -> None:
    found = built_in(name, kind)
    for devices in group_devices(found.orchestrator, found.design.groups):
        owners = [
            release.name
            for release in found.releases.values()
            if chart_owns_gpus(release) and runs_on(release, found, devices.group)
        ]
        assert len(owners) == (devices.gpu is not None), owners
        efa = [
            name
            for name in ("aws-efa-k8s-device-plugin", "aws-dranet")
            if name in found.releases and runs_on(found.releases[name], found, devices.group)
        ]
        assert len(efa) == (devices.efa is not None), efa


CHECKED_NODES = {
    "key": "sagemaker.amazonaws.com/node-health-status",
    "operator": "Equal",
    "value": "Unschedulable",
    "effect": "NoSchedule",
}


@pytest.mark.parametrize("name", CLUSTERS)
def test_devices_are_there_while_hyperpod_checks_a_node_and_only_hyperpod_marks_one(name: str) -> None:
    for kind, tolerates in (("hyperpod-eks", True), ("eks", False)):
        owners = [release for release in built_in(name, kind).releases.values() if hands_out(release)]
        assert owners
        for release in owners:
            assert (CHECKED_NODES in tolerations_of(release)) is tolerates, release.name


OWN = {"key": "team", "operator": "Equal", "value": "a", "effect": "NoSchedule"}


@pytest.mark.parametrize("more", [{}, {"devices": "dra"}, {"gpu_operator": True}])
def test_a_groups_own_taints_keep_jobs_off_and_not_what_hands_out_its_devices(more: dict[str, Any]) -> None:
    taints = [{"key": "team", "value": "a"}, {"key": "soon", "effect": "prefer-no-schedule"}]
    found = contents(machines(taints=taints), orchestrator={"components": more})
    owners = [release for release in found.releases.values() if hands_out(release)]
    assert len(owners) == 2
    for release in owners:
        assert OWN in tolerations_of(release), release.name
        assert "soon" not in {one["key"] for one in tolerations_of(release)}, release.name


def test_a_taint_without_a_value_is_tolerated_with_any_under_hyperpod() -> None:
    taints = [{"key": "team", "effect": "no-execute"}]
    found = contents(machines(taints=taints), orchestrator={"kind": "hyperpod-eks"})
    for release in (one for one in found.releases.values() if hands_out(one)):
        assert {"key": "team", "operator": "Exists", "effect": "NoExecute"} in tolerations_of(release)


def test_the_gpu_operator_finds_the_features_of_nodes_with_taints_of_their_own() -> None:
    taints = [{"key": "team", "value": "a"}]
    found = contents(machines(taints=taints), orchestrator={"components": {"gpu_operator": True}})
    worker = found.releases["gpu-operator"].values["node-feature-discovery"]["worker"]
    assert OWN in worker["tolerations"]


def hands_out(release: Release) -> bool:
    return chart_owns_gpus(release) or release.chart in ("aws-efa-k8s-device-plugin", "aws-dranet")


def tolerations_of(release: Release) -> Any:
    """What the DaemonSet of a release tolerates: each chart has it in a place of its own."""
    place = {"gpu-operator": "daemonsets", "dra-driver-nvidia-gpu": "kubeletPlugin"}.get(release.chart)
    values: Mapping[str, Any] = release.values[place] if place else release.values
    return values["tolerations"]


def chart_owns_gpus(release: Release) -> bool:
    if release.chart in ("nvidia-device-plugin", "gpu-operator"):
        return bool(release.values["devicePlugin"]["enabled"])
    return release.chart == "dra-driver-nvidia-gpu"


def runs_on(release: Release, found: Contents, group: str) -> bool:
    labels = dict(found.needs[group].labels)
    plan = found.group(group)
    hyperpod = found.orchestrator.kind == "hyperpod-eks"
    labels["node.kubernetes.io/instance-type"] = ("ml." if hyperpod else "") + plan.instance_type.name
    if release.chart.startswith("aws-"):
        types = release.values["supportedInstanceLabels"]["values"]
        if labels["node.kubernetes.io/instance-type"] not in types:
            return False
    assert tolerated(release.values.get("kubeletPlugin", release.values).get("tolerations", [])) or (
        release.chart == "gpu-operator"
    )
    return all(labels.get(key) in values for key, values in selectors(release))


def test_the_gpu_plugin_leaves_the_devices_of_efa_alone() -> None:
    values = contents().releases["nvidia-device-plugin"].values
    assert values["mofedEnabled"] is False
    assert (values["devicePlugin"]["enabled"], values["gfd"]["enabled"]) == (True, False)


def test_claims_take_the_place_of_both_plugins() -> None:
    found = contents(orchestrator={"components": {"devices": "dra"}})
    assert {"dra-driver-nvidia-gpu", "aws-dranet"} <= set(found.releases)
    assert not {"nvidia-device-plugin", "aws-efa-k8s-device-plugin"} & set(found.releases)
    driver = found.releases["dra-driver-nvidia-gpu"].values
    assert driver["gpuResourcesEnabledOverride"] is True
    assert driver["resources"] == {"gpus": {"enabled": True}, "computeDomains": {"enabled": False}}


def test_the_dra_driver_wants_no_control_plane_nodes() -> None:
    driver = contents(orchestrator={"components": {"devices": "dra"}}).releases["dra-driver-nvidia-gpu"]
    node = driver.values["controller"]["affinity"]["nodeAffinity"]
    assert node == {"preferredDuringSchedulingIgnoredDuringExecution": []}


def test_efa_stays_with_its_plugin_where_its_dra_driver_does_not_run_yet() -> None:
    found = contents(orchestrator={"kubernetes_version": "1.34", "components": {"devices": "dra"}})
    assert "dra-driver-nvidia-gpu" in found.releases
    assert "aws-efa-k8s-device-plugin" in found.releases
    assert "aws-dranet" not in found.releases


def test_single_groups_are_as_stated_beside_the_others() -> None:
    found = contents(
        machines(),
        machines(name="claims"),
        orchestrator={"components": {"group_devices": {"claims": "dra"}}},
    )
    labels = {name: needs.labels for name, needs in found.needs.items()}
    assert labels["train"] == {GPU_LABEL: "plugin", EFA_LABEL: "plugin"}
    assert labels["claims"] == {GPU_LABEL: "dra", EFA_LABEL: "dra"}
    assert labels["tools"] == {}
    for name in ("nvidia-device-plugin", "aws-efa-k8s-device-plugin"):
        assert runs_on(found.releases[name], found, "train")
        assert not runs_on(found.releases[name], found, "claims")


def test_ultraservers_have_compute_domains_and_the_label_that_these_go_by() -> None:
    found = contents(GB200, extends="p6e-gb200")
    assert found.releases["dra-driver-nvidia-gpu"].values["resources"]["computeDomains"]["enabled"] is True
    discovery = found.releases["gpu-feature-discovery"].values
    assert (discovery["gfd"]["enabled"], discovery["devicePlugin"]["enabled"]) == (True, False)
    assert tolerated(discovery["nfd"]["worker"]["tolerations"])


def test_no_other_machines_have_compute_domains() -> None:
    assert "gpu-feature-discovery" not in contents(orchestrator={"components": {"devices": "dra"}}).releases
    assert contents().needs["train"].masked_services == ()


@pytest.mark.parametrize("devices", ["plugins", "dra"])
def test_the_gpu_operator_brings_neither_driver_nor_toolkit_nor_a_second_exporter(devices: str) -> None:
    found = contents(orchestrator={"components": {"gpu_operator": True, "devices": devices}})
    values = found.releases["gpu-operator"].values
    off = ("driver", "toolkit", "migManager", "dcgmExporter")
    assert [values[name] for name in off] == [{"enabled": False}] * len(off)
    assert values["devicePlugin"]["enabled"] is (devices == "plugins")
    assert "nvidia-device-plugin" not in found.releases
    kept_off = found.needs["train"].labels.get("nvidia.com/gpu.deploy.device-plugin")
    assert kept_off == ("false" if devices == "dra" else None)


def test_kai_has_the_gpu_operator_by_itself_and_kueue_has_not() -> None:
    assert "gpu-operator" in contents(orchestrator={"scheduler": "kai"}).releases
    assert "gpu-operator" not in contents(orchestrator={"scheduler": "kueue"}).releases


def test_an_image_with_its_own_plugin_gets_no_second_one() -> None:
    found = contents()
    (devices,) = group_devices(found.orchestrator, found.design.groups, frozenset({"train"}))
    assert (devices.gpu, devices.efa) == ("image", "plugin")


def test_a_cluster_without_gpus_has_no_plugins() -> None:
    found = contents({"name": "cpu", "role": "compute", "instance_type": "m5.4xlarge", "count": 2})
    assert not [name for name in found.releases if "nvidia" in name or "efa" in name]
