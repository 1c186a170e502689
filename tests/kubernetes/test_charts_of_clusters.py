"""Every chart that a cluster installs is pinned, and reads every value that it is given."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import product

import pytest

from config.catalog.kubernetes.charts import charts
from config.design.kubernetes.hyperpod_parts import hyperpod_part
from config.design.kubernetes.scheduler.part import part
from config.design.kubernetes.steps import HYPERPOD, NODES, Manifest, Release, Step, filled
from config.profile.orchestrator import HyperPodEks
from scripts.cloud.kubernetes.schemas import fault_of, is_own
from tests.kubernetes.chart_values import charts_folder, refused, rendered, unknown_values
from tests.kubernetes.component_clusters import Contents, built_in, contents, known
from tests.tables import each_row
from ultracluster.kubernetes.steps import MAX_BYTES, MAX_RELEASE_MINUTES, MAX_TIMEOUT_MINUTES

SCHEDULERS = ("kueue", "volcano", "kai")
KINDS = ("eks", "hyperpod-eks")
PROFILES = ("p5-dev", "p5", "p5e", "p5en", "p6-b200", "p6-b300", "p6e-gb200")
CASES = [(name, kind, "kueue") for name, kind in product(PROFILES, KINDS)] + [
    (name, kind, scheduler)
    for name, kind, scheduler in product(("p6-b200", "p6e-gb200"), KINDS, ("volcano", "kai"))
]
FRAMEWORKS = ["trainer", "leader-worker-set", "jobset"]


@cache
def cluster(name: str, kind: str, scheduler: str) -> tuple[Contents, tuple[Step, ...]]:
    """The components of a built-in profile and its scheduler, with every framework of jobs."""
    declared = {"kind": kind, "scheduler": scheduler, "components": {"training": FRAMEWORKS}}
    tried = built_in(name, kind).design.profile
    groups = [group.model_dump(exclude_unset=True) for group in tried.compute.groups] if tried.compute else []
    compute = [group for group in groups if group.get("role", "compute") == "compute"]
    found = contents(*compute, extends=name, orchestrator=declared)
    steps = [*found.steps, *part(found.orchestrator, found.design.groups).steps]
    if isinstance(found.orchestrator, HyperPodEks):
        steps += hyperpod_part(found.design.profile, found.orchestrator, found.design.groups).steps
    return found, tuple(steps)


def releases(case: tuple[str, str, str]) -> list[Release]:
    return [step for step in cluster(*case)[1] if isinstance(step, Release)]


@each_row("case", CASES, "-".join)
def test_every_chart_is_pinned_and_fits_the_function_that_installs_it(case: tuple[str, str, str]) -> None:
    found = releases(case)
    assert found
    for release in found:
        assert release.chart in charts()
        assert release.timeout_minutes <= (MAX_RELEASE_MINUTES if release.wait else MAX_TIMEOUT_MINUTES)
        assert len(release.name) <= 53


@each_row("case", CASES, "-".join)
def test_every_chart_reads_every_value_that_it_is_given(case: tuple[str, str, str]) -> None:
    assert {r.name: unknown for r in releases(case) if (unknown := unknown_values(r, None))} == {}


@each_row("case", CASES, "-".join)
def test_no_two_charts_of_a_cluster_are_in_conflict_or_install_a_third_twice(
    case: tuple[str, str, str],
) -> None:
    found = {release.chart: release for release in releases(case)}
    inside = Counter(
        other
        for release in found.values()
        for other, bundled in charts()[release.chart].bundles.items()
        if bundled.installed(release.values)
    )
    twice = {name for name, count in (inside + Counter(list(found))).items() if count > 1}
    assert twice == set()
    beside = {(name, other) for name in found for other in charts()[name].conflicts if other in found}
    # the DRA driver beside the device plugin is for compute domains alone
    assert beside <= {("dra-driver-nvidia-gpu", "nvidia-device-plugin")}


@each_row("case", CASES, "-".join)
def test_steps_come_after_steps_that_are_there(case: tuple[str, str, str]) -> None:
    steps = cluster(*case)[1]
    names = [step.name for step in steps]
    assert len(set(names)) == len(names)
    assert {after for step in steps for after in step.after} <= {*names, NODES, HYPERPOD}


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_every_object_is_one_that_the_cluster_takes(case: tuple[str, str, str]) -> None:
    found, steps = cluster(*case)
    version = found.orchestrator.kubernetes_version
    for step in steps:
        for one in filled(step.objects, known) if isinstance(step, Manifest) else ():
            assert fault_of(one, version) is None
            assert len(str(one)) < MAX_BYTES
            if not is_own(one):
                brought = {kind for release in steps if isinstance(release, Release)
                           for kind in charts()[release.chart].brings}  # fmt: skip
                assert f"{one['apiVersion']} {one['kind']}" in brought


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_helm_renders_every_release_to_objects_that_the_cluster_takes(case: tuple[str, str, str]) -> None:
    folder = charts_folder()
    if folder is None:
        pytest.skip("no charts on disk: set ULTRACLUSTER_CHARTS to a folder of them")
    version = cluster(*case)[0].orchestrator.kubernetes_version
    for release in releases(case):
        if (folder / release.chart).is_dir():
            assert unknown_values(release, folder) == [], release.name
            objects = rendered(release, folder, version)
            assert objects, release.name
            assert refused(objects, version) == [], release.name


def test_a_key_with_a_letter_too_few_is_found() -> None:
    wrong = Release(
        name="x",
        chart="hyperpod-helm-chart",
        namespace="kube-system",
        values={"namespaced-role-and-bindings": {"enable": True}},
    )
    assert unknown_values(wrong, None) == ["namespaced-role-and-bindings.enable"]
