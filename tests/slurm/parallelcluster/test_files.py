"""The real package accepts every ParallelCluster configuration, by its schema and its validators."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from config.cluster import load_cluster
from config.design.report.parallelcluster import limits
from config.rules.codes import OF_PARALLELCLUSTER
from tests.programs import lacks
from tests.slurm.parallelcluster.files import (
    PLANTED,
    PROFILES,
    WARNINGS,
    account_state,
    built_in,
    loaded,
    question,
    written,
)
from tests.slurm.parallelcluster.package.queries import Answer, Answers, Json, PclusterMissingError, ask

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]

BUILT_IN = tuple(built_in(expressible=True))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Json]:
    """All configurations by name, with placeholders for unknown ids."""
    folder = tmp_path_factory.mktemp("profiles")
    clusters = {name: load_cluster(name, further=OF_PARALLELCLUSTER) for name in BUILT_IN}
    clusters |= {name: loaded(folder, name) for name in PROFILES}
    return {name: dict(written(cluster).configuration) for name, cluster in clusters.items()}


@pytest.fixture(scope="module")
def answers(files: Mapping[str, Json]) -> Mapping[str, Answers]:
    """The package's results for the configurations and the mistakes, by Region."""
    asked = {**files, **{name: plant(files[on]) for name, (on, plant, _, _) in PLANTED.items()}}
    found = {}
    for region in sorted({file["Region"] for file in asked.values()}):
        here = {name: file for name, file in asked.items() if file["Region"] == region}
        try:
            found[region] = ask(account_state(region, here), [question(*item) for item in here.items()])
        except PclusterMissingError as error:
            lacks(str(error))
    return found


@pytest.fixture(scope="module")
def said(answers: Mapping[str, Answers]) -> Mapping[str, Answer]:
    return {name: answer for found in answers.values() for name, answer in found.by_name.items()}


@pytest.mark.parametrize("name", [*BUILT_IN, *PROFILES])
def test_the_real_package_accepts_the_file_of_a_profile(said: Mapping[str, Answer], name: str) -> None:
    answer = said[name]
    assert (answer.error, answer.schema_errors) == (None, {})
    unexpected = [f for f in answer.failures if f.level != "INFO" and f.validator not in WARNINGS]
    assert unexpected == []
    assert [failure for failure in answer.failures if failure.level == "ERROR"] == []


def test_every_warning_that_has_a_reason_is_given(said: Mapping[str, Answer]) -> None:
    files = [*BUILT_IN, *PROFILES]
    warnings = {f.validator for name in files for f in said[name].failures if f.level == "WARNING"}
    assert warnings == set(WARNINGS)


@pytest.mark.parametrize("name", PLANTED)
def test_the_real_package_finds_a_mistake_that_is_planted(said: Mapping[str, Answer], name: str) -> None:
    _, _, validator, level = PLANTED[name]
    assert said[name].error is None
    assert level in [failure.level for failure in said[name].failures_of(validator)]


def test_a_profile_without_a_file_says_why() -> None:
    refused = list(built_in(expressible=False))
    assert refused == ["p5e", "p6-b200-cluster", "p6-b200-data", "p6e-gb200"]
    for name in refused:
        stops = {d.code for d in load_cluster(name, further=OF_PARALLELCLUSTER).diagnostics if d.stops}
        assert stops, name
        assert all(code.startswith("PCL") for code in stops)


def test_the_limits_are_those_of_the_package(answers: Mapping[str, Answers]) -> None:
    theirs = next(iter(answers.values())).limits
    tiers = theirs.pop("lustre_tiers")
    ours = {
        "version": limits.VERSION,
        "longest_name": limits.MAX_NAME_LENGTH,
        "longest_storage_name": limits.MAX_STORAGE_NAME_LENGTH,
        "longest_cluster_name": limits.MAX_CLUSTER_NAME_LENGTH,
        "most_queues": limits.MAX_QUEUES,
        "most_compute_resources": limits.MAX_QUEUES,
        "most_pools": limits.MAX_LOGIN_POOLS,
        "most_new_lustre": limits.MAX_NEW_LUSTRE,
        "log_days": list(limits.LOG_RETENTION_DAYS),
    }
    denied = theirs["denied_settings"]
    assert set(denied["SlurmConf"]["Global"]) == limits.DENIED_OF_CLUSTER
    assert set(denied["Queue"]["Global"]) == limits.DENIED_OF_QUEUE
    assert set(denied["ComputeResource"]["Global"]) == limits.DENIED_OF_GROUP
    assert {key: theirs[key] for key in ours} == ours
    assert {
        ("persistent-1", "ssd"): tuple(tiers["PERSISTENT_1"]),
        ("persistent-1", "hdd"): tuple(tiers["HDD"]),
        ("persistent-2", "ssd"): tuple(tiers["PERSISTENT_2"]),
    } == limits.LUSTRE_TIERS


def test_a_system_without_a_driver_for_gb200_is_not_named(answers: Mapping[str, Answers]) -> None:
    theirs = next(iter(answers.values())).limits
    allowed = set(theirs["operating_systems"]) - set(theirs["operating_systems_not_for_gb200"])
    (code,) = [rule.code for rule in OF_PARALLELCLUSTER if rule.code.code == "PCL008"]
    (hint,) = [
        d.hint
        for d in load_cluster("p6e-gb200", further=OF_PARALLELCLUSTER).diagnostics
        if d.code == code.code
    ]
    assert {name for name in theirs["operating_systems"] if name in hint} == allowed
