"""The design of AWS PCS clusters: names, size, queues and settings."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from config.catalog import catalog
from config.catalog.slurm.pcs import is_older
from config.cluster import Cluster
from config.design.report.growth import growth_of
from config.design.slurm.defaults import settled, slurm_defaults
from config.design.slurm.pcs import PcsPlan, group_name, size_of
from config.profile.base import NAME
from config.profile.slurm.pcs import Pcs
from config.profile.source.keys_of_apis import WHY_NOT
from config.rules.codes import RULES

Check = Callable[..., Cluster]
NAMES = st.from_regex(NAME, fullmatch=True).map(lambda name: name[:32].rstrip("-"))
TYPES = st.sampled_from(sorted(catalog().instances))
TRAIN = {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 4}


def plan(check: Check, *groups: dict[str, Any], name: str = "mine", **orchestrator: Any) -> PcsPlan:
    text = yaml.safe_dump(
        {
            "extends": "p6-b200",
            "name": name,
            "orchestrator": {"kind": "pcs", **orchestrator},
            "storage": {"local_nvme": None},
            "compute": {"groups": list(groups or (TRAIN,))},
        }
    )
    cluster = check(text)
    assert cluster.design is not None, cluster.diagnostics
    assert cluster.design.pcs is not None
    return cluster.design.pcs


@given(NAMES, TYPES)
def test_a_groups_name_is_one_that_pcs_takes(name: str, instance_type: str) -> None:
    made = group_name(name, instance_type)
    assert re.fullmatch(r"[A-Za-z][A-Za-z0-9-]{2,24}", made)
    assert name.startswith(made.rpartition("-")[0])


@given(NAMES, NAMES, TYPES, TYPES)
def test_groups_share_a_name_only_if_they_are_one(a: str, b: str, first: str, second: str) -> None:
    assert (group_name(a, first) == group_name(b, second)) == ((a, first) == (b, second))


@given(st.integers(1, 2048))
def test_the_size_is_the_smallest_that_holds_the_nodes(nodes: int) -> None:
    chosen = size_of(Pcs(kind="pcs"), nodes)
    holding = [size.name for size in catalog().pcs.sizes if size.nodes >= nodes]
    assert chosen == holding[0]


def test_a_stated_size_stays_whatever_the_nodes(check: Check) -> None:
    assert plan(check, size="large").size == "large"
    assert plan(check).size == "small"


def test_the_clusters_name_changes_with_what_only_another_cluster_has(check: Check) -> None:
    names = {
        plan(check).cluster_name,
        plan(check, size="medium").cluster_name,
        plan(check, name="yours").cluster_name,
    }
    assert len(names) == 3
    assert plan(check, size="small").cluster_name == plan(check).cluster_name
    assert plan(check, rest_api=True).cluster_name == plan(check).cluster_name
    assert plan(check, {**TRAIN, "count": 5}).cluster_name == plan(check).cluster_name


def test_the_longest_name_of_a_profile_fits(check: Check) -> None:
    assert len(plan(check, name="a" * 32).cluster_name) <= catalog().pcs.max_cluster_name_length


def test_a_plan_says_when_growth_would_be_another_cluster(check: Check) -> None:
    text = "extends: p6-b200\nname: mine\nstorage: null\norchestrator: "
    text += "{{kind: pcs, efa_interface: efa-only{}}}\n"
    group = "compute: {groups: [{name: train, role: compute, instance_type: p6-b200.48xlarge, count: 30}]}\n"
    for declared, most in (("", 32), (", size: medium", 512)):
        design = check(text.format(declared) + group).design
        assert design is not None
        (growth,) = growth_of(design)
        assert growth.first.nodes == most
        assert "a change of the size replaces the cluster" in growth.first.reason


def test_each_partition_is_a_queue_unless_queues_are_stated(check: Check) -> None:
    groups = [{**TRAIN, "name": name, "partition": "gpu"} for name in ("b", "a")]
    login = {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1}
    found = plan(check, *groups, TRAIN, login).queues
    assert [(queue.name, queue.groups) for queue in found] == [("gpu", ("a", "b")), ("train", ("train",))]
    declared = plan(
        check, queues=[{"name": "urgent", "groups": ["train"]}, {"name": "gpu", "groups": ["train"]}]
    )
    assert [queue.name for queue in declared.queues] == ["gpu", "urgent"]


def defaults(found: PcsPlan) -> dict[str, str | None]:
    return {queue.name: queue.settings.get("Default") for queue in found.queues}


def test_jobs_that_name_no_queue_go_to_the_partition_of_the_first_compute_group(check: Check) -> None:
    assert defaults(plan(check)) == {"train": "YES"}
    login = {"name": "login", "role": "login", "instance_type": "m5.4xlarge", "count": 1}
    other = {**TRAIN, "name": "big", "partition": "all"}
    assert defaults(plan(check, login, TRAIN, other)) == {"all": None, "train": "YES"}
    assert defaults(plan(check, login, other, TRAIN)) == {"all": "YES", "train": None}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ({}, {}, {"gpu": "YES", "urgent": None}),
        ({"settings": {"MaxTime": 60}}, {}, {"gpu": "YES", "urgent": None}),
        ({"groups": []}, {}, {"gpu": None, "urgent": "YES"}),
        ({}, {"settings": {"Default": "YES"}}, {"gpu": None, "urgent": "YES"}),
        ({"settings": {"Default": "NO"}}, {}, {"gpu": "NO", "urgent": None}),
        ({"settings": {"Default": None}}, {}, {"gpu": None, "urgent": None}),
    ],
)
def test_the_first_queue_with_groups_is_the_default_one_unless_the_profile_states_it(
    first: dict[str, Any], second: dict[str, Any], expected: dict[str, str | None], check: Check
) -> None:
    queues = [
        {"name": "gpu", "groups": ["train"], **first},
        {"name": "urgent", "groups": ["train"], **second},
    ]
    assert defaults(plan(check, queues=queues)) == expected


def test_nodes_with_gpus_have_prolog_and_epilog_and_no_job_is_held_for_a_bad_node(check: Check) -> None:
    settings = plan(check).settings
    assert settings["Prolog"] == "/opt/ultracluster/slurm/prolog.sh"
    assert settings["Epilog"] == "/opt/ultracluster/slurm/epilog.sh"
    assert settings["SchedulerParameters"] == "nohold_on_prolog_fail"
    assert not any(name.startswith("HealthCheck") for name in settings)  # a timer of the node runs the checks
    assert settings["PrologFlags"] == "Alloc"
    cpu = {**TRAIN, "instance_type": "m5.4xlarge"}
    assert plan(check, cpu).settings == {}


def test_the_profiles_settings_win_and_null_takes_one_away(check: Check) -> None:
    settings = plan(check, settings={"Prolog": "/ours.sh", "Epilog": None, "MinJobAge": 300}).settings
    assert (settings["Prolog"], settings["MinJobAge"]) == ("/ours.sh", "300")
    assert "Epilog" not in settings


def test_every_setting_of_ultracluster_is_one_that_pcs_lets_through(check: Check) -> None:
    groups = plan(check).groups
    made = slurm_defaults([group.group for group in groups])
    assert made.keys() <= catalog().pcs.settings["cluster"]
    assert not any(catalog().pcs.came_with("cluster", name, value) for name, value in made.items())


@given(st.dictionaries(st.text(max_size=3), st.one_of(st.none(), st.text(max_size=3)), max_size=4))
def test_settled_settings_are_sorted_and_hold_no_null(declared: dict[str, str | None]) -> None:
    found = settled({"a": "1"}, declared)
    assert list(found) == sorted(found)
    assert set(found) == {name for name, value in {"a": "1", **declared}.items() if value is not None}


@pytest.mark.parametrize("key", sorted(WHY_NOT))
def test_a_key_that_only_pcss_api_has_is_refused_with_the_reason(key: str, check: Check) -> None:
    text = yaml.safe_dump({"extends": "p6-b200", "name": "mine", "orchestrator": {"kind": "pcs", key: "x"}})
    (found,) = [d for d in check(text).diagnostics if d.code == "PRO010"]
    assert found.path == f"orchestrator.{key}"
    assert found.hint == f"remove it; {WHY_NOT[key]}"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"MaxTime": ""}, "use at least 1"),
        ({"MaxTime": "a\nb"}, "one line"),
        ({"MaxTime": ["a"]}, "a list is not text"),
    ],
)
def test_a_setting_is_text_or_a_number(settings: dict[str, Any], said: str, check: Check) -> None:
    queue = {"name": "gpu", "groups": ["train"], "settings": settings}
    text = {"extends": "p6-b200", "name": "mine", "orchestrator": {"kind": "pcs", "queues": [queue]}}
    stops = [d for d in check(yaml.safe_dump(text)).diagnostics if d.stops and "settings" in d.path]
    assert said in f"{stops[0].message} {stops[0].hint}"


def test_records_that_are_kept_for_no_day_are_refused(check: Check) -> None:
    text = "extends: p6-b200\nname: mine\norchestrator: {kind: pcs, accounting: {purge_days: 0}}\n"
    found = [d for d in check(text).diagnostics if d.path == "orchestrator.accounting.purge_days"]
    assert [(d.code, d.hint) for d in found] == [("PRO014", "write 1 or more")]


def test_settings_merge_by_name_over_what_a_profile_extends(tmp_path: Any, check: Check) -> None:
    base = (
        "extends: p6-b200\nname: base\norchestrator: {kind: pcs, settings: {MinJobAge: 300, JobRequeue: 1}}\n"
    )
    (tmp_path / "base.yaml").write_text(base, encoding="utf-8")
    text = f"extends: {tmp_path}/base.yaml\nname: mine\ncompute: {{groups: [{TRAIN}]}}\n"
    found = check(text + "orchestrator: {settings: {JobRequeue: null}}\n".replace("'", ""))
    assert found.design is not None, found.diagnostics
    assert found.design.pcs is not None
    assert found.design.pcs.settings["MinJobAge"] == "300"
    assert "JobRequeue" not in found.design.pcs.settings


@pytest.mark.parametrize(
    ("version", "since", "older"),
    [("25.05", "25.11", True), ("25.11", "25.11", False), ("26.05", "25.11", False)],
)
def test_versions_are_compared_by_number(version: str, since: str, older: bool) -> None:
    assert is_older(version, since) is older


def test_rules_about_pcs_cost_nothing_elsewhere() -> None:
    ours = [rule for rule in RULES if rule.code.code.startswith("PCS")]
    assert {frozenset(("pcs",)), frozenset(("slurm-settings",))} == {rule.where for rule in ours}
