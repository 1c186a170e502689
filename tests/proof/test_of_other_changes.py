"""Changes of another form than those of `breaks`: what looks whole, and is not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from config.proof.artefacts import parsed
from tests.proof.artefacts import EditableArtefacts, Load
from tests.proof.breaks import _append, _pod, charts, launch_data, launcher

pytestmark = pytest.mark.synth

MANIFEST = "Custom::AWSCDK-EKS-KubernetesResource"
Change = Callable[[EditableArtefacts], object]


@contextmanager
def manifest(artefacts: EditableArtefacts, kind: str) -> Iterator[dict[str, Any]]:
    """A Kubernetes object of a template, to be changed."""
    for body in artefacts.templates[artefacts.stack]["Resources"].values():
        # what only a deployment knows stands as `${LogicalId}` in the text
        listed = parsed(body["Properties"]["Manifest"]) if body["Type"] == MANIFEST else []
        for item in listed:
            if item["kind"] == kind and item["metadata"]["name"] == "train":
                yield item
                body["Properties"]["Manifest"] = json.dumps(listed)
                return
    raise AssertionError(kind)


def public_karpenter(artefacts: EditableArtefacts) -> None:
    with manifest(artefacts, "EC2NodeClass") as node_class:
        node_class["spec"]["associatePublicIPAddress"] = True


def subnets_by_tags(artefacts: EditableArtefacts) -> None:
    with manifest(artefacts, "EC2NodeClass") as node_class:
        node_class["spec"]["subnetSelectorTerms"] = [{"tags": {"team": "x"}}]


def a_further_subnet_by_tags(artefacts: EditableArtefacts) -> None:
    with manifest(artefacts, "EC2NodeClass") as node_class:
        node_class["spec"]["subnetSelectorTerms"].append({"tags": {"team": "x"}})


def a_further_image(artefacts: EditableArtefacts) -> None:
    with manifest(artefacts, "EC2NodeClass") as node_class:
        node_class["spec"]["amiSelectorTerms"].append({"id": "ami-0f00f00f00f00f00f"})


def reservations_by_tags(artefacts: EditableArtefacts) -> None:
    with manifest(artefacts, "EC2NodeClass") as node_class:
        node_class["spec"]["capacityReservationSelectorTerms"] = [{"tags": {"team": "x"}}]


def a_placement_group_by_id(artefacts: EditableArtefacts) -> None:
    with manifest(artefacts, "EC2NodeClass") as node_class:
        node_class["spec"]["placementGroupSelector"] = {"id": "pg-0f00f00f00f00f00f"}


def another_node_class(artefacts: EditableArtefacts) -> None:
    with manifest(artefacts, "NodePool") as pool:
        pool["spec"]["template"]["spec"]["nodeClassRef"]["name"] = "another"


def all_other_types(artefacts: EditableArtefacts) -> None:
    with manifest(artefacts, "NodePool") as pool:
        for one in pool["spec"]["template"]["spec"]["requirements"]:
            if one["key"] == "node.kubernetes.io/instance-type":
                one["operator"] = "NotIn"


def also_spot(artefacts: EditableArtefacts) -> None:
    with manifest(artefacts, "NodePool") as pool:
        for one in pool["spec"]["template"]["spec"]["requirements"]:
            if one["key"] == "karpenter.sh/capacity-type":
                one["values"].append("spot")


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("change", "link"),
    [
        (public_karpenter, "private-addresses"),
        (subnets_by_tags, "one-subnet"),
        (a_further_subnet_by_tags, "one-subnet"),
        (a_further_image, "image"),
        (reservations_by_tags, "capacity"),
        (a_placement_group_by_id, "placement-group"),
        (another_node_class, "group"),
        (all_other_types, "instance-type"),
        (also_spot, "capacity"),
    ],
)
def test_a_change_of_karpenters_objects_is_named(load_artefacts: Load, change: Change, link: str) -> None:
    artefacts = load_artefacts("eks-karpenter")
    assert artefacts.broken() == set()
    change(artefacts)
    # the file system is in the one subnet that the profile makes
    assert {name for name, _ in artefacts.broken()} - {"lustre-zone"} == {link}


def _data(artefacts: EditableArtefacts) -> dict[str, Any]:
    found = launch_data(artefacts, "train")
    assert found is not None
    return found


def a_subnet_on_an_interface(artefacts: EditableArtefacts) -> None:
    _data(artefacts)["NetworkInterfaces"][-1]["SubnetId"] = "subnet-0f00f00f00f00f00f"


def a_subnet_of_nobody(artefacts: EditableArtefacts) -> None:
    one = launcher(artefacts, "train") or {}
    one["Subnets" if "Subnets" in one else "SubnetIds"] = ["subnet-0f00f00f00f00f00f"]


def placed_by_id(artefacts: EditableArtefacts) -> None:
    _data(artefacts)["Placement"] = {"GroupId": "pg-0f00f00f00f00f00f"}


@pytest.mark.parametrize("kind", ["eks", "pcs"])
@pytest.mark.parametrize(
    ("change", "link"),
    [
        (a_subnet_on_an_interface, "one-subnet"),
        (a_subnet_of_nobody, "one-subnet"),
        (placed_by_id, "placement-group"),
    ],
)
def test_a_change_of_a_launch_template_is_named(
    load_artefacts: Load, kind: str, change: Change, link: str
) -> None:
    artefacts = load_artefacts("p6-b200", kind)
    change(artefacts)
    # the file system stands in the subnet that the nodes have left
    assert {name for name, _ in artefacts.broken()} - {"lustre-zone"} == {link}


@pytest.mark.parametrize(
    ("line", "link"),
    [
        ("export FI_PROVIDER='^efa'", "environment"),
        ("FI_PROVIDER: tcp", "environment"),
        ("export FI_EFA_USE_DEVICE_RDMA=false", "environment"),
        ("prlimit --pid $$ --memlock=65536", "memlock"),
        ("export FI_PROVIDER=efa; true", None),
        ("export FI_PROVIDER=${FI_PROVIDER:-efa}", None),
        ("prlimit --pid $$ --memlock=unlimited", None),
    ],
)
def test_a_line_of_a_script_is_read_in_each_of_its_forms(
    load_artefacts: Load, line: str, link: str | None
) -> None:
    artefacts = load_artefacts("p6-b200", "pcs")
    assert _append(artefacts, line)
    assert {name for name, _ in artefacts.broken()} == ({link} if link else set())


def second_release(artefacts: EditableArtefacts) -> None:
    owner = charts(artefacts, "aws-efa-k8s-device-plugin")[0]
    body = {"Type": "Custom::AWSCDK-EKS-HelmChart", "Properties": {**owner, "Release": "again"}}
    artefacts.templates[artefacts.stack]["Resources"]["Second"] = body


def plugin_as_a_manifest(artefacts: EditableArtefacts) -> None:
    image = "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.3"
    item = {
        "kind": "DaemonSet",
        "metadata": {"name": "efa"},
        "spec": {"template": {"spec": {"containers": [{"name": "efa", "image": image}]}}},
    }
    body = {"Type": MANIFEST, "Properties": {"Manifest": json.dumps([item])}}
    artefacts.templates[artefacts.stack]["Resources"]["Second"] = body


def another_image(artefacts: EditableArtefacts) -> None:
    owner = charts(artefacts, "aws-efa-k8s-device-plugin")[0]
    values = json.loads(owner["Values"])
    values["image"] = {**values.get("image", {}), "repository": "docker.io/library/nginx"}
    owner["Values"] = json.dumps(values)


@pytest.mark.parametrize(
    ("change", "link"),
    [(second_release, "one-owner"), (plugin_as_a_manifest, "one-owner"), (another_image, "device-owner")],
)
def test_the_same_plugin_twice_and_another_in_its_name_are_named(
    load_artefacts: Load, change: Change, link: str
) -> None:
    artefacts = load_artefacts("p6-b200", "eks")
    change(artefacts)
    assert artefacts.broken() == {(link, "train")}


def test_one_of_two_health_checks_is_not_both(load_artefacts: Load) -> None:
    artefacts = load_artefacts("p6-b200", "hyperpod-slurm")
    one = launcher(artefacts, "train") or {}
    one["OnStartDeepHealthChecks"] = ["InstanceStress"]
    (link,) = artefacts.prove().broken
    assert (link.name, link.evidence) == (
        "start-check",
        "the template does not have the checks InstanceConnectivity",
    )


@pytest.mark.parametrize("kind", ["hyperpod-slurm", "hyperpod-eks"])
@pytest.mark.parametrize("script", ["another.sh", None])
def test_scripts_that_nothing_starts_prepare_no_node(
    load_artefacts: Load, kind: str, script: str | None
) -> None:
    artefacts = load_artefacts("p6-b200", kind)
    config = (launcher(artefacts, "train") or {})["LifeCycleConfig"]
    (key,) = {"OnInitComplete", "OnCreate"} & set(config)
    config[key] = script
    if script is None:
        del config[key]
    assert artefacts.broken() == {("node-scripts", "train")}


def test_another_file_system_is_no_proof_of_one_that_is_gone(load_artefacts: Load) -> None:
    artefacts = load_artefacts("two-systems")
    resources = artefacts.templates[artefacts.stack]["Resources"]
    (removed,) = (
        name
        for name, body in resources.items()
        if body["Type"] == "AWS::FSx::FileSystem" and "scratchdata" in name
    )
    del resources[removed]
    assert artefacts.broken() == {("lustre-efa", "scratch-data")}


def test_a_pod_that_asks_for_fewer_interfaces_is_named(load_artefacts: Load) -> None:
    artefacts = load_artefacts("p6-b200", "eks")
    pod = _pod(artefacts, "train")
    assert pod is not None
    for asked in pod["containers"][0]["resources"].values():
        asked["vpc.amazonaws.com/efa"] = "4"
    assert artefacts.broken() == {("job-request", "train")}
