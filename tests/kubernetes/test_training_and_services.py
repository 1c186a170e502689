"""Training frameworks, each installed once, and services of the cluster."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from config.catalog.kubernetes.charts import charts
from config.profile.orchestrator import Eks
from tests.kubernetes.chart_values import unread
from tests.kubernetes.component_clusters import contents
from tests.tables import each_row

FRAMEWORKS = ("trainer", "jobset", "leader-worker-set", "mpi-operator")
CHARTS = {
    "trainer": "kubeflow-trainer",
    "jobset": "jobset",
    "leader-worker-set": "lws",
    "mpi-operator": "mpi-operator",
}
CHOICES = [list(chosen) for count in range(5) for chosen in itertools.combinations(FRAMEWORKS, count)]


@each_row("chosen", CHOICES, lambda chosen: "+".join(chosen) or "none")
def test_what_is_chosen_is_installed_once_with_what_it_stands_on(chosen: list[str]) -> None:
    found = contents(orchestrator={"components": {"training": chosen}})
    charts = [release.chart for release in found.releases.values() if release.chart in CHARTS.values()]
    wanted = {CHARTS[name] for name in chosen} | ({"jobset"} if "trainer" in chosen else set())
    assert sorted(charts) == sorted(wanted)


def test_kubeflow_trainer_comes_after_the_one_jobset_and_brings_no_second() -> None:
    trainer = contents().releases["kubeflow-trainer"]
    assert trainer.after == ("jobset",)
    assert trainer.values["jobset"] == {"install": False}
    assert trainer.values["dataCache"] == {"enabled": False, "lws": {"install": False}}


def test_runtimes_that_ask_for_no_efa_are_left_out() -> None:
    assert contents().releases["kubeflow-trainer"].values["runtimes"] == {"defaultEnabled": False}


def test_the_mpi_operator_of_hyperpod_is_that_of_its_own_chart() -> None:
    chosen = {"components": {"training": ["mpi-operator"]}}
    assert "mpi-operator" in contents(orchestrator=chosen).releases
    assert "mpi-operator" not in contents(orchestrator={"kind": "hyperpod-eks", **chosen}).releases


def test_steps_come_after_steps_that_are_there() -> None:
    steps = contents(orchestrator={"components": {"training": list(FRAMEWORKS)}}).steps
    names = [step.name for step in steps]
    assert len(set(names)) == len(names)
    for step in steps:
        for earlier in step.after:
            assert names.index(earlier) < names.index(step.name)


def test_helm_gives_up_before_the_function_that_calls_it_does() -> None:
    assert all(release.timeout_minutes < 15 for release in contents().releases.values())


@pytest.mark.parametrize("kind", ["eks", "hyperpod-eks"])
def test_faulty_nodes_are_found_by_one_agent(kind: str) -> None:
    assert ("eks-node-monitoring-agent" in contents(orchestrator={"kind": kind}).addons) is (kind == "eks")


@pytest.mark.parametrize(
    ("key", "addon", "default"),
    [
        ("node_monitoring", "eks-node-monitoring-agent", True),
        ("metrics_server", "metrics-server", True),
        ("cert_manager", "cert-manager", False),
    ],
)
def test_a_service_is_there_where_it_is_asked_for(key: str, addon: str, default: bool) -> None:
    assert (addon in contents().addons) is default
    other = contents(orchestrator={"components": {key: not default}})
    assert isinstance(other.orchestrator, Eks)
    assert (addon in other.addons) is not default


def test_add_ons_need_nodes() -> None:
    assert all(addon.after_nodes for addon in contents().addons.values())


CLUSTERS = [
    {},
    {"kind": "hyperpod-eks"},
    {"components": {"devices": "dra", "training": list(FRAMEWORKS)}},
    {"scheduler": "kai", "components": {"cert_manager": True}},
]


@pytest.mark.parametrize("orchestrator", CLUSTERS)
def test_charts_are_in_the_lock_file_run_under_the_version_and_read_every_value(
    orchestrator: dict[str, Any],
) -> None:
    found = contents(orchestrator=orchestrator, storage={"home": {"kind": "new", "users": 10}})
    for release in found.releases.values():
        chart = charts()[release.chart]
        assert unread(chart, release.values) == ()
        assert chart.fits(found.orchestrator.kubernetes_version)
        assert release.namespace == chart.namespace


@pytest.mark.parametrize("orchestrator", CLUSTERS)
def test_what_a_chart_would_install_beside_its_own_release_is_off(orchestrator: dict[str, Any]) -> None:
    found = contents(orchestrator=orchestrator)
    for release in found.releases.values():
        for bundled, switch in charts()[release.chart].bundles.items():
            if bundled in found.releases:
                assert not switch.installed(release.values), (release.name, switch)
