"""Names and paths change exactly with what can only be replaced."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.cluster import Cluster, load_cluster
from config.design.model import Design
from config.design.names import replaceable_name
from config.design.network.attachment import plan_attachment
from config.design.storage.lustre import LustrePlan, plan_lustre
from config.profile.storage.lustre import NewLustre

Check = Callable[..., Cluster]


def designed(cluster: Cluster) -> Design:
    assert cluster.design is not None, cluster.diagnostics
    return cluster.design


def _lustre(**settings: Any) -> LustrePlan:
    plan = plan_lustre(NewLustre.model_validate({"kind": "new", **settings}))
    assert plan
    return plan


_JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=4), lambda inner: st.lists(inner, max_size=3), max_leaves=5
)


@given(one=_JSON, other=_JSON)
def test_slurm_12_a_name_changes_exactly_with_what_can_only_be_replaced(one: Any, other: Any) -> None:
    assert (replaceable_name("mine", one) == replaceable_name("mine", other)) == (one == other)


def test_the_longest_profile_name_fits_a_hyperpod_cluster(check: Check) -> None:
    design = designed(check(f"extends: p6-b200\nname: {'a' * 32}\n"))
    assert design.hyperpod
    # API_CreateCluster, ClusterName
    assert re.fullmatch(r"[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}", design.hyperpod.cluster_name)
    assert len(design.hyperpod.cluster_name) <= 63


@pytest.mark.parametrize(
    ("lines", "replaced"),
    [
        ("network: {vpc_cidr: 10.1.0.0/16}", True),
        ("availability_zone_id: usw2-az3", True),
        ("network: {kind: existing, vpc_id: vpc-12345678, vpc_cidr: 10.0.0.0/16, "
         "subnets: [{id: subnet-12345678, cidr: 10.0.0.0/17, availability_zone_id: usw2-az2}]}", True),
        ("description: another", False),
        ("network: {secondary_zones: [usw2-az3, usw2-az1]}", False),
        ("network: {secondary_zones: [usw2-az1, usw2-az3]}", False),
        ("network: {flow_log_retention_days: 30}", False),
        ("storage: {lustre: {capacity_gib: 48000}}", False),
        ("orchestrator: {node_recovery: none}", False),
        ("observability: null", False),
    ],
)  # fmt: skip
def test_slurm_12_a_cluster_takes_another_name_when_its_network_is_another(
    lines: str, replaced: bool, check: Check
) -> None:
    before = designed(check("extends: p6-b200\nname: mine\n")).hyperpod
    after = designed(check(f"extends: p6-b200\nname: mine\n{lines}\n")).hyperpod
    assert before
    assert after
    assert (before.cluster_name != after.cluster_name) is replaced


@pytest.mark.parametrize(
    ("lines", "another"),
    [
        ("storage: {lustre: {capacity_gib: 76800}}", False),
        ("storage: {lustre: {metadata_iops: 24000}}", False),
        ("storage: {lustre: {mount_path: /data}}", False),
        ("description: another", False),
        ("network: {vpc_cidr: 10.1.0.0/16}", True),
        ("availability_zone_id: usw2-az3", True),
        ("storage: {lustre: {efa: false}}", True),
        ('storage: {lustre: {key_arn: "arn:aws:kms:us-west-2:123456789012:key/1"}}', True),
        ("storage: {lustre: {data_repositories: [], backups: {copy_tags: true}}}", True),
        ("storage: {lustre: {data_repositories: [], backups: {retention_days: 7}}}", False),
        ("storage: {additional_lustre: [{kind: new, name: scratch, deployment: scratch-2, "
         "capacity_gib: 1200, mount_path: /scratch}]}", False),
        # not replaced: FSx refuses it with EFA
        ("storage: {lustre: {throughput_mbps_per_tib: 1000}}", False),
        ("storage: null", True),
        ("name: renamed", True),
    ],
)  # fmt: skip
def test_storage_20_what_clusters_attach_to_has_another_path_when_it_is_replaced(
    lines: str, another: bool, check: Check
) -> None:
    name = "" if lines.startswith("name:") else "name: data\n"
    before = designed(check("extends: p6-b200-data\nname: data\n")).attachment
    after = designed(check(f"extends: p6-b200-data\n{name}{lines}\n")).attachment
    assert before
    assert after
    assert (before.path("vpc-id") != after.path("vpc-id")) is another


@pytest.mark.parametrize(
    ("change", "another"),
    [
        ({"capacity_gib": 2400}, False),
        ({"mount_path": "/elsewhere"}, False),
        ({"deployment": "scratch-2", "throughput_mbps_per_tib": None}, True),
        ({"key_arn": "arn:aws:kms:us-west-2:123456789012:key/1"}, True),
    ],
)
def test_a_further_file_system_has_a_path_of_its_own(change: dict[str, Any], another: bool) -> None:
    network = designed(load_cluster("p6-b200-data")).network
    assert network
    declared = {"name": "more", "capacity_gib": 1200, "throughput_mbps_per_tib": 125}
    before, after = _lustre(**declared), _lustre(**declared | change)
    paths = [
        plan_attachment("data", network, (plan,)).path("lustre-more-dns-name") for plan in (before, after)
    ]
    assert (paths[0] != paths[1]) is another
    assert paths[0].startswith("/ultracluster/data/v1-")
    assert paths[0].endswith("/lustre-more-dns-name")


def test_the_tier_of_a_file_system_without_efa_can_change_in_place() -> None:
    network = designed(load_cluster("p6-b200-data")).network
    assert network
    lustre = _lustre(throughput_mbps_per_tib=125, capacity_gib=2400, efa=False)
    faster = replace(lustre, throughput_mbps_per_tib=250)
    assert plan_attachment("data", network, (lustre,)) == plan_attachment("data", network, (faster,))


def test_a_cluster_reads_the_paths_that_its_data_profile_publishes(check: Check) -> None:
    published = designed(load_cluster("p6-b200-data"))
    read = designed(load_cluster("p6-b200-cluster"))
    assert published.publishes
    assert not read.publishes
    assert read.attachment == published.attachment
    assert not read.owns_network
    assert not read.owns_lustre
    assert read.lustre == published.lustre
    own = designed(
        check(
            "extends: p6-b200-cluster\nname: mine\nstorage:\n  lustre: {kind: new, capacity_gib: 2400, "
            "throughput_mbps_per_tib: 125, efa: false}\n"
        )
    )
    assert own.owns_lustre
    assert own.attachment == published.attachment
