"""Public failures of Lustre file systems: what is fixed at creation is right, and nothing later loses it."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml

from config.catalog import LustreKind, catalog
from config.design.model import Design
from config.design.storage.lustre import LustrePlan
from config.profile.source.reference import built_in_names
from stacks.storage.lustre import resource_name
from tests.conftest import Synthesized
from tests.review.support import codes, reviewed
from tests.rules.planting import Check, Data, codes_of, errors
from tests.storage.failures.storages import (
    LINK,
    PROFILES,
    SYSTEM,
    configuration,
    linked,
    links_of,
    profile,
    variants,
)
from tests.tables import each_row

pytestmark = pytest.mark.synth
StackOf = Callable[[str], Synthesized]
DesignOf = Callable[[str], Design]

LEGACY = ("ImportPath", "ExportPath", "AutoImportPolicy", "ImportedFileChunkSize")
BACKUPS = ("AutomaticBackupRetentionDays", "CopyTagsToBackups", "DailyAutomaticBackupStartTime")
STACKS = [*built_in_names(), *PROFILES]
every_stack = pytest.mark.parametrize("name", STACKS)
VARIANTS = list(variants())
every_variant = pytest.mark.parametrize(
    ("kind", "declared"),
    [(kind, declared) for _, kind, declared in VARIANTS],
    ids=[name for name, _, _ in VARIANTS],
)


def text_of(lustre: Data, **more: Any) -> str:
    return yaml.safe_dump(profile("mine", {"main": lustre}, **more))


def test_the_stacks_have_file_systems_of_every_kind_with_efa_and_without(stack_of: StackOf) -> None:
    seen = {
        (
            configuration(system)["DeploymentType"],
            system["Properties"]["StorageType"],
            configuration(system).get("EfaEnabled", False),
        )
        for name in PROFILES
        for system in stack_of(name).resources(SYSTEM).values()
    }
    wanted = {
        (_constant(kind.deployment), _constant(kind.storage), declared["efa"])
        for _, kind, declared in VARIANTS
    }
    assert seen == wanted


def _constant(word: str) -> str:
    return word.replace("-", "_").upper()


@every_stack
def test_storage_09_no_linked_file_system_has_a_backup_property(name: str, stack_of: StackOf) -> None:
    for system in linked(stack_of(name)).values():
        assert not configuration(system).keys() & set(BACKUPS)


@every_variant
def test_storage_09_backups_beside_links_are_refused_of_every_kind(
    kind: LustreKind, declared: Data, check: Check
) -> None:
    backups = {**declared, "backups": {}}
    link = {"path": "/a", "bucket": "new", "export": ["new"]}
    assert errors(check(text_of({**backups, "data_repositories": [link]}))) >= {"LUS011"}
    assert "LUS011" not in errors(check(text_of(backups)))


@every_stack
def test_storage_09_the_tags_of_a_linked_file_system_are_its_name_and_its_profile(
    name: str, stack_of: StackOf
) -> None:
    for system in linked(stack_of(name)).values():
        tags = {tag["Key"]: tag["Value"] for tag in system["Properties"]["Tags"]}
        assert tags.keys() == {"Name", "ultracluster:profile"}
        assert tags["ultracluster:profile"] == name
        assert re.fullmatch(rf"{name}(-[a-z0-9-]+)?", tags["Name"])


def test_storage_09_a_change_of_tags_is_reported_just_where_links_are(stack_of: StackOf) -> None:
    for name in PROFILES:
        stack = stack_of(name)
        for key in stack.resources(SYSTEM):
            other = changed(stack, key, lambda found: found["Tags"].append({"Key": "at", "Value": "now"}))
            reported = "REV044" in codes(reviewed(stack.template["Resources"], other))
            assert reported == bool(links_of(stack, key)), key


def changed(stack: Synthesized, key: str, change: Callable[[Data], object]) -> Data:
    """The resources of a stack with the properties of one of them changed."""
    resources: Data = {**stack.template["Resources"], key: copy.deepcopy(stack.template["Resources"][key])}
    change(resources[key]["Properties"])
    return resources


@every_stack
def test_storage_11_no_file_system_is_linked_by_itself(name: str, stack_of: StackOf) -> None:
    for system in stack_of(name).resources(SYSTEM).values():
        assert not configuration(system).keys() & set(LEGACY)


@each_row("path", LEGACY)
@every_variant
def test_storage_11_a_path_of_its_own_beside_a_link_is_refused_of_every_kind(
    kind: LustreKind, declared: Data, path: str
) -> None:
    lustre = {"DeploymentType": _constant(kind.deployment)}
    link = {"FileSystemId": "fs-1", "FileSystemPath": "/a", "DataRepositoryPath": "s3://my-data"}

    def reported(**more: str) -> set[str]:
        system = {"FileSystemTypeVersion": "2.15", "LustreConfiguration": {**lustre, **more}}
        alone = {"FileSystemType": "LUSTRE", "StorageType": _constant(kind.storage), **system}
        return codes_of(LINK, link, fs_1=(SYSTEM, system)) | codes_of(SYSTEM, alone)

    legacy = {"LUS012", "DRA010"}
    assert reported(**{path: "s3://my-data"}) & legacy
    assert not reported() & legacy


@every_stack
def test_storage_12_the_version_is_always_stated_and_never_2_10(name: str, stack_of: StackOf) -> None:
    for system in stack_of(name).resources(SYSTEM).values():
        assert system["Properties"]["FileSystemTypeVersion"] in ("2.12", "2.15")


@every_variant
def test_storage_16_no_kind_is_made_or_mounted_with_2_10(
    kind: LustreKind, declared: Data, check: Check
) -> None:
    assert errors(check(text_of({**declared, "version": "2.10"}))) != set()
    assert "2.10" not in kind.versions
    known = {key: value for key, value in declared.items() if key != "read_cache" and key != "drive_cache"}
    ids = {
        "kind": "existing",
        "file_system_id": "fs-0123456789abcdef0",
        "mount_name": "abcdefgh",
        "security_group_id": "sg-0123456789abcdef0",
    }
    found = check(text_of({**known, **ids, "version": "2.10"}))
    assert [d.path for d in found.diagnostics if d.severity == "error"] == ["storage.lustre.version"]


def made(design: Design, stack: Synthesized) -> Iterator[tuple[LustrePlan, Data]]:
    """Every file system that a stack makes, beside its plan."""
    tagged = {
        tag["Value"]: system
        for system in stack.resources(SYSTEM).values()
        for tag in system["Properties"]["Tags"]
        if tag["Key"] == "Name"
    }
    plans = [plan for plan in design.own_file_systems if plan.settings]
    assert len(plans) == len(tagged) == len(stack.resources(SYSTEM))
    return ((plan, tagged[resource_name(design.profile, plan)]) for plan in plans)


@every_stack
def test_storage_13_efa_of_a_plan_reaches_the_file_system_at_a_size_that_efa_takes(
    name: str, stack_of: StackOf, design_of: DesignOf
) -> None:
    for plan, system in made(design_of(name), stack_of(name)):
        assert configuration(system).get("EfaEnabled", False) is plan.efa, plan.name
        capacity, tier = system["Properties"].get("StorageCapacity"), plan.throughput_mbps_per_tib
        if plan.efa and tier:
            assert capacity % catalog().lustre.tiers[tier].efa_capacity_unit_gib == 0, plan.name


@every_variant
def test_storage_13_efa_is_refused_just_of_kinds_that_have_none(
    kind: LustreKind, declared: Data, check: Check
) -> None:
    # the size is that of a file system without EFA, where it is not already one with it
    reported = errors(check(text_of({**declared, "efa": True})))
    assert ("LUS010" in reported) == (not kind.efa)
    assert ("LUS002" in reported) == (kind.efa and bool(kind.tiers) and not declared["efa"])


@every_stack
def test_storage_14_every_persistent_2_that_takes_a_metadata_configuration_is_made_with_one(
    name: str, stack_of: StackOf, design_of: DesignOf
) -> None:
    for plan, system in made(design_of(name), stack_of(name)):
        metadata = configuration(system).get("MetadataConfiguration")
        wanted = plan.kind.deployment == "persistent-2" and plan.version == "2.15"
        assert (metadata is not None) == wanted, plan.name
        if metadata:
            declared = metadata.get("Iops")
            assert (metadata["Mode"] == "AUTOMATIC") == (declared is None)


@pytest.mark.parametrize("version", ["2.12"])
def test_storage_14_efa_without_a_metadata_configuration_is_refused(version: str, check: Check) -> None:
    for _, kind, declared in VARIANTS:
        if declared["efa"]:
            assert "LUS010" in errors(check(text_of({**declared, "version": version}))), kind.name
