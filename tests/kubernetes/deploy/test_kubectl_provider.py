"""What a stack puts into a Kubernetes cluster comes in order, goes in reverse, and is refused as on AWS."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from scripts.cloud.kubernetes.schemas import custom_schema
from scripts.cloud.local import LocalCloud
from tests.kubernetes.deploy.workshop import (
    NODES,
    REGION,
    Cluster,
    Step,
    config_map,
    namespace,
    objects,
    release,
    topology,
)
from ultracluster.kubernetes.steps import ChartFrom, WaitStep

pytestmark = pytest.mark.synth


@pytest.fixture
def cluster(module_cloud: LocalCloud) -> Cluster:
    return Cluster(module_cloud)


def test_steps_come_in_order_and_go_in_reverse(cluster: Cluster) -> None:
    queues = objects(topology(), name="queues", after=["kueue"])
    teams = objects(config_map(namespace="team"), namespace("team"), name="teams", after=["queues"])
    assert cluster.deploy(teams, queues, release()).status == "CREATE_COMPLETE"
    inside = cluster.contents
    made = ["install kueue", "apply Topology p6", "apply Namespace team", "apply ConfigMap settings"]
    assert inside.order() == made
    assert cluster.destroy().status == "DELETE_COMPLETE"
    deleted = ["delete ConfigMap settings", "delete Namespace team", "delete Topology p6", "uninstall kueue"]
    assert inside.order() == made + deleted


def test_a_release_is_installed_whole_or_not_at_all_with_its_values(cluster: Cluster) -> None:
    cluster.deploy(release(values={"controllerManager": {"replicas": 2}}, timeout_minutes=5))
    kueue = cluster.contents.release("kueue")
    assert (kueue.waited, kueue.atomic, kueue.timeout_s, kueue.version) == (True, True, 300, "0.19.2")
    assert kueue.values == {"controllerManager": {"replicas": 2}}
    assert "kueue-system" in cluster.contents.namespaces


@pytest.mark.long
def test_an_object_that_leaves_its_step_is_deleted_and_the_others_stay(cluster: Cluster) -> None:
    def queues(*names: str) -> tuple[Step, ...]:
        return release(), objects(*(topology(name) for name in names), after=["kueue"])

    cluster.deploy(*queues("one", "two"))
    assert cluster.deploy(*queues("two")).status == "UPDATE_COMPLETE"
    assert [one["metadata"]["name"] for one in cluster.contents.of_kind("Topology")] == ["two"]
    assert cluster.contents.order()[-1] == "delete Topology one"


@pytest.mark.long
def test_a_change_of_values_upgrades_the_release_and_leaves_the_objects_alone(cluster: Cluster) -> None:
    queues = objects(topology(), after=["kueue"])
    cluster.deploy(release(), queues)
    cluster.deploy(release(values={"enableKueueViz": True}), queues)
    assert cluster.contents.order() == ["install kueue", "apply Topology p6", "upgrade kueue"]


@pytest.mark.long
def test_a_field_that_stays_as_it_was_made_is_not_changed(cluster: Cluster) -> None:
    def volume(bucket: str, gib: int) -> Step:
        source = {
            "driver": "s3.csi.aws.com",
            "volumeHandle": "one",
            "volumeAttributes": {"bucketName": bucket},
        }
        spec = {"accessModes": ["ReadOnlyMany"], "capacity": {"storage": f"{gib}Gi"}, "csi": source}
        metadata = {"name": "tokens"}
        return objects({"apiVersion": "v1", "kind": "PersistentVolume", "metadata": metadata, "spec": spec})

    cluster.deploy(volume("tokens", 1))
    assert cluster.deploy(volume("tokens", 2)).status == "UPDATE_COMPLETE"
    assert "spec.csi of PersistentVolume tokens cannot be changed" in cluster.refusal(volume("images", 2))


WAIT = WaitStep(
    name="webhook",
    kind="deployment",
    object_name="queue-controller",
    namespace="kai-scheduler",
    path=".status.availableReplicas",
)


@pytest.mark.long
def test_what_an_operator_runs_is_waited_for_and_never_comes_without_its_release(cluster: Cluster) -> None:
    operator = release("kai-scheduler", namespace="kai-scheduler")
    stack = cluster.deploy(operator, replace(WAIT, after=["kai-scheduler"]))
    assert stack.status == "CREATE_COMPLETE"
    other = Cluster(cluster.cloud)
    assert "Timeout waiting for output from kubectl command" in other.refusal(WAIT)


BAD = {**config_map(), "data": {"a": 1}}


def cluster_queue(**spec: Any) -> dict[str, Any]:
    return {**topology("teams"), "kind": "ClusterQueue", "spec": spec}


REFUSED: dict[str, tuple[tuple[Step, ...], str]] = {
    "a_custom_resource_before_its_release": ((objects(topology()),), 'no matches for kind "Topology"'),
    "a_custom_resource_of_another_version": (
        (release(), objects({**topology(), "apiVersion": "kueue.x-k8s.io/v1alpha1"}, after=["kueue"])),
        'no matches for kind "Topology" in version "kueue.x-k8s.io/v1alpha1"',
    ),
    "a_custom_resource_with_an_unknown_field": (
        (release(), objects(topology(layers=[]), after=["kueue"])),
        "'layers' was unexpected",
    ),
    "a_cluster_queue_with_spec_nonsense_true": (
        (release(), objects(cluster_queue(nonsense=True), after=["kueue"])),
        "'nonsense' was unexpected",
    ),
    "a_custom_resource_while_its_webhook_does_not_answer": (
        (release(wait=False), objects(topology(), after=["kueue"])),
        "failed calling webhook",
    ),
    "an_object_with_an_unknown_field": ((objects(config_map(dat={})),), "'dat' was unexpected"),
    "an_object_with_a_value_of_another_type": ((objects(BAD),), "data.a: 1 is not of type"),
    "a_kind_that_this_version_does_not_have": (
        (objects({**config_map(), "apiVersion": "v2"}),),
        'no matches for kind "ConfigMap" in version "v2"',
    ),
    "an_object_in_a_namespace_that_is_not_there": (
        (objects(config_map(namespace="nowhere")),),
        'namespaces "nowhere" not found',
    ),
    "a_version_that_was_never_published": (
        (release(chart=ChartFrom(repository="oci://registry.k8s.io/kueue/charts/kueue", version="9.9.9")),),
        'version "9.9.9" not found',
    ),
    "a_release_name_that_helm_does_not_take": (
        (replace(release(), name="Kueue"),),
        "release name is invalid",
    ),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("case", REFUSED)
def test_a_cluster_refuses(cluster: Cluster, case: str) -> None:
    steps, reason = REFUSED[case]
    assert reason in cluster.refusal(*steps)


def test_a_kind_or_version_without_a_schema_is_not_judged(cluster: Cluster) -> None:
    custom = {**topology(), "kind": "MultiKueueConfig", "spec": {"nonsense": True}}
    assert custom_schema("kueue.x-k8s.io/v1beta2", "MultiKueueConfig") is None
    assert cluster.deploy(release(), objects(custom, after=["kueue"])).status == "CREATE_COMPLETE"


def edited(resource_type: str, **properties: Any) -> Callable[[dict[str, Any]], None]:
    """An edit of the template: properties of the resources of a type, None to take one out."""

    def edit(template: dict[str, Any]) -> None:
        for resource in template["Resources"].values():
            if resource["Type"] == resource_type:
                found = {**resource["Properties"], **properties}
                resource["Properties"] = {key: value for key, value in found.items() if value is not None}

    return edit


RELEASE, OBJECT = "Custom::AWSCDK-EKS-HelmChart", "Custom::AWSCDK-EKS-KubernetesResource"


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (edited(RELEASE, Version=None), "not NoneType"),
        (edited(RELEASE, ClusterName="another"), "update-kubeconfig"),
        (edited(RELEASE, CreateNamespace=None), 'namespaces "kueue-system" not found'),
        (edited(RELEASE, Repository=None, Chart=None), "chart or chartAsset must be specified"),
        (edited(RELEASE, Chart=None), "chart or chartAsset must be specified"),
        (edited(RELEASE, ChartAssetURL="s3://b/k"), "a chart asset has no chart"),
        (edited("AWS::EKS::AccessEntry", AccessPolicies=None), "must be logged in"),
    ],
    ids=[
        "oci_without_version",
        "unknown_cluster",
        "no_namespace",
        "no_chart",
        "oci_without_a_name",
        "two_charts",
        "no_rights",
    ],
)
def test_a_template_that_was_changed_by_hand_fails_as_on_aws(
    cluster: Cluster, change: Callable[[dict[str, Any]], None], reason: str
) -> None:
    assert reason in cluster.refusal(release(), change=change)


@pytest.mark.long
def test_helm_waits_in_vain_for_pods_that_no_node_takes(module_cloud: LocalCloud) -> None:
    empty = Cluster(module_cloud, nodes=False)
    assert "context deadline exceeded" in empty.refusal(release())
    other = Cluster(module_cloud, nodes=False)
    assert other.deploy(release(wait=False)).status == "CREATE_COMPLETE"


def test_a_first_deployment_that_fails_leaves_no_cluster(cluster: Cluster) -> None:
    cluster.refusal(release(), objects(config_map(dat={}), after=["kueue"]))
    assert cluster.name not in cluster.cloud.client("eks", REGION).list_clusters()["clusters"]


@pytest.mark.long
def test_custom_resources_go_with_their_definitions_when_a_release_goes_first(cluster: Cluster) -> None:
    cluster.deploy(release(), objects(topology(), after=["kueue"]))
    left = edited(OBJECT, Manifest="[]")
    cluster.deploy(objects(topology()), change=left)  # the release leaves, the object is no longer named
    assert "lost Topology p6" in cluster.contents.order()


@pytest.mark.long
def test_nodes_outlive_what_runs_on_them(cluster: Cluster) -> None:
    seen: list[str] = []

    def order(template: dict[str, Any]) -> None:
        (found,) = [r for r in template["Resources"].values() if r["Type"] == RELEASE]
        seen.extend(found["DependsOn"])

    cluster.deploy(release(after=[NODES]), change=order)
    assert any(name.startswith("Nodes") for name in seen)
