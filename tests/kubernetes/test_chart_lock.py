"""The chart lock: whole, sourced, and asked in words that others rely on."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from config.catalog import catalog
from config.catalog.files import read
from config.catalog.kubernetes.charts import Bundled, charts
from tests.kubernetes.chart_values import unread
from tests.tools.catalogue.check import check

KUEUE = charts()["kueue"]


def faults(name: str, **changed: Any) -> list[str]:
    """What the check says of a row with other values."""
    docs = copy.deepcopy(dict(read()))
    docs["charts"]["rows"][name] |= changed
    return [str(fault) for fault in check(docs)]


@pytest.mark.parametrize(
    ("name", "changed", "says"),
    [
        ("kueue", {"repository": "oci://registry.k8s.io/kueue/charts/other"}, "the last part of an oci path"),
        (
            "kueue",
            {"repository": "https://registry.k8s.io/kueue"},
            "is not the address of a chart of kind oci",
        ),
        ("kueue", {"kind": "svn"}, "svn is none of"),
        ("kueue", {"version": ">=0.19"}, "is not one version"),
        ("kueue", {"digest": "sha256:abc"}, "is not whole"),
        ("kueue", {"commit": "0" * 40}, "a git chart has a commit"),
        ("kueue", {"kubernetes_min": "v1.29"}, "is not a version of Kubernetes"),
        ("kueue", {"brings": ["Topology"]}, "does not read group/version Kind"),
        ("kueue", {"conflicts": {"other": "because"}}, "other is no other chart of the file"),
        ("kueue", {"sources": {"*": ["NOWHERE"]}}, "source NOWHERE is not in sources.json"),
        (
            "kubeflow-trainer",
            {"bundles": {"jobset": {"key": "jobsets.install", "default": True}}},
            "the chart reads no jobsets.install",
        ),
    ],
)
def test_a_row_with_a_fault_is_found(name: str, changed: dict[str, Any], says: str) -> None:
    assert any(says in fault for fault in faults(name, **changed)), faults(name, **changed)


def test_a_row_without_a_field_is_found() -> None:
    docs = copy.deepcopy(dict(read()))
    del docs["charts"]["rows"]["kueue"]["values"]
    assert "charts.json: kueue: values: is missing" in [str(fault) for fault in check(docs)]


def test_the_catalogue_has_the_charts_and_reads_them_when_it_is_asked() -> None:
    assert catalog().charts is charts()


def test_every_chart_from_a_registry_has_one_version() -> None:
    assert all(chart.version for chart in charts().values() if chart.kind == "oci")


def test_both_versions_of_a_kind_are_brought() -> None:
    assert {"kueue.x-k8s.io/v1beta1 Topology", "kueue.x-k8s.io/v1beta2 Topology"} <= set(KUEUE.brings)


def test_keys_that_a_chart_does_not_read_are_advised_to_the_second_level() -> None:
    values = {"controllerManager": {"replica": 2, "replicas": 2}, "global": {"any": 1}, "nameOverride": "a"}
    assert unread(KUEUE, values) == ("controllerManager.replica",)
    assert unread(KUEUE, {"replicas": 2}) == ("replicas",)


def test_a_chart_that_reads_nothing_takes_no_values() -> None:
    assert unread(charts()["mpi-operator"], {"replicas": 2}) == ("replicas",)


@pytest.mark.parametrize(
    ("chart", "version", "fits"),
    [
        ("volcano", "1.35", True),
        ("volcano", "1.36", False),
        ("aws-dranet", "1.34", False),
        ("kueue", "1.36", True),
    ],
)
def test_a_chart_fits_the_versions_that_its_project_states(chart: str, version: str, fits: bool) -> None:
    assert charts()[chart].fits(version) is fits


def test_a_chart_inside_another_is_installed_by_its_default_or_as_values_say() -> None:
    jobset = charts()["kubeflow-trainer"].bundles["jobset"]
    assert jobset.installed({})
    assert not jobset.installed({"jobset": {"install": False}})
    assert not Bundled(key="a.b", default=False).installed({"a": {}})


def test_conflicts_are_reported_from_either_side_where_they_always_hold() -> None:
    assert "aws-dranet" in charts()["aws-efa-k8s-device-plugin"].conflicts
    assert "aws-efa-k8s-device-plugin" in charts()["aws-dranet"].conflicts
