"""Karpenter: node classes that fit their machines exactly, and pools that keep or reach their size."""

from __future__ import annotations

import re
from typing import Any

import pytest

from config.catalog import catalog
from config.design.kubernetes.steps import later
from stacks.capacity import METADATA_HOPS
from tests.kubernetes.component_clusters import CLUSTER, Contents, check_object, contents, machines
from tests.tables import each_row

TYPES = sorted(
    name
    for name, row in catalog().instances.items()
    if row.is_gpu and not row.ultraserver_only and "ip-saving" in row.layouts
)


def launched(
    group: dict[str, Any] | None = None, nodes: str = "static", **profile: Any
) -> tuple[Contents, dict[str, Any], dict[str, Any]]:
    """A cluster whose group `train` Karpenter launches, with its node class and its node pool."""
    karpenter = {"karpenter": {"groups": [{"name": "train", "nodes": nodes}]}}
    found = contents(group or machines(), orchestrator=karpenter, **profile)
    by_kind = {one["kind"]: one for one in found.objects}
    return found, by_kind["EC2NodeClass"]["spec"], by_kind["NodePool"]["spec"]


def requirements(pool: dict[str, Any]) -> dict[str, list[str]]:
    return {one["key"]: one["values"] for one in pool["template"]["spec"]["requirements"]}


@pytest.mark.long
@each_row("nodes", ["static", "as-needed"])
@each_row("instance_type", TYPES)
def test_classes_and_pools_are_ones_that_karpenter_takes(instance_type: str, nodes: str) -> None:
    found, _, _ = launched(machines(instance_type), nodes)
    custom = [one for one in found.objects if one["kind"] in ("EC2NodeClass", "NodePool")]
    assert len(custom) == 2
    for one in custom:
        check_object(one)


@pytest.mark.parametrize(
    ("capacity", "types", "terms"),
    [
        ({"kind": "on-demand"}, ["on-demand"], None),
        ({"kind": "spot"}, ["spot"], None),
        (
            {"kind": "odcr", "reservation_id": "cr-0123456789abcdef0"},
            ["reserved"],
            [{"id": "cr-0123456789abcdef0"}],
        ),
        (
            {"kind": "odcr", "match": "open"},
            ["reserved", "on-demand"],
            [{"instanceMatchCriteria": "open"}],
        ),
        (
            {"kind": "capacity-block", "reservation_id": "cr-0123456789abcdef0"},
            ["reserved"],
            [{"id": "cr-0123456789abcdef0"}],
        ),
    ],
)
def test_a_reservation_is_used_only_where_class_and_pool_both_say_so(
    capacity: dict[str, Any], types: list[str], terms: list[dict[str, str]] | None
) -> None:
    _, spec, pool = launched(machines(capacity=capacity))
    assert requirements(pool)["karpenter.sh/capacity-type"] == types
    assert spec.get("capacityReservationSelectorTerms") == terms


def test_a_static_pool_keeps_its_nodes_and_is_behind_its_gate() -> None:
    found, _, pool = launched()
    assert (pool["replicas"], pool["limits"]) == (16, {"nodes": "16"})
    assert pool["disruption"]["consolidateAfter"] == "Never"
    assert pool["template"]["spec"]["expireAfter"] == "Never"
    assert found.karpenter is not None
    release = found.karpenter.part.steps[0]
    gates = release.values["settings"]["featureGates"]  # type: ignore[union-attr]  # the first is the release
    assert gates == {"nodeRepair": False, "reservedCapacity": True, "staticCapacity": True}


def test_a_pool_as_needed_grows_to_the_count_and_gives_back_empty_nodes_alone() -> None:
    _, _, pool = launched(nodes="as-needed")
    assert "replicas" not in pool
    assert pool["limits"] == {"nodes": "16"}
    assert pool["disruption"]["consolidationPolicy"] == "WhenEmpty"


@pytest.mark.parametrize("nodes", ["static", "as-needed"])
def test_no_pool_takes_a_node_away_because_its_class_has_changed(nodes: str) -> None:
    """Karpenter replaces a tenth of such nodes at a time by itself, whatever runs on them."""
    _, _, pool = launched(nodes=nodes)
    assert pool["disruption"]["budgets"] == [{"nodes": "0", "reasons": ["Drifted"]}]


@pytest.mark.parametrize(("group", "size"), [(machines(), "300Gi"), (machines(root_volume_gib=500), "500Gi")])
def test_a_node_has_the_root_volume_that_its_group_states(group: dict[str, Any], size: str) -> None:
    _, spec, _ = launched(group)
    assert [disk["ebs"]["volumeSize"] for disk in spec["blockDeviceMappings"]] == [size]


def test_nodes_come_with_the_labels_and_taints_that_components_go_by() -> None:
    found, _, pool = launched()
    template = pool["template"]
    assert template["metadata"]["labels"] == found.needs["train"].labels
    assert template["spec"]["taints"] == [
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    ]
    taints = [one["key"] for one in template["spec"]["startupTaints"]]
    assert taints == list(found.needs["train"].startup_taints) != []


def test_nodes_of_karpenter_have_the_taints_that_a_group_states_as_those_of_node_groups_do() -> None:
    declared = [{"key": "team", "value": "a"}, {"key": "soon", "effect": "prefer-no-schedule"}]
    _, _, pool = launched(machines(taints=declared))
    assert pool["template"]["spec"]["taints"][1:] == [
        {"key": "team", "value": "a", "effect": "NoSchedule"},
        {"key": "soon", "effect": "PreferNoSchedule"},
    ]


def test_pods_on_karpenters_nodes_reach_metadata_as_those_on_node_groups_do() -> None:
    _, node_class, _ = launched()
    hops = node_class["metadataOptions"]["httpPutResponseHopLimit"]
    assert hops == METADATA_HOPS["eks"]


def test_local_disks_are_striped_where_the_profile_says_so() -> None:
    _, spec, _ = launched()
    assert spec["instanceStorePolicy"] == "RAID0"
    _, plain, _ = launched(storage=None, extends="p5-dev")
    assert "instanceStorePolicy" not in plain


def test_images_are_pinned_and_a_placement_group_is_never_added() -> None:
    _, spec, _ = launched()
    assert spec["amiSelectorTerms"] == [{"alias": CLUSTER.image_alias}]
    assert "placementGroupSelector" not in spec
    _, placed, _ = launched(machines(placement_group={"kind": "existing", "name": "near"}))
    assert placed["placementGroupSelector"] == {"name": "near"}


def test_pods_of_a_node_are_as_many_as_its_interfaces_have_addresses_for() -> None:
    found, spec, _ = launched()
    assert spec["kubelet"] == {"maxPods": found.group("train").pods_per_node}


def test_the_controller_may_end_only_what_it_launched_itself() -> None:
    found, _, _ = launched()
    assert found.karpenter is not None
    (identity,) = found.karpenter.part.identities
    statements = {one["Sid"]: one for one in identity.statements}
    owned = f"aws:ResourceTag/kubernetes.io/cluster/{CLUSTER.name}"
    for sid in ("End", "LaunchFromTemplates", "TagInstances"):
        assert statements[sid]["Condition"]["StringEquals"] == {owned: "owned"}
    asked = statements["Launch"]["Condition"]["StringEquals"]
    assert asked[f"aws:RequestTag/kubernetes.io/cluster/{CLUSTER.name}"] == "owned"
    writing = re.compile(r"(Create|Delete|Terminate|Run|Put|Attach|Add|Remove|Pass|Tag)")
    everything = [
        action
        for one in identity.statements
        if one["Resource"] == "*"
        for action in one["Action"]
        if writing.match(action.partition(":")[2])
    ]
    assert everything == []


def test_the_controller_hears_of_interruptions_from_a_queue_of_its_own() -> None:
    found, _, _ = launched()
    assert found.karpenter is not None
    assert found.karpenter.queue_name == "mine-karpenter"
    release = found.karpenter.part.steps[0]
    settings = release.values["settings"]  # type: ignore[union-attr]  # the first is the release
    assert settings["interruptionQueue"] == "mine-karpenter"
    (identity,) = found.karpenter.part.identities
    queue = next(one for one in identity.statements if one["Sid"] == "Interruptions")
    assert queue["Resource"] == "arn:aws:sqs:us-west-2:*:mine-karpenter"


def test_without_karpenter_every_group_is_a_node_group() -> None:
    found = contents()
    assert found.karpenter is None


def test_nodes_of_karpenter_run_the_scripts_of_node_groups() -> None:
    found, plain, _ = launched()
    assert "userData" not in plain
    plan = found.design.eks
    assert plan is not None
    assert plan.karpenter is not None
    pools = plan.karpenter.part.steps[1]
    (spec,) = [one["spec"] for one in pools.objects if one["kind"] == "EC2NodeClass"]  # type: ignore[union-attr]  # objects
    assert "text/x-shellscript" in spec["userData"]
    assert later("scripts-uri", "nodes") in spec["userData"]
    assert "NodeConfig" not in spec["userData"]


@pytest.mark.parametrize(
    ("image", "alias"),
    [
        ({}, "al2023@v20260714"),
        ({"release": "1.35.1-20260301"}, "al2023@v20260301"),
        ({"family": "bottlerocket", "release": "1.58.0-c5c37032"}, "bottlerocket@v1.58.0"),
    ],
)
def test_the_image_is_the_release_of_the_node_groups_in_karpenters_words(
    image: dict[str, str], alias: str
) -> None:
    karpenter = {"groups": [{"name": "train"}]}
    found = contents(orchestrator={"node_image": image, "karpenter": karpenter}, storage=None)
    plan = found.design.eks
    assert plan is not None
    assert plan.karpenter is not None
    pools = plan.karpenter.part.steps[1]
    (spec,) = [one["spec"] for one in pools.objects if one["kind"] == "EC2NodeClass"]  # type: ignore[union-attr]  # objects
    assert spec["amiSelectorTerms"] == [{"alias": alias}]


def test_a_closed_network_has_the_way_to_the_queue_and_no_other_service_is_asked_without_one() -> None:
    closed = {"kind": "new", "vpc_cidr": "10.0.0.0/16", "secondary_zones": ["usw2-az1"], "closed": True}
    found, spec, _ = launched(network=closed)
    assert found.design.network is not None
    assert "sqs" in found.design.network.interface_endpoints
    # IAM and prices have no endpoints: the profile is made by the stack, and prices are not asked for
    assert "role" not in spec
    plan = found.design.eks
    assert plan is not None
    assert plan.karpenter is not None
    release = plan.karpenter.part.steps[0]
    assert release.values["settings"]["isolatedVPC"] is True  # type: ignore[union-attr]  # the first is the release
    plain = contents(network=closed).design.network
    assert plain is not None
    assert "sqs" not in plain.interface_endpoints
