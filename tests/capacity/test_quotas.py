"""Service quotas that a profile needs."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from config.catalog import catalog
from config.catalog.capacity.quotas import service_quotas
from config.cluster import Cluster, load_cluster
from config.design.model import Design
from config.design.report.plan import report
from config.design.report.quota_needs import quotas_of
from config.design.report.quotas import QuotaReport
from config.profile.source.reference import built_in_names

Check = Callable[..., Cluster]
ROWS = service_quotas().rows


def design_of(name: str, orchestrator: str | None = None) -> Design:
    design = load_cluster(name, orchestrator=orchestrator).design
    assert design is not None
    return design


def needs_of(cluster: Cluster) -> dict[str, QuotaReport]:
    assert cluster.design is not None, cluster.diagnostics
    return {need.name: need for need in quotas_of(cluster.design)}


def test_defaults_are_those_of_the_other_files_of_the_catalogue() -> None:
    lustre, home = catalog().lustre, catalog().openzfs
    kinds = {(kind.deployment, kind.storage): kind.quota_gib for kind in lustre.kinds}
    assert ROWS["fsx.persistent-1.storage"].default == kinds["persistent-1", "ssd"]
    assert ROWS["fsx.persistent-2.storage"].default == kinds["persistent-2", "ssd"]
    assert ROWS["fsx.scratch.storage"].default == kinds["scratch-2", "ssd"]
    assert ROWS["fsx.hdd.storage"].default == kinds["persistent-1", "hdd"]
    assert ROWS["fsx.intelligent-tiering.throughput"].default == lustre.tiering.quota_mbps
    assert ROWS["fsx.intelligent-tiering.cache"].default == lustre.tiering.quota_cache_gib
    assert ROWS["fsx.openzfs.file-systems"].default == home.quota_file_systems
    assert ROWS["fsx.openzfs.throughput"].default == home.quota_throughput_mbps
    assert ROWS["fsx.openzfs.iops"].default == home.quota_iops
    assert ROWS["pcs.groups"].default == catalog().pcs.max_groups
    assert ROWS["pcs.queues"].default == catalog().pcs.max_queues
    assert ROWS["s3.directory-buckets"].default == catalog().s3_express.max_buckets_per_region


def test_every_quota_has_a_name_of_its_own_in_its_service() -> None:
    names = [(row.service, row.name) for row in ROWS.values()]
    codes = [(row.service, row.code) for row in ROWS.values() if row.code]
    assert len(set(names)) == len(names)
    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("name", built_in_names())
def test_a_need_says_how_much_why_and_who_says_so(name: str) -> None:
    for need in quotas_of(design_of(name)):
        assert need.needed > 0
        assert need.because
        assert "https://docs.aws.amazon.com" in need.source
        assert "{" not in need.name


def test_what_a_new_account_lacks_comes_first_then_what_only_the_account_knows() -> None:
    eks = [quota.above_default for quota in report(design_of("p6-b200", "eks")).quotas]
    assert eks == [True, True, *[False] * (len(eks) - 2)]
    hyperpod = [quota.above_default for quota in report(design_of("p6-b200")).quotas]
    assert hyperpod == [*[None] * 5, *[False] * (len(hyperpod) - 5)]


def test_hyperpod_takes_no_quota_of_ec2_and_its_types_have_theirs() -> None:
    needs = {need.name: need for need in quotas_of(design_of("p6-b200", "hyperpod-slurm"))}
    assert not [need for need in needs.values() if need.unit == "vCPUs"]
    train = needs["ml.p6-b200.48xlarge for cluster usage"]
    assert (train.service, train.code, train.needed) == ("sagemaker", "L-44097F05", 16)
    assert needs["ml.m5.4xlarge for cluster usage"].code is None


def test_machines_of_a_training_plan_count_in_the_quota_of_reserved_capacity() -> None:
    needs = {need.name: need for need in quotas_of(design_of("p6e-gb200"))}
    reserved = (
        "Number of ml.p6e-gb200.36xlarge instances in reserved capacity across training plans per Region"
    )
    assert needs[reserved].needed == 17
    assert "ml.p6e-gb200.36xlarge for cluster usage" not in needs


def test_each_type_that_a_group_falls_back_to_needs_its_quota_too(check: Check) -> None:
    needs = needs_of(
        check(
            "extends: p6-b200\nname: mine\norchestrator: {kind: hyperpod-slurm, provisioning: continuous}\n"
            "compute:\n  groups:\n"
            "    - {name: controller, role: controller, instance_type: m5.4xlarge, count: 1}\n"
            "    - {name: train, role: compute, instance_type: p5e.48xlarge, count: 4,"
            " fallback_instance_types: [p5en.48xlarge]}\n"
        )
    )
    assert needs["ml.p5en.48xlarge for cluster usage"].needed == 4
    assert "as an alternative type" in needs["ml.p5en.48xlarge for cluster usage"].because


def test_groups_of_one_class_are_added_up_in_vcpus(check: Check) -> None:
    held = "capacity: {kind: odcr, reservation_id: cr-0a1b2c3d4e5f60718}"
    needs = needs_of(
        check(
            "extends: p6-b200\nname: mine\norchestrator: {kind: eks}\ncompute:\n  groups:\n"
            "    - {name: system, role: system, instance_type: m5.4xlarge, count: 2}\n"
            "    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: 4}\n"
            f"    - {{name: held, role: compute, instance_type: p6-b200.48xlarge, count: 2, {held}}}\n"
        )
    )
    vcpus = needs["Running On-Demand P instances"]
    # a machine has 192, and what a reservation holds counts too
    assert (vcpus.needed, vcpus.default, vcpus.above_default) == (6 * 192, 0, True)
    assert vcpus.code == "L-417A185B"


def test_openzfs_has_the_quota_of_its_region(check: Check) -> None:
    home = "extends: p6-b200\nname: mine\nstorage: {home: {kind: new, users: 1000}}\n"
    need = needs_of(check(home))["OpenZFS SSD storage capacity"]
    assert (need.needed, need.default) == (125_000, 262_144)


@pytest.mark.parametrize(("limit", "nodes"), [("", 1), (", max_gpus: 64", 8), (", max_gpus: 4", 1)])
def test_a_group_that_hyperpod_scales_from_none_needs_its_quota(
    check: Callable[..., Cluster], limit: str, nodes: int
) -> None:
    cluster = check(
        "extends: p5en\nname: mine\norchestrator: {kind: hyperpod-eks, provisioning: continuous, "
        f"autoscaling: {{groups: [train]{limit}}}}}\n"
        "compute:\n  groups:\n"
        "    - {name: system, role: system, instance_type: m5.4xlarge, count: 2}\n"
        "    - {name: train, role: compute, instance_type: p5en.48xlarge, count: 0}\n"
    )
    assert cluster.design, cluster.diagnostics
    needed = {need.name: need.needed for need in quotas_of(cluster.design)}
    assert needed["ml.p5en.48xlarge for cluster usage"] == nodes
    assert needed["Maximum number instances allowed per SageMaker HyperPod cluster"] == 2 + nodes
