"""The storage plan of profiles: what nodes get of each tier, what it takes, and the checkpoints on it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.catalog import catalog
from config.cluster import Cluster, load_cluster
from config.design.model import Design
from config.design.report.checkpoints import CheckpointReport
from config.design.report.storage import ClientReport, FileSystemReport, StorageReport, storage_report
from config.profile.source.reference import built_in_names

Check = Callable[..., Cluster]


def plan_of(cluster: Cluster) -> StorageReport:
    design: Design | None = cluster.design
    assert design, cluster.diagnostics
    report = storage_report(design)
    assert report
    return report


def built_in(name: str) -> FileSystemReport:
    (system,) = plan_of(load_cluster(name)).file_systems
    return system


def client(system: FileSystemReport, group: str) -> ClientReport:
    return next(client for client in system.clients if client.group == group)


def checkpoint(cluster: Cluster) -> CheckpointReport:
    found = plan_of(cluster).checkpoint
    assert found
    return found


@pytest.mark.parametrize("name", built_in_names())
def test_no_client_gets_more_than_its_network_nor_all_of_them_more_than_the_file_system(name: str) -> None:
    cluster = load_cluster(name)
    assert cluster.design
    networks = {group.name: group.instance_type.network_gbps for group in cluster.design.groups}
    for system in plan_of(cluster).file_systems:
        for one in system.clients:
            assert one.gbps <= networks[one.group]
            assert one.write_mbps <= system.write_mbps
            assert one.write_mbps <= one.nodes * one.gbps * 125 + 0.1
        if system.efa_connections_most:
            assert system.efa_connections <= system.efa_connections_most


@pytest.mark.parametrize(
    ("name", "over", "gbps", "gpudirect"),
    [
        ("p5", "efa", 700, 800),  # 8 interfaces of 100 Gbps
        ("p5en", "efa", 700, 1200),
        ("p6-b200", "efa", 700, 1200),
        ("p6-b300", "efa", 700, None),  # sources disagree on GPUDirect Storage
        ("p6e-gb200", "ena", 80, None),  # 16 servers of 5 Gbps: its Local Zone has no Lustre with EFA
        ("p5-dev", "ena", 5, None),  # one server of 1200 GiB
    ],
)
def test_a_node_gets_what_its_attachment_allows(
    name: str, over: str, gbps: float, gpudirect: float | None
) -> None:
    train = client(built_in(name), "train")
    assert (train.over, train.gbps, train.gpudirect_gbps) == (over, gbps, gpudirect)


def test_an_efa_node_that_falls_back_gets_five_gbps_of_each_server() -> None:
    system = built_in("p6-b200")
    assert system.object_servers == 4
    assert client(system, "train").without_efa_gbps == 20
    assert client(system, "login").without_efa_gbps is None


def test_login_and_controller_nodes_are_clients_over_ena() -> None:
    system = built_in("p6-b200")
    assert [(one.over, one.efa_connections) for one in system.clients] == [
        ("ena", 0),
        ("ena", 0),
        ("efa", 128),
    ]


def test_gpudirect_storage_on_p6_b300_is_only_for_who_asks_for_it(check: Check) -> None:
    asked = check("extends: p6-b300\nname: mine\nstorage: {lustre: {gpudirect: true}}\n")
    (system,) = plan_of(asked).file_systems
    train = client(system, "train")
    assert (train.over, train.gbps) == ("efa-gds", 1200)


LUSTRE = """extends: p6-b200
name: mine
storage:
  lustre:
    kind: new
    data_repositories: []
    efa: false
"""


@pytest.mark.parametrize(
    ("declared", "write", "read", "memory"),
    [
        # MB/s per TiB, of the table of each kind
        (["deployment: scratch-2", "throughput_mbps_per_tib: null"], 100, 200, 200),
        (["deployment: persistent-1", "throughput_mbps_per_tib: 50"], 50, 50, 250),
        (["deployment: persistent-1", "throughput_mbps_per_tib: 200"], 200, 200, 750),
        (
            ["deployment: persistent-1", "storage: hdd", "drive_cache: false", "throughput_mbps_per_tib: 12"],
            12, 12, 40,
        ),
        (["throughput_mbps_per_tib: 250"], 250, 250, 640),
    ],
)  # fmt: skip
def test_a_file_system_of_each_kind_moves_what_its_table_says(
    check: Check, declared: list[str], write: float, read: float, memory: float
) -> None:
    text = LUSTRE + "".join(f"    {line}\n" for line in [*declared, "capacity_gib: 12000"])
    (system,) = plan_of(check(text)).file_systems
    figures = (system.write_mbps, system.read_mbps, system.network_mbps)
    assert figures == tuple(round(12000 / 1024 * each, 1) for each in (write, read, memory))


def test_an_elastic_file_system_moves_what_it_is_given(check: Check) -> None:
    text = f"{LUSTRE}    storage: intelligent-tiering\n    throughput_mbps: 8000\n    read_cache: {{}}\n"
    text += "    capacity_gib: null\n    throughput_mbps_per_tib: null\n"
    plan = plan_of(check(text + "workload: {parameters: 70e9}\n"))
    (system,) = plan.file_systems
    assert (system.capacity_gib, system.write_mbps, system.network_mbps) == (None, 8000, 25000)
    assert plan.checkpoint
    assert plan.checkpoint.capacity_gib is None
    assert [(quota.needed, quota.default, quota.unit) for quota in plan.quotas] == [(8000, 100000, "MB/s")]


def test_checkpoints_lie_where_a_directory_is_for_them(check: Check) -> None:
    text = """extends: p6-b200
name: mine
storage:
  lustre: {data_repositories: []}
  additional_lustre:
    - {kind: new, name: fast, mount_path: /fast, capacity_gib: 4800, throughput_mbps_per_tib: 1000, efa: true,
       checkpoint_paths: [/saves]}
workload: {parameters: 70e9}
"""
    found = checkpoint(check(text))
    assert (found.file_system, round(found.write_s)) == ("fast", 209)


@pytest.mark.parametrize(
    ("capacity", "parameters", "seconds"),
    [
        (4800, "70e9", 209), (4800, "405e9", 1210), (9600, "70e9", 105), (9600, "405e9", 605),
        (38400, "70e9", 26), (38400, "405e9", 151),
    ],
)  # fmt: skip
def test_a_plan_has_the_write_times_that_were_worked_out_by_hand(
    check: Check, capacity: int, parameters: str, seconds: int
) -> None:
    lustre = f"storage: {{lustre: {{capacity_gib: {capacity}, throughput_mbps_per_tib: 1000}}}}\n"
    found = checkpoint(
        check(f"extends: p6-b200\nname: mine\n{lustre}workload: {{parameters: {parameters}}}\n")
    )
    assert found.write_s == pytest.approx(seconds, abs=0.6)
    assert found.limited_by == "the file system"


def test_nodes_without_efa_limit_a_file_system_of_few_servers(check: Check) -> None:
    # 2 servers give a client 10 Gbps: one node writes at 1.25 GB/s what disks would take at 9.4
    text = """extends: p6-b200
name: mine
orchestrator: {kind: eks}
compute:
  groups:
    - {name: tools, role: system, instance_type: m5.4xlarge, count: 2}
    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: 1, efa: {layout: none}}
storage: {lustre: {capacity_gib: 9600, throughput_mbps_per_tib: 1000}}
workload: {parameters: 70e9}
"""
    found = checkpoint(check(text))
    assert (found.write_mbps, found.limited_by, round(found.write_s)) == (1250, "its clients", 784)


def test_nodes_without_gpus_save_nothing(check: Check) -> None:
    groups = """
compute:
  groups:
    - {name: controller, role: controller, instance_type: m5.4xlarge, count: 1}
    - {name: prepare, role: compute, instance_type: m5.24xlarge, count: 64}
    - {name: train, role: compute, instance_type: g6.48xlarge, count: 1, capacity: {kind: on-demand}}
"""
    found = checkpoint(check(f"extends: p6-b200\nname: mine\nworkload: {{parameters: 70e9}}{groups}"))
    assert (found.write_mbps, found.limited_by) == (12500, "its clients")  # one node, 100 Gbps


def test_an_interval_follows_from_the_gpus_and_can_be_stated(check: Check) -> None:
    text = "extends: p6-b200\nname: mine\nworkload: {parameters: 405e9%s}\n"
    by_gpus, by_hand = (
        checkpoint(check(text % more)).interval
        for more in ("", ", mtbf_hours: 24, checkpoint_interval_s: 3600")
    )
    assert by_gpus
    assert by_hand
    assert (by_gpus.gpus, round(by_gpus.mtbf_hours), by_gpus.mtbf_stated) == (128, 396, False)
    assert by_gpus.best_s < by_gpus.young_s
    assert (by_hand.mtbf_hours, by_hand.mtbf_stated, by_hand.stated_s) == (24, True, 3600)
    assert by_hand.lost_percent > by_gpus.lost_percent


def test_a_data_profile_has_the_file_system_but_neither_clients_nor_failures(check: Check) -> None:
    plan = plan_of(check("extends: p6-b200-data\nname: mine\nworkload: {parameters: 405e9}\n"))
    assert plan.checkpoint
    assert plan.file_systems[0].clients == ()
    assert plan.checkpoint.interval is None
    assert plan.checkpoint.recovery is None
    assert round(plan.checkpoint.write_s) == 302


def test_a_cluster_on_a_data_profile_saves_to_its_file_system(check: Check) -> None:
    plan = plan_of(check("extends: p6-b200-cluster\nname: mine\nworkload: {parameters: 405e9}\n"))
    assert plan.checkpoint
    assert round(plan.checkpoint.write_s) == 302
    assert plan.quotas == ()  # the data profile's stack takes them


def test_experts_beyond_an_nvlink_domain_go_over_efa(check: Check) -> None:
    def over_efa(extends: str, experts: int) -> bool:
        text = f"extends: {extends}\nname: mine\nworkload: {{parameters: 671e9, experts: {experts}}}\n"
        found = plan_of(check(text)).experts
        assert found
        return found.over_efa

    assert [over_efa("p6-b200", n) for n in (8, 9, 256)] == [False, True, True]
    assert [over_efa("p6e-gb200", n) for n in (64, 72)] == [False, False]


def test_no_more_experts_spread_than_there_are_gpus(check: Check) -> None:
    text = "extends: p5-dev\nname: mine\nworkload: {parameters: 30e9, experts: 128}\n"
    found = plan_of(check(text)).experts
    assert found
    assert (found.gpus, found.over_efa) == (1, False)


def test_local_disks_have_a_size_and_no_invented_bandwidth() -> None:
    (disks,) = plan_of(load_cluster("p6-b200")).local_nvme
    assert (disks.group, disks.gb_each, disks.gb_all) == ("train", 30400, 16 * 30400)


def test_home_directories_move_what_their_throughput_brings_and_take_quotas(check: Check) -> None:
    plan = plan_of(check("extends: p6-b200\nname: mine\nstorage: {home: {kind: new, users: 20}}\n"))
    home = plan.home
    assert home
    assert (home.deployment, home.capacity_gib, home.disk_mbps) == ("single-az-2", 2500, 160)
    assert (home.network_mbps, home.network_burst_mbps, home.disk_burst_mbps) == (375, 3125, 3125)
    quotas = {quota.what: (quota.needed, quota.unit) for quota in plan.quotas}
    assert quotas["OpenZFS storage"] == (2500, "GiB")
    assert quotas["OpenZFS throughput"] == (160, "MB/s")


def test_buckets_have_the_request_rates_that_are_published(check: Check) -> None:
    place = (
        "availability_zone_id: usw2-az3\nnetwork: {secondary_zones: [usw2-az1]}\n"  # has directory buckets
    )
    text = f"extends: p6-b200\nname: mine\n{place}storage: {{s3_express: {{}}}}\n"
    general, directory = plan_of(check(text)).buckets
    assert (general.buckets, general.writes_per_s, general.reads_per_s) == (2, 3500, 5500)
    assert (directory.writes_per_s, directory.reads_per_s, directory.of_each) == (100000, 200000, "bucket")


def test_file_systems_with_a_directory_of_one_name_have_a_new_bucket_each(check: Check) -> None:
    more = "{kind: new, name: more, mount_path: /more, deployment: scratch-2, capacity_gib: 4800"
    links = "data_repositories: [{path: /datasets, bucket: new, import: [new]}]}"
    text = f"extends: p6-b200\nname: mine\nstorage:\n  additional_lustre: [{more}, {links}]\n"
    (general,) = plan_of(check(text)).buckets
    assert general.buckets == 3


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    tier=st.sampled_from([125, 250, 500, 1000]),
    units=st.integers(1, 8),
    parameters=st.integers(1, 2000),
    kept=st.integers(1, 20),
)
def test_a_larger_file_system_is_never_slower_and_what_is_hinted_fits(
    tmp_path: Path, tier: int, units: int, parameters: int, kept: int
) -> None:
    unit = catalog().lustre.tiers[tier].efa_capacity_unit_gib
    text = (
        "extends: p6-b200\nname: mine\nstorage: {lustre: {capacity_gib: %d, throughput_mbps_per_tib: %d}}\n"
        f"workload: {{parameters: {parameters}e9, kept_checkpoints: {kept}}}\n"
    )

    def load(gib: int, tier: int = tier) -> Cluster:
        (tmp_path / "my.yaml").write_text(text % (gib, tier))
        return load_cluster("my.yaml", base=tmp_path)

    small, large = load(units * unit), load(2 * units * unit)
    assert checkpoint(large).write_s <= checkpoint(small).write_s
    hints = [diagnostic.hint for diagnostic in small.diagnostics if diagnostic.code == "WRK002"]
    assert bool(hints) == (checkpoint(small).needed_gib > units * unit)
    for hint in hints:
        declared = {key: int(value) for key, value in re.findall(r"`(\w+): (\d+)`", hint)}
        hinted = load(declared["capacity_gib"], declared.get("throughput_mbps_per_tib", tier))
        assert [d.code for d in hinted.diagnostics if d.code in ("WRK002", "LUS002")] == []
