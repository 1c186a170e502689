"""Exporters and expected devices of GPU nodes for each profile."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest

from config.catalog import catalog
from config.catalog.observability.metrics import metrics
from config.design.collector import collector_of
from config.design.observability.names import filled, measured_metrics, missing
from tests.observability.measured_clusters import KUBERNETES, PLANES, PROFILES, built_in, changed, measured_in
from tests.tables import each_row

CASES = list(product(PROFILES, PLANES))
MANAGED = {"kind": "managed"}


@each_row("name, plane", CASES)
def test_exporters_are_those_of_the_table_and_of_the_control_plane(name: str, plane: str) -> None:
    found = measured_in(built_in(name, plane)).exporters
    assert found <= set(metrics().exporters)
    assert {"agent", "application", "dcgm", "node"} <= found
    assert ("kube-state" in found) is (plane in KUBERNETES)
    assert ("kueue" in found) is (plane in KUBERNETES)
    assert len(found & {"slurm-native", "slurm-exporter"}) == (plane not in KUBERNETES)


@each_row("name, plane", CASES)
def test_no_two_series_of_a_cluster_have_one_key_or_one_name(name: str, plane: str) -> None:
    rows = measured_metrics(measured_in(built_in(name, plane)))
    assert len({row.key for row in rows}) == len(rows)
    assert len({row.name for row in rows}) == len(rows)


@each_row("name, plane", CASES)
def test_nodes_should_have_what_the_catalogue_says_of_their_types(name: str, plane: str) -> None:
    found = built_in(name, plane)
    measured = measured_in(found)
    assert measured.gpu_nodes
    assert {nodes.instance_type for nodes in measured.gpu_nodes} == {
        one.name for group in found.groups for one in group.types if one.is_gpu
    }
    for nodes in measured.gpu_nodes:
        instance = catalog().instances[nodes.instance_type]
        assert instance.gpu is not None
        assert (nodes.gpus, nodes.architecture) == (instance.gpu.count, instance.gpu.gpu.architecture)
        assert 0 <= nodes.efa_devices <= instance.max_efa
        assert nodes.dollars_per_gpu_hour is None or 0 < nodes.dollars_per_gpu_hour < 100


def test_a_profile_without_prometheus_measures_nothing(tmp_path: Path) -> None:
    found = measured_in(changed(tmp_path, observability={"prometheus": None, "grafana": None}))
    assert found.exporters == frozenset()
    assert measured_metrics(found) == ()


def test_a_cluster_without_gpus_has_no_exporter_of_them(tmp_path: Path) -> None:
    groups = [{"name": "cpu", "role": "compute", "instance_type": "m5.4xlarge", "count": 2},
              {"name": "tools", "role": "system", "instance_type": "m5.4xlarge", "count": 2}]  # fmt: skip
    found = measured_in(changed(tmp_path, orchestrator={"kind": "eks"}, compute={"groups": groups}))
    assert "dcgm" not in found.exporters
    assert found.gpu_nodes == ()
    assert missing("<gpu_temperature> > 90", found) == ("gpu_temperature",)


def test_without_lustre_nothing_asks_for_its_metrics(tmp_path: Path) -> None:
    assert "fsx" in measured_in(changed(tmp_path)).exporters
    assert "fsx" not in measured_in(changed(tmp_path, storage={"lustre": None})).exporters


@pytest.mark.parametrize(("scheduler", "there"), [("kueue", True), ("volcano", False), ("kai", False)])
def test_kueue_is_measured_where_it_is_the_scheduler(tmp_path: Path, scheduler: str, there: bool) -> None:
    found = measured_in(changed(tmp_path, orchestrator={"kind": "eks", "scheduler": scheduler}))
    assert ("kueue" in found.exporters) is there


@pytest.mark.parametrize(
    ("declared", "exporter"),
    [
        ({"slurm_version": "25.11"}, "slurm-native"),
        ({"slurm_version": "26.05"}, "slurm-native"),
        ({"slurm_version": "25.05"}, "slurm-exporter"),
        ({"slurm_version": "25.11", "settings": {"MetricsType": None}}, "slurm-exporter"),
    ],
)
def test_slurm_is_asked_itself_from_25_11_on(tmp_path: Path, declared: dict[str, Any], exporter: str) -> None:
    found = measured_in(changed(tmp_path, orchestrator={"kind": "pcs", **declared}))
    assert exporter in found.exporters


def test_what_scripts_write_is_missing_where_none_runs(tmp_path: Path) -> None:
    image = {"kind": "eks", "node_image": {"family": "bottlerocket"}}
    assert filled("<kernel_xid>", measured_in(changed(tmp_path, orchestrator=image))) is None
    assert filled("<kernel_xid>", measured_in(changed(tmp_path, orchestrator={"kind": "eks"}))) is not None


def test_nodes_without_our_scripts_have_no_exporters_under_slurm(tmp_path: Path) -> None:
    declared = {"kind": "hyperpod-slurm", "lifecycle": {"kind": "bootstrap"}}
    assert measured_in(changed(tmp_path, orchestrator=declared)).exporters == frozenset()


@pytest.mark.parametrize(
    ("plane", "observability", "collector"),
    [
        ({"kind": "eks"}, {"prometheus": MANAGED}, "managed"),
        ({"kind": "hyperpod-eks"}, {"prometheus": MANAGED}, "managed"),
        ({"kind": "pcs"}, {"prometheus": MANAGED}, "agent"),
        ({"kind": "hyperpod-slurm"}, {"prometheus": MANAGED}, "agent"),
        ({"kind": "eks"}, {"prometheus": MANAGED, "collection": {"collector": "agent"}}, "agent"),
        ({"kind": "eks"}, {"prometheus": MANAGED, "collection": {"collector": "none"}}, "none"),
        ({"kind": "eks"}, {"prometheus": {"kind": "existing", "remote_write_url": "https://a.b/c"}}, "agent"),
        ({"kind": "eks"}, {"prometheus": None}, "none"),
        (
            {"kind": "eks"},
            {"prometheus": {**MANAGED, "kms_key_arn": "arn:aws:kms:us-west-2:123456789012:key/"
                            "01234567-89ab-cdef-0123-456789abcdef"}},
            "agent",
        ),
        ({"kind": "hyperpod-eks", "observability_addon": {}}, {"prometheus": MANAGED}, "none"),
    ],
)  # fmt: skip
def test_the_collector_is_the_stated_one_or_the_one_that_fits(
    tmp_path: Path, plane: dict[str, Any], observability: dict[str, Any], collector: str
) -> None:
    observed = {"grafana": None, **observability}
    assert collector_of(changed(tmp_path, orchestrator=plane, observability=observed).profile) == collector


def test_nodes_of_a_dynamic_group_come_and_go_with_the_jobs(tmp_path: Path) -> None:
    groups = [{"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1},
              {"name": "train", "role": "compute", "instance_type": "p5.48xlarge", "count": 4,
               "scaling": "dynamic"}]  # fmt: skip
    found = measured_in(changed(tmp_path, "p5", orchestrator={"kind": "pcs"}, compute={"groups": groups}))
    assert found.elastic == ("train",)


def test_of_two_groups_of_one_type_the_one_with_fewer_interfaces_is_expected(tmp_path: Path) -> None:
    machine = {"role": "compute", "instance_type": "p5.48xlarge", "count": 2}
    groups = [{"name": "a", **machine}, {"name": "b", **machine, "efa": {"layout": "none"}},
              {"name": "tools", "role": "system", "instance_type": "m5.4xlarge", "count": 2}]  # fmt: skip
    (nodes,) = measured_in(
        changed(tmp_path, "p5", orchestrator={"kind": "eks"}, compute={"groups": groups})
    ).gpu_nodes
    assert nodes.efa_devices == 0


@pytest.mark.parametrize(
    ("roles", "elastic", "steady"),
    [
        ((("compute", "dynamic"),), ("group-0",), False),
        ((("login", "static"), ("compute", "dynamic")), ("group-1",), True),
        ((("compute", "static"), ("compute", "dynamic")), ("group-1",), True),
        ((("compute", "static"),), (), True),
    ],
)
def test_groups_of_pcs_that_follow_their_jobs_are_known(
    tmp_path: Path, roles: tuple[tuple[str, str], ...], elastic: tuple[str, ...], steady: bool
) -> None:
    groups = [
        {
            "name": f"group-{number}",
            "role": role,
            "instance_type": "m5.4xlarge",
            "count": 2,
            "scaling": scaling,
        }
        for number, (role, scaling) in enumerate(roles)
    ]
    found = measured_in(changed(tmp_path, orchestrator={"kind": "pcs"}, compute={"groups": groups}))
    assert (found.elastic, found.steady) == (elastic, steady)
