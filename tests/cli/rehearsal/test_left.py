"""What a profile leaves is told as it states it again, and found before it is deployed again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.cluster import Cluster
from config.design.model import Design
from config.review.stateful import STATEFUL
from scripts.cli.rehearsal.destroy import Destroyed, Retained
from scripts.cli.rehearsal.paths import forget_paths, published_root
from scripts.cli.rehearsal.remaining import Place, tagged
from scripts.cli.rehearsal.remaining_report import report_remaining
from scripts.cli.rehearsal.reuse import Reuse, links_of, reuse_of
from scripts.cloud.local import local_cloud
from tests.cloud.sandbox import REGION, Sandbox
from tests.storage.deploy.landlord import ALL, DATA, FILE_SYSTEM
from tests.tables import each_row

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

STORAGE: dict[str, Any] = {
    "lustre": {
        "capacity_gib": 9600,
        "gpudirect": True,
        "checkpoint_paths": ["/runs"],
        "data_repositories": [
            {"path": "/datasets", "bucket": "new", "prefix": "tokens", "import": ALL},
            {"path": "/checkpoints", "bucket": "new", "export": ["new"]},
        ],
    },
    "additional_lustre": [
        {"kind": "new", "name": "scratch", "deployment": "scratch-2", "capacity_gib": 1200,
         "mount_path": "/s"},
        {
            "kind": "new", "name": "cold", "storage": "intelligent-tiering", "throughput_mbps": 4000,
            "read_cache": {}, "metadata_iops": 12000, "mount_path": "/cold",
        },
    ],
    "home": {"kind": "new", "users": 20, "mount_path": "/people"},
}  # fmt: skip
FACTS = (
    "kind", "capacity_gib", "throughput_mbps", "efa", "gpudirect", "version", "metadata_iops", "mount_path",
    "striped_paths",
)  # fmt: skip
PROFILE: dict[str, Any] = {
    "extends": "p6-b200-data",
    "name": DATA,
    "availability_zone_id": "usw2-az1",
    "network": {"secondary_zones": ["usw2-az2"]},
    "storage": STORAGE,
}


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with local_cloud() as cloud:
        yield Sandbox(cloud, tmp_path)


def place_of(sandbox: Sandbox, cluster: Cluster) -> Place:
    return Place(target=sandbox.place, region=REGION, profile=DATA, design=cluster.design)


def put_in(block: str) -> dict[str, Any]:
    """The profile with the block in the place of the same keys, as a user pastes it."""
    pasted = yaml.safe_load(block)
    return {**PROFILE, **pasted, "storage": {**STORAGE, **pasted["storage"]}}


@pytest.fixture
def torn_down(sandbox: Sandbox) -> Reuse:
    """What is said after the profile was deployed and torn down."""
    cluster = sandbox.load(PROFILE)
    sandbox.deploy(PROFILE)
    place, assembly = place_of(sandbox, cluster), sandbox.assembly(cluster)
    systems = tagged(place)
    links = links_of(place, [system["FileSystemId"] for system in systems])
    root = published_root(sandbox.place, assembly)
    sandbox.delete(DATA)
    forget_paths(sandbox.place, assembly, root)
    return reuse_of(place, systems, links)


@pytest.mark.long
def test_what_is_left_is_reported_before_an_empty_one_is_made_and_taken_where_it_is_pasted(
    sandbox: Sandbox, torn_down: Reuse, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = sandbox.load(PROFILE)
    ids = {system["FileSystemId"] for system in tagged(place_of(sandbox, cluster))}
    report_remaining(sandbox.assembly(cluster), sandbox.place, cluster.design)
    reported = capsys.readouterr().err
    assert all(identity in reported for identity in ids)
    assert "this deployment creates a new, empty file system" in reported
    assert "  buckets of data: " in reported
    assert "data-storagebucketdatasets" in reported
    # the same block, by the tags alone
    assert torn_down.profile in "\n".join(line.removeprefix("  ") for line in reported.splitlines()) + "\n"

    pasted = put_in(torn_down.profile)
    sandbox.deploy(pasted)
    assert sandbox.ids(DATA, FILE_SYSTEM) == {}
    assert {s["FileSystemId"] for s in tagged(place_of(sandbox, cluster))} == ids
    assert_nodes_find_the_same(cluster.design, sandbox.load(pasted).design)
    # and then there is nothing to tell, nor while the stack has them
    taken = sandbox.load(pasted)
    report_remaining(sandbox.assembly(taken), sandbox.place, taken.design)
    assert capsys.readouterr().err == ""


def assert_nodes_find_the_same(before: Design | None, after: Design | None) -> None:
    assert before
    assert after
    new = {system.name: system for system in after.own_file_systems}
    for system in before.own_file_systems:
        for fact in FACTS:
            assert getattr(new[system.name], fact) == getattr(system, fact), (system.name, fact)
    assert before.home
    assert after.home
    assert after.home.mount_path == before.home.mount_path == "/people"


@pytest.mark.long
def test_a_stack_that_has_its_file_systems_leaves_nothing_to_tell(
    sandbox: Sandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    cluster = sandbox.load(PROFILE)
    for _ in range(2):
        report_remaining(sandbox.assembly(cluster), sandbox.place, cluster.design)
        assert capsys.readouterr().err == ""
        sandbox.deploy(PROFILE)


@pytest.mark.long
def test_links_are_reported_as_a_command_for_the_same_file_system_and_as_keys_for_a_new_one(
    sandbox: Sandbox, torn_down: Reuse
) -> None:
    out, datasets = torn_down.links
    assert "--file-system-path /checkpoints" in out
    assert out.endswith("--s3 'AutoExportPolicy={Events=[NEW]}'")
    assert "/tokens --s3 'AutoImportPolicy={Events=[" in datasets
    assert torn_down.repositories
    (block,) = torn_down.repositories.values()
    lustre = {**STORAGE["lustre"], **yaml.safe_load(block)}
    design = sandbox.load({**PROFILE, "storage": {**STORAGE, "lustre": lustre}}).design
    assert design
    assert {(link.path, link.prefix) for link in design.own_file_systems[0].repositories} == {
        ("/datasets", "tokens"),
        ("/checkpoints", ""),
    }
    assert all(link.bucket for link in design.own_file_systems[0].repositories)
    kept = (
        Retained("StorageLustre", FILE_SYSTEM, "fs-0123456789abcdef0"),
        Retained("Vpc", "AWS::EC2::VPC", "vpc-1"),
    )
    text = Destroyed(DATA, REGION, kept, torn_down).as_text(bills=True)
    assert text.startswith("data is destroyed; 2 resources retained; retained data is still billed\n")
    assert f"  {FILE_SYSTEM}  fs-0123456789abcdef0  (StorageLustre)" in text
    assert torn_down.profile in text
    assert "to the private subnets before nodes boot in them" in " ".join(text.split())
    assert out in text


@each_row("kind", STATEFUL)
def test_whatever_keeps_a_state_is_listed_by_its_id_when_it_stays(kind: str) -> None:
    subnets = [Retained(f"Subnet{n}", "AWS::EC2::Subnet", f"subnet-{n}") for n in "ab"]
    kept = (Retained("Thing", kind, "its-id"), *subnets)
    reported = Destroyed("mine", REGION, kept, Reuse()).as_text(bills=True).splitlines()
    assert reported[1].split() == [kind, "its-id", "(Thing)"]
    assert reported[2].strip() == "and resources that this data depends on: 2 Subnet"
