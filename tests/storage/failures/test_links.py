"""Public failures of links to S3: each is made and changed alone, and nobody waits for a long one."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from config.catalog import catalog
from config.profile.source.reference import built_in_names
from tests.conftest import Synthesized
from tests.review.support import actions, reviewed
from tests.rules.planting import Check, errors
from tests.storage.failures.storages import (
    ALL_EVENTS,
    BUCKET,
    CLUSTER,
    LINK,
    PROFILES,
    SYSTEM,
    Data,
    configuration,
    linked,
    linked_systems,
    links_of,
    profile,
    waits_for,
)

pytestmark = pytest.mark.synth
StackOf = Callable[[str], Synthesized]

every_stack = pytest.mark.parametrize("name", [*built_in_names(), *PROFILES])
LINKED = linked_systems()
every_linked_kind = pytest.mark.parametrize("system", LINKED.values(), ids=LINKED)


def text_of(lustre: Data, **more: object) -> str:
    return yaml.safe_dump(profile("mine", {"main": lustre}, **more))


def chain_of(found: dict[str, Data]) -> list[str]:
    """Links in the order in which they are made; fails where two of them may be made at once."""
    waits = {key: set(link.get("DependsOn", [])) & found.keys() for key, link in found.items()}
    order = sorted(found, key=lambda key: len([k for k in found if k in closure(waits, key)]))
    for before, after in pairwise(order):
        assert before in waits[after], f"{before} and {after} may be made at once"
    return order


def closure(waits: dict[str, set[str]], key: str) -> set[str]:
    return waits[key].union(*(closure(waits, before) for before in waits[key]))


@every_stack
def test_storage_04_links_of_each_file_system_are_made_one_after_another(
    name: str, stack_of: StackOf
) -> None:
    stack = stack_of(name)
    chains = [chain_of(links_of(stack, system)) for system in stack.resources(SYSTEM)]
    assert sorted(key for chain in chains for key in chain) == sorted(stack.resources(LINK))


def test_storage_04_every_kind_that_takes_links_is_looked_at_with_several(stack_of: StackOf) -> None:
    stack = stack_of("linked")
    kinds = [kind for kind in catalog().lustre.kinds if kind.data_repositories]
    seen = {
        (configuration(system)["DeploymentType"], system["Properties"]["StorageType"])
        for system in linked(stack).values()
    }
    assert seen == {(k.deployment.replace("-", "_").upper(), k.storage.upper()) for k in kinds}
    assert {len(links_of(stack, system)) for system in linked(stack)} == {5}


def other_events(links: list[Data]) -> None:
    links[0]["import"] = ["new"]


def one_more_before_all(links: list[Data]) -> None:
    links.insert(0, {"path": "/added", "bucket": "my-added-data", "import": ["new"]})


def one_taken_out(links: list[Data]) -> None:
    del links[0]


def another_order(links: list[Data]) -> None:
    links.reverse()


UPDATES: dict[Callable[[list[Data]], None], dict[str, str]] = {
    other_events: {"/datasets": "in-place"},
    one_more_before_all: {"/added": "add"},
    one_taken_out: {"/datasets": "delete"},
    another_order: {},
}


@pytest.mark.sample(1)
@pytest.mark.parametrize(("update", "expected"), UPDATES.items(), ids=lambda u: getattr(u, "__name__", ""))
def test_storage_05_an_update_of_one_link_touches_no_other(
    update: Callable[[list[Data]], None],
    expected: dict[str, str],
    stack_of: StackOf,
    synthesized: StackOf,
    tmp_path: Path,
) -> None:
    systems = copy.deepcopy(linked_systems())
    for system in systems.values():
        update(system["data_repositories"])
    file = tmp_path / "after.yaml"
    file.write_text(yaml.safe_dump(profile("linked", systems)), encoding="utf-8")
    before, after = stack_of("linked"), synthesized(str(file))
    changed = {
        key: action
        for key, action in actions(
            reviewed(before.template["Resources"], after.template["Resources"])
        ).items()
        if action != "untouched"
    }
    both = {**before.resources(LINK), **after.resources(LINK)}
    touched = [
        (both[key]["Properties"]["FileSystemPath"], did) for key, did in changed.items() if key in both
    ]
    assert sorted(touched) == sorted(list(expected.items()) * len(systems))
    assert not {SYSTEM, CLUSTER} & {before.template["Resources"].get(key, {}).get("Type") for key in changed}


@pytest.mark.parametrize(
    "facts", [{"bucket": "my-data"}, {"bucket": "my-data", "bucket_account": "123456789012"}]
)
@every_linked_kind
def test_storage_07_what_a_bucket_must_allow_is_reported_every_one_that_exists(
    system: Data, facts: Data, check: Check
) -> None:
    link = {"path": "/a", "import": ["new"], **facts}
    cluster = check(text_of({**system, "data_repositories": [link]}))
    (reported,) = [d for d in cluster.diagnostics if d.code == "DRA007"]
    assert reported.path == "storage.lustre.data_repositories[0].bucket"
    assert "my-data" in reported.message
    own = check(text_of({**system, "data_repositories": [{**link, "bucket": "new"}]}))
    assert "DRA007" not in {d.code for d in own.diagnostics}


@pytest.mark.parametrize(
    "way", [{"import": ["new"]}, {"import_metadata_on_create": True}, {"import_by_task": True}], ids=str
)
@every_linked_kind
def test_storage_07_no_import_comes_from_another_region(system: Data, way: Data, check: Check) -> None:
    link = {"path": "/a", "bucket": "my-data", "export": ["new"]}
    far = {**link, "bucket_region": "eu-west-1"}
    assert "DRA013" in errors(check(text_of({**system, "data_repositories": [{**far, **way}]})))
    assert errors(check(text_of({**system, "data_repositories": [far]}))) == set()
    assert errors(check(text_of({**system, "data_repositories": [{**link, **way}]}))) == set()


@every_stack
def test_storage_07_the_key_of_every_linked_bucket_lets_fsx_use_it(name: str, stack_of: StackOf) -> None:
    stack = stack_of(name)
    places = [json.dumps(link["Properties"]["DataRepositoryPath"]) for link in stack.resources(LINK).values()]
    own = {
        key: b for key, b in stack.resources(BUCKET).items() if any(f'"{key}"' in place for place in places)
    }
    for bucket in own.values():
        (encryption,) = bucket["Properties"]["BucketEncryption"]["ServerSideEncryptionConfiguration"]
        key = encryption["ServerSideEncryptionByDefault"]["KMSMasterKeyID"]["Fn::GetAtt"][0]
        statements = stack.template["Resources"][key]["Properties"]["KeyPolicy"]["Statement"]
        (lets_in,) = [s for s in statements if "s3.data-source.lustre.fsx" in json.dumps(s)]
        assert lets_in["Effect"] == "Allow"
        granted = {action.partition(":")[2] for action in lets_in["Action"]}
        assert {"Encrypt", "Decrypt", "ReEncrypt*", "GenerateDataKey*", "DescribeKey"} <= granted


@pytest.mark.parametrize("key", ["export_path", "auto_export", "export", "import_path", "auto_import_policy"])
@every_linked_kind
def test_storage_08_11_what_a_file_system_exports_stands_in_its_links_alone(
    system: Data, key: str, check: Check
) -> None:
    cluster = check(text_of({**system, key: "s3://my-data"}))
    assert [d.path for d in cluster.diagnostics if d.code == "PRO010"] == [f"storage.lustre.{key}"]


@every_stack
def test_storage_08_every_export_of_a_profile_is_one_of_a_link(name: str, stack_of: StackOf) -> None:
    exporting = {"/checkpoints", "/results/runs"}
    for link in stack_of(name).resources(LINK).values():
        policies, path = link["Properties"]["S3"], link["Properties"]["FileSystemPath"]
        assert ("AutoExportPolicy" in policies) == (path in exporting), path
        assert all(policy["Events"] for policy in policies.values())


@pytest.mark.parametrize("moves", [{}, {"import": []}, {"export": []}], ids=str)
@every_linked_kind
def test_storage_08_a_link_that_moves_nothing_is_reported(system: Data, moves: Data, check: Check) -> None:
    def reported(link: Data) -> set[str]:
        return {d.code for d in check(text_of({**system, "data_repositories": [link]})).diagnostics}

    assert "DRA005" in reported({"path": "/a", "bucket": "new", **moves})
    assert "DRA005" not in reported({"path": "/a", "bucket": "new", "export": ALL_EVENTS})


@every_stack
def test_storage_17_nothing_waits_for_a_link_that_lists_its_bucket(name: str, stack_of: StackOf) -> None:
    stack = stack_of(name)
    listing = {
        key
        for key, link in stack.resources(LINK).items()
        if link["Properties"]["BatchImportMetaDataOnCreate"]
    }
    for key, resource in stack.template["Resources"].items():
        if resource["Type"] != LINK:
            assert not waits_for(stack, key) & listing, key
    # nor do the links that nodes wait for come after one
    for system in stack.resources(SYSTEM):
        chain = chain_of(links_of(stack, system))
        assert chain == sorted(chain, key=lambda key: key in listing)


def test_storage_17_a_bucket_is_listed_at_creation_only_where_a_profile_says_so(stack_of: StackOf) -> None:
    for name in (*built_in_names(), *PROFILES):
        for link in stack_of(name).resources(LINK).values():
            asked = link["Properties"]["FileSystemPath"] == "/listed"
            assert link["Properties"]["BatchImportMetaDataOnCreate"] is asked


@pytest.mark.parametrize(
    ("bucket", "rejected"), [("cdk-hnb659fds-assets-123456789012-us-west-2", True), ("my-data", False)]
)
def test_storage_43_files_are_not_exported_to_the_node_scripts(
    bucket: str, rejected: bool, check: Check
) -> None:
    link = f"{{path: /a, bucket: {bucket}, export: [deleted]}}"
    found = check(f"extends: p6-b200\nname: mine\nstorage: {{lustre: {{data_repositories: [{link}]}}}}\n")
    assert ("DRA018" in errors(found)) == rejected
