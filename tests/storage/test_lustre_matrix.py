"""Every combination of deployment, storage, throughput, EFA, capacity and links, against AWS's tables."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from config.cluster import load_cluster
from config.design.build import design
from config.design.model import Design
from config.diagnostics import Severity
from config.profile.model import Profile
from config.profile.storage.tiers import Storage
from config.rules.codes import RULES

# the tables of the service, written down a second time: what the catalogue has must not vouch for itself.
# https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html (StorageCapacity) and
# API_CreateFileSystemLustreConfiguration.html; https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html
SMALL = {1200, 2400}
STEPS: dict[tuple[str, str], dict[int | None, int]] = {
    ("scratch-2", "ssd"): {None: 2400},
    ("persistent-1", "ssd"): {50: 2400, 100: 2400, 200: 2400},
    ("persistent-1", "hdd"): {12: 6000, 40: 1800},
    ("persistent-2", "ssd"): {125: 2400, 250: 2400, 500: 2400, 1000: 2400},
}
EFA_STEPS: dict[int | None, int] = {125: 38400, 250: 19200, 500: 9600, 1000: 4800}

DEPLOYMENTS = ("scratch-2", "persistent-1", "persistent-2")
STORAGES = ("ssd", "hdd", "intelligent-tiering")
TIERS = (None, 12, 40, 50, 100, 125, 200, 250, 500, 1000, 2000)
CAPACITIES = (
    None, 600, 1200, 1800, 2400, 3600, 4800, 6000, 7200, 9600, 10000, 12000, 19200, 38400, 48000, 76800,
    115200,
)  # fmt: skip
THROUGHPUTS = (None, 1000, 4000, 6000, 8000, 2000000, 2004000)
LINKS = (0, 1, 8, 9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One combination."""

    deployment: str
    storage: str
    tier: int | None
    efa: bool
    capacity: int | None
    throughput: int | None
    links: int

    @property
    def declared(self) -> dict[str, Any]:
        """The combination as a profile states it, with what its storage wants beside."""
        return {
            "kind": "new",
            "deployment": self.deployment,
            "storage": self.storage,
            "throughput_mbps_per_tib": self.tier,
            "efa": self.efa,
            "capacity_gib": self.capacity,
            "throughput_mbps": self.throughput,
            "drive_cache": True if self.storage == "hdd" else None,
            "read_cache": {"sizing": "none"} if self.storage == "intelligent-tiering" else None,
            "data_repositories": [
                {"path": f"/{i}", "bucket": "new", "import": ["new"]} for i in range(self.links)
            ],
        }

    @property
    def exists(self) -> bool:
        """Whether FSx makes such a file system, by the tables above."""
        if self.links > 8 or (self.efa and self.deployment != "persistent-2"):
            return False
        if self.storage == "intelligent-tiering":
            return (
                self.deployment == "persistent-2"
                and self.tier is None
                and self.capacity is None
                and self.throughput is not None
                and self.throughput % 4000 == 0
                and self.throughput <= 2000000
                and self.links == 0
            )
        steps = EFA_STEPS if self.efa else STEPS.get((self.deployment, self.storage), {})
        if (self.deployment, self.storage) not in STEPS or self.tier not in steps:
            return False
        if self.throughput is not None or self.capacity is None:
            return False
        small = SMALL if self.storage == "ssd" and not self.efa else set()
        return self.capacity in small or self.capacity % steps[self.tier] == 0


def cases(deployments: Sequence[str] = DEPLOYMENTS, storages: Sequence[str] = STORAGES) -> Iterator[Case]:
    for deployment, storage, tier, efa, capacity, throughput, links in itertools.product(
        deployments, storages, TIERS, (False, True), CAPACITIES, THROUGHPUTS, LINKS
    ):
        # a throughput as a whole beside a capacity is one fault, whatever the figures
        if throughput not in (None, 4000) and (capacity is not None or tier is not None):
            continue
        # too many links are refused whatever the rest is
        if links > 1 and capacity not in (1200, 9600, 38400):
            continue
        yield Case(
            deployment=deployment, storage=storage, tier=tier, efa=efa, capacity=capacity,
            throughput=throughput, links=links,
        )  # fmt: skip


OF_STORAGE = [
    rule
    for rule in RULES
    if rule.code.code.startswith(("LUS", "DRA")) and rule.code.severity is Severity.ERROR
]


def base(name: str) -> Design:
    found = load_cluster(name).design
    assert found
    return found


def errors(profile: Profile, case: Case) -> list[str]:
    storage = Storage.model_validate({"lustre": {k: v for k, v in case.declared.items() if v is not None}})
    made = design(profile.model_copy(update={"storage": storage}))
    return [rule.code.code for rule in OF_STORAGE for _ in rule.check(made)]


@pytest.mark.sample(3)
@pytest.mark.parametrize("deployment", DEPLOYMENTS)
@pytest.mark.parametrize("storage", STORAGES)
def test_a_file_system_is_accepted_exactly_where_the_tables_have_it(deployment: str, storage: str) -> None:
    # a data profile has the file system alone: a cluster around it would be designed 16,000 times over
    profile = base("p6-b200-data").profile
    seen = {True: 0, False: 0}
    for case in cases([deployment], [storage]):
        found = errors(profile, case)
        assert (not found) is case.exists, (case, found)
        seen[case.exists] += 1
    exist = (deployment, storage) in STEPS or (deployment, storage) == ("persistent-2", "intelligent-tiering")
    assert bool(seen[True]) is exist
    assert seen[False]


def test_the_tables_have_every_kind_with_and_without_efa_and_links() -> None:
    accepted = {(c.deployment, c.storage, c.efa, c.links > 0) for c in cases() if c.exists}
    assert accepted == {
        ("scratch-2", "ssd", False, False), ("scratch-2", "ssd", False, True),
        ("persistent-1", "ssd", False, False), ("persistent-1", "ssd", False, True),
        ("persistent-1", "hdd", False, False), ("persistent-1", "hdd", False, True),
        ("persistent-2", "ssd", False, False), ("persistent-2", "ssd", False, True),
        ("persistent-2", "ssd", True, False), ("persistent-2", "ssd", True, True),
        ("persistent-2", "intelligent-tiering", False, False),
        ("persistent-2", "intelligent-tiering", True, False),
    }  # fmt: skip


def test_what_is_accepted_is_planned_with_its_servers_and_throughput() -> None:
    profile = base("p6-b200").profile
    for case in cases():
        if not case.exists or case.links:
            continue
        storage = Storage.model_validate(
            {"lustre": {k: v for k, v in case.declared.items() if v is not None}}
        )
        plan = design(profile.model_copy(update={"storage": storage})).lustre
        assert plan, case
        assert plan.object_servers >= 1
        assert plan.addresses == plan.object_servers + plan.metadata_servers
        if case.throughput:
            assert plan.throughput_mbps == case.throughput
        else:
            tier = case.tier or 200
            assert plan.throughput_mbps == (case.capacity or 0) / 1024 * tier
