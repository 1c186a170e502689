"""What a deployment waits for: the forecast of a design is its template's, and every wait has a reason."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.catalog.durations import LONGER, durations
from config.cluster import load_cluster
from config.design.deployment.timing import Timed, longest_s, total_s
from config.design.report.deployment import deployment_report
from config.profile.source.reference import built_in_names
from scripts.cloud.template.document import Template
from scripts.cloud.template.timing import slow_steps, slow_waits
from scripts.tools.fuzz.checks.templates import check_timing
from tests.conftest import Synthesized
from tests.profile.built_in import accepted
from tests.stack import storage_profiles

pytestmark = pytest.mark.synth

HERE = Path(__file__).parent
SYSTEM = {"name": "tools", "role": "system", "instance_type": "m5.4xlarge", "count": 2}
TRAIN = {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 4}
MIRROR = {"kind": "registry", "registry": "123456789012.dkr.ecr.us-west-2.amazonaws.com/charts"}
NETWORK = {"kind": "new", "vpc_cidr": "10.0.0.0/16", "secondary_zones": ["usw2-az1"]}
CLOSED = {"network": {**NETWORK, "closed": True}, "observability": None}
SQUASH = {"uid": 65534, "gid": 65534}
LINK = {"path": "/checkpoints", "bucket": "new", "export": ["new"]}


def lustre(**more: Any) -> dict[str, Any]:
    return {"kind": "new", "throughput_mbps_per_tib": 500, "capacity_gib": 9600, "efa": True, **more}


VARIANTS: dict[str, dict[str, Any]] = {
    "home": {"storage": {"lustre": None, "home": {"kind": "new", "users": 20}}},
    "without-links": {"storage": {"lustre": lustre(data_repositories=[])}},
    "accounting": {
        "orchestrator": {"provisioning": "continuous", "accounting": {"kind": "new", "standby": True}},
        "storage": {"lustre": None},
    },
    "express": {"availability_zone_id": "usw2-az1", "network": {**NETWORK, "secondary_zones": ["usw2-az2"]},
                "storage": {"s3_express": {}}},
    "several": {
        "storage": {
            "lustre": lustre(root_squash=SQUASH),
            "additional_lustre": [
                {"kind": "new", "name": "scratch", "deployment": "scratch-2", "capacity_gib": 1200,
                 "mount_path": "/scratch", "data_repositories": [LINK]},
            ],
            "home": {"kind": "new", "users": 40},
        },
    },
    "closed": CLOSED,
    "closed-eks": {**CLOSED, "orchestrator": {"kind": "eks", "charts": MIRROR},
                   "compute": {"groups": [TRAIN, SYSTEM]}},
    "eks": {"orchestrator": {"kind": "eks"}, "compute": {"groups": [TRAIN, SYSTEM]},
            "storage": {"lustre": lustre(data_repositories=[LINK])}},
    "karpenter": {
        "availability_zone_id": "usw2-az1",
        "network": {**NETWORK, "secondary_zones": ["usw2-az2"]},
        "orchestrator": {"kind": "eks", "karpenter": {"groups": [{"name": "train"}]}},
        "compute": {"groups": [SYSTEM, TRAIN]},
        "storage": {"home": {"kind": "new", "users": 10}, "s3_express": {},
                    "mountpoints": [{"name": "fast", "bucket": "s3-express"}]},
    },
    "volcano": {"orchestrator": {"kind": "eks", "scheduler": "volcano"},
                "compute": {"groups": [TRAIN, SYSTEM]}},
    "queues": {"orchestrator": {"kind": "pcs"},
               "compute": {"groups": [TRAIN, {**TRAIN, "name": "more", "scaling": "dynamic"}]}},
    "squashed-eks": {"orchestrator": {"kind": "eks"}, "compute": {"groups": [TRAIN, SYSTEM]},
                     "storage": {"lustre": lustre(root_squash=SQUASH, data_repositories=[])}},
    "squashed-hyperpod": {"orchestrator": {"kind": "hyperpod-eks"}, "compute": {"groups": [TRAIN, SYSTEM]},
                          "storage": {"lustre": lustre(root_squash=SQUASH)}},
    "squashed-pcs": {"orchestrator": {"kind": "pcs"}, "compute": {"groups": [TRAIN]},
                     "storage": {"lustre": lustre(root_squash=SQUASH)}},
    "disposable": {"disposable": True},
}  # fmt: skip
ROWS = [
    *(("storage", row) for row in storage_profiles.PROFILES),
    *(("hyperpod_eks", row) for row in ("everything", "karpenter", "customer")),
    *(("hyperpod", row) for row in ("everything", "bootstrap", "customer", "people")),
]
Tried = Callable[[str, str | None], Synthesized]


def cases() -> list[Any]:
    """Every built-in profile under every control plane that it can have, then the variants."""
    found: list[Any] = []
    for name in built_in_names():
        kinds = [None, *(kind for profile, kind in accepted() if profile == name)]
        found += [pytest.param(name, kind, id=f"{name}-{kind}") for kind in kinds]
    found += [pytest.param(f"variant {name}", None, id=name) for name in VARIANTS]
    return [*found, *(pytest.param(f"{table} {row}", None, id=f"{table}-{row}") for table, row in ROWS)]


@pytest.fixture(scope="module")
def profile_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """The name or file of a case."""
    folder = tmp_path_factory.mktemp("variants")

    def of(case: str) -> str:
        table, _, name = case.partition(" ")
        if not name:
            return case
        declared = _declared(table, name)
        file = folder / f"{declared['name']}.yaml"
        (folder / "setup.sh").write_text("#!/usr/bin/env bash\necho mine\n", encoding="utf-8")
        file.write_text(yaml.safe_dump(declared, sort_keys=False), encoding="utf-8")
        return str(file)

    return of


def _declared(table: str, name: str) -> dict[str, Any]:
    if table == "storage":
        return storage_profiles.profile(name)
    if table == "variant":
        return {"extends": "p6-b200", "name": name, **VARIANTS[name]}
    rows = yaml.safe_load((HERE / f"{table}_profiles.yaml").read_text(encoding="utf-8"))
    row = rows[name]
    if table == "hyperpod_eks":
        row = {**row, "orchestrator": {"kind": "hyperpod-eks", **row["orchestrator"]}}
    return {"extends": "p6-b200", "name": f"{table}-{name}".replace("_", "-"), **row}


@pytest.mark.sample(8)
@pytest.mark.parametrize(("case", "kind"), cases())
def test_the_forecast_is_what_the_template_says(
    case: str, kind: str | None, profile_of: Callable[[str], str], tried: Tried
) -> None:
    name = profile_of(case)
    design = load_cluster(name, orchestrator=kind).design
    assert design is not None
    template = Template.parse(tried(name, kind).text)
    assert [finding.observed for finding in check_timing(design, template)] == []
    made, report = slow_steps(template), deployment_report(design)
    assert (report is None) == (not made)
    if report is None:
        return
    assert (report.total_s, report.longest_s) == (total_s(made), longest_s(made))
    foreseen = [(step.resource, step.begin_s, step.end_s) for step in report.path]
    assert foreseen == [(step.type, step.begin_s, step.end_s) for step in made if step.critical]


def chain_of(steps: tuple[Timed, ...]) -> tuple[str, ...]:
    """The types on the critical path that matter, a twentieth of it at least; several alike once."""
    least = total_s(steps) / 20
    types = (step.type for step in steps if step.critical and step.end_s - step.begin_s >= least)
    return tuple(kind for kind, _ in groupby(types))


def test_nothing_takes_longer_than_its_longest_resource_without_a_reason(
    profile_of: Callable[[str], str], tried: Tried
) -> None:
    """And no reason is given that nothing has: for a long chain, or for a wait."""
    longer: dict[tuple[str, ...], float] = {}
    waits: set[tuple[str, str]] = set()
    for case in cases():
        name, kind = case.values
        template = Template.parse(tried(profile_of(name), kind).text)
        steps = slow_steps(template)
        ratio = total_s(steps) / longest_s(steps) if longest_s(steps) else 1
        if ratio > LONGER:
            longer[chain_of(steps)] = ratio
        waits |= {(of, on) for _, _, of, on in slow_waits(template)}
    assert set(longer) == set(durations().longer), longer
    assert waits == set(durations().waits)


def test_each_wait_is_between_two_things_that_are_there(tried: Tried) -> None:
    template = Template.parse(tried("p6-b200", "eks").text)
    named = {name for name, *_ in slow_waits(template)} | {other for _, other, *_ in slow_waits(template)}
    assert named <= set(template.resources)
    assert not any(name == other for name, other, *_ in slow_waits(template))
