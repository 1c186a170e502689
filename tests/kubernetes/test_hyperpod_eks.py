"""HyperPod on EKS as it follows from a profile: its chart, its add-ons, its groups and its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from config.catalog.files import version_parts
from config.catalog.kubernetes.charts import charts
from config.catalog.kubernetes.hyperpod_eks import hyperpod_eks, minor
from config.cluster import load_cluster
from config.design.kubernetes.hyperpod_parts import CHART, KEYS
from config.design.kubernetes.model import AddonPlan
from config.design.kubernetes.steps import NODES, Manifest, Release
from config.design.model import Design
from config.design.report.plan import report
from tests.kubernetes.chart_values import unread

SYSTEM = {"name": "system", "role": "system", "instance_type": "m5.4xlarge", "count": 2}
TRAIN = {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 16}
OPERATORS: dict[str, Any] = {
    "task_governance": {},
    "training_operator": {},
    "inference_operator": {},
    "observability_addon": {"metrics": {"network": "advanced", "training": "disabled"}, "logs": True},
}
WORKSPACES = {
    "prometheus": {"kind": "managed"},
    "grafana": {"kind": "managed", "authentication": "identity-center"},
}


def designed(folder: Path, *groups: dict[str, Any], **orchestrator: Any) -> Design:
    file = folder / "my.yaml"
    declared = {
        "extends": "p6-b200", "name": "mine", "observability": WORKSPACES,
        "compute": {"groups": [SYSTEM, *(groups or (TRAIN,))]},
        "orchestrator": {"kind": "hyperpod-eks", **orchestrator},
    }  # fmt: skip
    file.write_text(yaml.safe_dump(declared), encoding="utf-8")
    cluster = load_cluster(str(file))
    assert cluster.design is not None, [d.message for d in cluster.diagnostics]
    return cluster.design


def releases(design: Design) -> dict[str, Release]:
    assert design.eks is not None
    return {step.name: step for step in design.eks.contents.steps if isinstance(step, Release)}


def addons(design: Design) -> dict[str, AddonPlan]:
    assert design.eks is not None
    return {addon.name: addon for addon in design.eks.contents.addons}


def test_the_chart_receives_nothing_that_it_does_not_read(tmp_path: Path) -> None:
    values = releases(designed(tmp_path))["hyperpod-dependencies"].values
    assert unread(charts()[CHART], values) == ()


def test_what_the_chart_bundles_has_one_owner(tmp_path: Path) -> None:
    made = releases(designed(tmp_path))
    values = made["hyperpod-dependencies"].values
    assert {"nvidia-device-plugin", "aws-efa-k8s-device-plugin"} <= set(charts()[CHART].bundles)
    installed = {release.chart for release in made.values()}
    twice = [
        name
        for name, bundled in charts()[CHART].bundles.items()
        if bundled.installed(values) and name in installed
    ]
    assert twice == []


def test_the_chart_waits_for_no_pod_and_everything_that_does_comes_after_the_nodes(tmp_path: Path) -> None:
    for name, release in releases(designed(tmp_path)).items():
        if name == "hyperpod-dependencies":
            assert not release.wait
            assert release.after == ()
        else:
            assert NODES in release.after or not release.wait


def test_an_image_of_the_users_own_takes_the_place_of_the_agents(tmp_path: Path) -> None:
    image = "123456789012.dkr.ecr.us-west-2.amazonaws.com/agent:2.0"
    values = releases(designed(tmp_path, health_agent_image=image))["hyperpod-dependencies"].values
    assert values["health-monitoring-agent"]["hmaimage"] == image


@pytest.mark.parametrize("key", KEYS)
def test_an_add_on_comes_with_what_it_needs_once_and_before_it(key: str, tmp_path: Path) -> None:
    made = designed(tmp_path, **{key: OPERATORS[key]})
    facts = hyperpod_eks().of_key(key)
    there = addons(made)
    assert set(facts.needs) <= set(there)
    assert set(facts.needs) & set(hyperpod_eks().addons) <= set(there[facts.name].after)
    assert made.eks is not None
    assert len(made.eks.contents.addons) == len(there)
    assert set(addons(designed(tmp_path))) & {facts.name} == set()


def test_a_version_is_the_profiles_then_the_catalogues(tmp_path: Path) -> None:
    name = hyperpod_eks().of_key("task_governance").name
    assert addons(designed(tmp_path, task_governance={}))[name].version == "v1.6.0-eksbuild.1"
    declared = {name: "v1.7.0-eksbuild.2"}
    assert (
        addons(designed(tmp_path, task_governance={}, addon_versions=declared))[name].version
        == declared[name]
    )


def test_collectors_are_reported_every_kind_of_metric(tmp_path: Path) -> None:
    made = designed(tmp_path, observability_addon=OPERATORS["observability_addon"])
    settings = addons(made)["amazon-sagemaker-hyperpod-observability"].settings
    levels = {kind: one["level"] for kind, one in settings["metricsProvider"].items()}
    assert levels["networkMetrics"] == "ADVANCED"
    assert levels["trainingMetrics"] == "DISABLED"
    assert levels["acceleratedComputeMetrics"] == "BASIC"
    assert settings["logging"] == {"enabled": True}


def test_inference_has_no_controller_that_is_somebody_elses(tmp_path: Path) -> None:
    made = designed(tmp_path, inference_operator={"load_balancer": False, "autoscaling": False})
    settings = addons(made)["amazon-sagemaker-hyperpod-inference"].settings
    assert (settings["alb"], settings["keda"]) == ({"enabled": False}, {"enabled": False})


def test_karpenters_nodes_are_of_the_types_of_its_groups_and_have_a_limit(tmp_path: Path) -> None:
    burst = {**TRAIN, "name": "burst", "count": 0, "fallback_instance_types": ["p6-b300.48xlarge"]}
    scaled = {"groups": ["burst"], "max_gpus": 64, "consolidate_after_s": 60}
    made = designed(tmp_path, TRAIN, burst, provisioning="continuous", autoscaling=scaled)
    assert made.eks is not None
    (step,) = [one for one in made.eks.contents.steps if one.name == "karpenter-groups"]
    assert isinstance(step, Manifest)
    _, pool = step.objects
    (requirement,) = pool["spec"]["template"]["spec"]["requirements"]
    assert requirement["values"] == ["ml.p6-b200.48xlarge", "ml.p6-b300.48xlarge"]
    assert pool["spec"]["limits"] == {"nvidia.com/gpu": "64"}
    assert pool["spec"]["disruption"]["consolidateAfter"] == "60s"
    # nor is a node that runs a job replaced because its pool has changed
    assert pool["spec"]["disruption"]["budgets"] == [{"nodes": "0", "reasons": ["Drifted"]}]


def test_checks_are_left_out_where_hyperpod_takes_none_beside_what_is_asked_for(tmp_path: Path) -> None:
    def checks(*groups: dict[str, Any], **orchestrator: Any) -> tuple[str, ...]:
        made = designed(tmp_path, *groups, **orchestrator)
        return next(group.deep_health_checks for group in made.groups if group.name == "train")

    assert checks() == ("instance-connectivity", "instance-stress")
    assert checks({**TRAIN, "taints": [{"key": "team"}]}) == ()
    burst = {**TRAIN, "name": "burst", "count": 0}
    scaled = {"provisioning": "continuous", "autoscaling": {"groups": ["burst"]}}
    assert checks(TRAIN, burst, **scaled) == ()


def test_another_control_plane_is_another_cluster_by_name(tmp_path: Path) -> None:
    one, other = designed(tmp_path), designed(tmp_path, secrets_key={"kind": "new"})
    assert one.hyperpod_eks is not None
    assert other.hyperpod_eks is not None
    assert one.hyperpod_eks.cluster_name != other.hyperpod_eks.cluster_name
    again = designed(tmp_path, TRAIN, tiered_checkpointing={"memory_percent": 20}).hyperpod_eks
    assert again is not None
    assert again.cluster_name == one.hyperpod_eks.cluster_name


def test_a_version_is_compared_by_its_numbers() -> None:
    assert version_parts("v1.10.0-eksbuild.1") > version_parts("1.9")
    assert minor("v1.6.0-eksbuild.1") == "1.6"


def test_labels_and_taints_of_a_group_are_those_of_its_nodes_under_either_kubernetes(tmp_path: Path) -> None:
    declared = {"labels": {"team": "research"}, "taints": [{"key": "team", "effect": "no-execute"}]}
    hyperpod = designed(tmp_path, {**TRAIN, **declared})
    assert hyperpod.hyperpod_eks is not None
    assert hyperpod.hyperpod_eks.labels["train"]["team"] == "research"
    eks = designed(tmp_path, {**TRAIN, **declared}, kind="eks").eks
    assert eks is not None
    (train,) = [group for group in eks.groups if group.group.name == "train"]
    assert train.labels["team"] == "research"
    assert ("team", "NO_EXECUTE") in {(taint.key, taint.effect) for taint in train.taints}


def test_a_plan_tells_how_nodes_come_and_what_runs_on_them(tmp_path: Path) -> None:
    burst = {**TRAIN, "name": "burst", "count": 0, "taints": [{"key": "burst"}], "image_release": "1.0.7"}
    scaled = {"provisioning": "continuous", "autoscaling": {"groups": ["burst"]}}
    shown = report(designed(tmp_path, TRAIN, burst, **scaled))
    assert shown.hyperpod is not None
    assert shown.hyperpod.provisioning.endswith("Karpenter scales burst")
    assert shown.hyperpod.scripts == "from ultracluster, before a node joins the cluster"
    (group,) = [one for one in shown.groups if one.name == "burst"]
    assert "accepts only pods that tolerate burst" in group.settings
    assert "node image: HyperPod release 1.0.7" in group.settings
