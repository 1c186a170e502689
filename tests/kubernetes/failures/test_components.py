"""Public failures of what runs in a Kubernetes cluster: plugins, drivers, and the nodes of Karpenter."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from config.catalog import catalog
from config.catalog.kubernetes.charts import charts
from config.catalog.kubernetes.components import kubernetes_components
from config.cluster import Cluster
from config.design.kubernetes.devices import EFA_LABEL
from config.design.kubernetes.nodes.needs import IMEX_SERVICE
from config.design.kubernetes.steps import Release
from config.design.nodes.user_data import eks_user_data
from tests.kubernetes.component_clusters import GB200, Contents, contents, machines
from tests.tables import each_row

EFA_TYPES = sorted(name for name, row in catalog().instances.items() if row.is_gpu and row.max_efa)
LAUNCHED = [name for name in EFA_TYPES if not catalog().instances[name].ultraserver_only]
PLUGINS = ("aws-efa-k8s-device-plugin", "aws-dranet")
Data = dict[str, Any]


def cluster_of(instance_type: str, **orchestrator: Any) -> Contents:
    """A cluster with one group of a type."""
    if catalog().instances[instance_type].ultraserver_only:
        return contents(GB200, extends="p6e-gb200", orchestrator=orchestrator)
    return contents(machines(instance_type), orchestrator=orchestrator)


def efa_release(found: Contents) -> Release:
    (release,) = [release for name, release in found.releases.items() if name in PLUGINS]
    return release


def launched(instance_type: str = "p6-b200.48xlarge") -> tuple[Data, Data]:
    """The node class and the node pool of a group that Karpenter launches."""
    found = cluster_of(instance_type, karpenter={"groups": [{"name": "train"}]})
    by_kind = {one["kind"]: one["spec"] for one in found.objects}
    return by_kind["EC2NodeClass"], by_kind["NodePool"]


@each_row("instance_type", LAUNCHED)
def test_eks_07_interfaces_of_a_node_class_fit_the_type_exactly(instance_type: str) -> None:
    spec, _ = launched(instance_type)
    interfaces = spec["networkInterfaces"]
    places = [(one["networkCardIndex"], one["deviceIndex"]) for one in interfaces]
    assert len(set(places)) == len(places)
    assert {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"} in interfaces
    for card in catalog().instances[instance_type].cards:
        kinds = [one["interfaceType"] for one in interfaces if one["networkCardIndex"] == card.index]
        assert len(kinds) <= card.max_interfaces
        assert set(kinds) <= {kind.value for kind in card.supports}
        assert kinds.count("efa-only") <= 1
    assert {card for card, _ in places} <= {card.index for card in catalog().instances[instance_type].cards}


def test_eks_08_no_node_class_asks_for_a_public_address() -> None:
    spec, pool = launched()
    assert len(spec["networkInterfaces"]) > 1
    assert "associatePublicIPAddress" not in json.dumps([spec, pool])


@each_row("kind", ["eks", "hyperpod-eks"])
@each_row("instance_type", EFA_TYPES)
def test_eks_15_hyperpod_24_the_efa_plugin_runs_on_the_groups_types_and_knows_them(
    instance_type: str, kind: str
) -> None:
    types = efa_release(cluster_of(instance_type, kind=kind)).values["supportedInstanceLabels"]["values"]
    prefix = "ml." if kind == "hyperpod-eks" else ""
    assert types == [f"{prefix}{instance_type}"]
    assert instance_type in kubernetes_components().efa_plugin_types


def test_eks_16_the_nodes_that_the_efa_plugin_is_for_are_not_those_that_its_chart_excludes() -> None:
    found = contents()
    # the chart keeps off nodes of Auto Mode, which no group of a profile is
    labels = {key for needs in found.needs.values() for key in needs.labels}
    assert "eks.amazonaws.com/compute-type" not in labels
    selector: Mapping[str, str] = efa_release(found).values["nodeSelector"]
    assert selector.items() <= found.needs["train"].labels.items()


@pytest.mark.parametrize("devices", ["plugins", "dra"])
def test_eks_20_the_efa_plugin_stays_off_nodes_without_efa(devices: str) -> None:
    plain = machines("g6.xlarge", name="inference", count=1)
    found = contents(machines(), plain, orchestrator={"components": {"devices": devices}})
    selector = efa_release(found).values["nodeSelector"]
    assert list(selector) == [EFA_LABEL]
    for name in ("inference", "tools"):
        assert EFA_LABEL not in found.needs[name].labels
    assert found.needs["train"].labels[EFA_LABEL] == selector[EFA_LABEL]


def test_eks_20_a_cluster_without_efa_has_no_efa_plugin() -> None:
    found = contents(machines("g6.xlarge", count=1))
    assert not set(PLUGINS) & set(found.releases)


@each_row("instance_type", LAUNCHED)
def test_eks_21_a_pool_names_its_machines_by_the_whole_name_of_their_family(instance_type: str) -> None:
    _, pool = launched(instance_type)
    wanted = {one["key"]: one["values"] for one in pool["template"]["spec"]["requirements"]}
    assert wanted["karpenter.k8s.aws/instance-family"] == [instance_type.partition(".")[0]]
    assert wanted["node.kubernetes.io/instance-type"] == [instance_type]


@each_row("instance_type", EFA_TYPES)
def test_eks_28_nodes_with_efa_have_its_plugin_with_a_toleration_of_their_taint(instance_type: str) -> None:
    found = cluster_of(instance_type)
    assert found.group("train").efa_per_node > 0
    tolerations = efa_release(found).values["tolerations"]
    assert {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"} in tolerations


def test_eks_28_nodes_stand_in_one_subnet() -> None:
    spec, _ = launched()
    assert len(spec["subnetSelectorTerms"]) == 1


def test_eks_29_the_hosts_imex_service_is_masked_where_compute_domains_run_their_own() -> None:
    needs = cluster_of("p6e-gb200.36xlarge").needs
    assert needs["train"].masked_services == (IMEX_SERVICE,)
    assert needs["tools"].masked_services == ()
    text = eks_user_data(None, {}, bundle_uri="", region="us-east-1", masked=needs["train"].masked_services)
    assert "systemctl mask nvidia-imex.service" in text.splitlines()


def test_hyperpod_30_the_efa_plugin_is_one_that_counts_p6_right() -> None:
    version = charts()["aws-efa-k8s-device-plugin"].version.removeprefix("v")
    assert tuple(map(int, version.split("."))) >= (0, 5, 10)


def test_eks_19_no_runtime_without_efa_is_installed_with_the_trainer() -> None:
    assert contents().releases["kubeflow-trainer"].values["runtimes"] == {"defaultEnabled": False}


def test_a_profile_whose_ultraserver_karpenter_would_never_launch_is_refused(
    check: Callable[[str], Cluster],
) -> None:
    text = """
extends: p6e-gb200
name: mine
orchestrator: {kind: eks, karpenter: {groups: [{name: train}]}}
"""
    assert "KUB031" in {found.code for found in check(text).diagnostics}


VARIANTS: Mapping[str, Data] = {
    "plugins": {},
    "claims": {"components": {"devices": "dra"}},
    "the operator": {"components": {"gpu_operator": True}},
    "kai": {"scheduler": "kai"},
}


def on_gpu_nodes(value: Any) -> bool:
    """Whether values tolerate the taint of GPU nodes, or all taints."""
    if isinstance(value, Mapping):
        gpu = value.get("key") == "nvidia.com/gpu" and value.get("operator") == "Exists"
        return gpu or value.get("tolerateAllTaints") is True or any(map(on_gpu_nodes, value.values()))
    return isinstance(value, list | tuple) and any(map(on_gpu_nodes, value))


# HyperPod does not support claims
@pytest.mark.parametrize(
    ("variant", "kind"),
    [
        (one, kind)
        for one in VARIANTS
        for kind in ("eks", "hyperpod-eks")
        if (one, kind) != ("claims", "hyperpod-eks")
    ],
)
def test_eks_48_helm_does_not_wait_for_pods_on_gpu_nodes(variant: str, kind: str) -> None:
    found = contents(machines(), orchestrator={"kind": kind, **VARIANTS[variant]})
    on_them = {name: release.wait for name, release in found.releases.items() if on_gpu_nodes(release.values)}
    assert on_them
    assert not any(on_them.values()), on_them


@pytest.mark.parametrize("variant", VARIANTS)
def test_eks_13_the_gpu_plugin_does_not_mount_the_device_files_of_efa(variant: str) -> None:
    found = contents(machines(), orchestrator=VARIANTS[variant])
    stated = {
        "nvidia-device-plugin": ("mofedEnabled", False),
        "gpu-operator": ("devicePlugin", {"name": "MOFED_ENABLED", "value": "false"}),
    }
    installed = stated.keys() & found.releases.keys()
    assert bool(installed) == (variant != "claims")
    for name in installed:
        key, value = stated[name]
        declared = found.releases[name].values[key]
        assert declared == value or value in declared["env"]
