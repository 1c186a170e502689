"""Public failures of changes to Lustre file systems: they grow in steps that the service takes, and stay."""

from __future__ import annotations

import copy
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from config.catalog import catalog
from config.profile.source.reference import built_in_names
from config.review.stateful import STATEFUL
from scripts.cloud.template.effects import Effect
from scripts.cloud.template.schema import is_create_only
from tests.conftest import Synthesized
from tests.review.support import reviewed
from tests.rules.planting import Check, Data, errors
from tests.storage.failures.storages import (
    PROFILES,
    RULES,
    SYSTEM,
    configuration,
    existing_systems,
    file_system,
    named,
    profile,
    waits_for,
    written,
)

pytestmark = pytest.mark.synth
StackOf = Callable[[str], Synthesized]

FACTS = catalog().lustre
every_stack = pytest.mark.parametrize("name", [*built_in_names(), *PROFILES])
GROWTH = list(pairwise([1200, 2400, 4800, 9600, 12000, 48000, 72000]))
IOPS = FACTS.automatic_metadata_iops
growing = pytest.mark.parametrize(
    ("small", "large"), [(small, large) for small, large in GROWTH if IOPS(small) < IOPS(large)]
)


def changed(stack: Synthesized, key: str, change: Callable[[Data], object]) -> Data:
    """The resources of a stack with the properties of one of them changed."""
    resources: Data = {**stack.template["Resources"], key: copy.deepcopy(stack.template["Resources"][key])}
    change(resources[key]["Properties"])
    return resources


def provisioned(capacity_gib: int, iops: int) -> Data:
    """A persistent-2 file system with metadata IOPS of its own."""
    kind = FACTS.kind("persistent-2", "ssd")
    assert kind
    own = {"throughput_mbps_per_tib": 125, "capacity_gib": capacity_gib, "metadata_iops": iops}
    return {**file_system(kind), **own}


def system_of(capacity_gib: int, iops: int | None) -> Data:
    """The same as a resource; None: automatic."""
    metadata: Data = {"Mode": "AUTOMATIC"} if iops is None else {"Mode": "USER_PROVISIONED", "Iops": iops}
    lustre: Data = {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 125}
    properties = {
        "FileSystemType": "LUSTRE",
        "FileSystemTypeVersion": "2.15",
        "StorageCapacity": capacity_gib,
        "SubnetIds": ["subnet-0123456789abcdef0"],
        "LustreConfiguration": {**lustre, "MetadataConfiguration": metadata},
    }
    kept = {"DeletionPolicy": "Retain", "UpdateReplacePolicy": "Retain"}
    return {"Files": {"Type": SYSTEM, **kept, "Properties": properties}}


def review_of(old: Data, new: Data) -> set[str]:
    return {d.code for d in reviewed(old, new).diagnostics if d.severity == "error"}


@growing
def test_storage_10_more_capacity_is_refused_while_metadata_iops_are_those_of_less(
    small: int, large: int, check: Check
) -> None:
    least, wanted = IOPS(small), IOPS(large)

    def reported(capacity_gib: int, iops: int) -> set[str]:
        return errors(check(written(profile("mine", {"main": provisioned(capacity_gib, iops)}))))

    assert reported(small, least) == set()
    assert reported(large, least) == {"LUS004"}
    assert reported(large, wanted) == set()
    assert "LUS004" in review_of(system_of(small, least), system_of(large, least))


@growing
def test_storage_10_metadata_iops_grow_in_a_deployment_before_the_capacity(small: int, large: int) -> None:
    least, wanted = IOPS(small), IOPS(large)
    at_once = reviewed(system_of(small, least), system_of(large, wanted))
    (reported,) = [d for d in at_once.diagnostics if d.code == "REV010"]
    assert "metadata IOPS first" in reported.hint
    assert "6 hours" in reported.hint
    assert review_of(system_of(small, least), system_of(small, wanted)) == set()
    assert review_of(system_of(small, wanted), system_of(large, wanted)) == set()
    assert review_of(system_of(small, None), system_of(large, None)) == set()


def test_storage_10_metadata_iops_above_the_automatic_value_do_not_become_automatic() -> None:
    for capacity in (1200, 9600, 48000):
        automatic = IOPS(capacity)
        more = FACTS.enough_metadata_iops(automatic + 1, capacity)
        assert review_of(system_of(capacity, more), system_of(capacity, None)) == {"REV010"}
        assert review_of(system_of(capacity, automatic), system_of(capacity, None)) == set()


@every_stack
def test_storage_18_a_file_system_comes_after_every_rule_of_its_group_and_of_the_nodes(
    name: str, stack_of: StackOf
) -> None:
    stack = stack_of(name)
    rules = {key: rule["Properties"] for kind in RULES for key, rule in stack.resources(kind).items()}
    nodes = {key for key in stack.resources("AWS::EC2::SecurityGroup") if key.startswith("NetworkNodes")}
    for key, system in stack.resources(SYSTEM).items():
        own = set(named(system["Properties"]["SecurityGroupIds"]))
        assert len(own) == 1
        # rules of the nodes with others (endpoints, file systems that exist) are none of its business
        needed = {k for k, rule in rules.items() if groups_of(rule) <= own | nodes}
        assert {group for k in needed for group in groups_of(rules[k])} == own | nodes
        assert needed <= set(system["DependsOn"]), key


def groups_of(rule: Data) -> set[str]:
    """The security groups of a rule, by logical id or id."""
    return {group for key, value in rule.items() if key.endswith("GroupId") for group in sides(value)}


PORTS = {(988, 988), (1018, 1023)}


@pytest.mark.parametrize("name", list(PROFILES))
def test_storage_18_each_file_system_lets_lustre_through_by_group_ids_both_ways(
    name: str, stack_of: StackOf
) -> None:
    stack = stack_of(name)
    for key, system in stack.resources(SYSTEM).items():
        (own,) = named(system["Properties"]["SecurityGroupIds"])
        efa = configuration(system).get("EfaEnabled", False)
        for kind, peer in zip(RULES, ("SourceSecurityGroupId", "DestinationSecurityGroupId"), strict=True):
            inline = stack.template["Resources"][own]["Properties"][kind.removeprefix("AWS::EC2::")]
            beside = [
                rule["Properties"]
                for rule in stack.resources(kind).values()
                if set(named(rule["Properties"]["GroupId"])) == {own}
            ]
            for group in (own, "NetworkNodes23796194"):
                assert_lets_through(
                    [r for r in (*inline, *beside) if set(named(r.get(peer))) == {group}], efa=efa, of=key
                )


def assert_lets_through(rules: list[Data], *, efa: bool, of: str) -> None:
    if efa:
        assert "-1" in {rule["IpProtocol"] for rule in rules}, of
    else:
        open_ports = {
            (rule.get("FromPort"), rule.get("ToPort")) for rule in rules if rule["IpProtocol"] == "tcp"
        }
        assert open_ports >= PORTS, of


def test_storage_18_the_rules_of_one_that_exists_are_added_before_nodes_boot(stack_of: StackOf) -> None:
    stack = stack_of("existing")
    (cluster,) = stack.resources("AWS::SageMaker::Cluster")
    before = waits_for(stack, cluster)
    existing = [system for system in existing_systems().values() if system["kind"] == "existing"]
    assert len(existing) == 2
    for system in existing:
        group = system["security_group_id"]
        for kind, peer in zip(RULES, ("SourceSecurityGroupId", "DestinationSecurityGroupId"), strict=True):
            for own, other in ((group, "NetworkNodes23796194"), ("NetworkNodes23796194", group)):
                found = {
                    key: rule["Properties"]
                    for key, rule in stack.resources(kind).items()
                    if own in sides(rule["Properties"]["GroupId"])
                    and other in sides(rule["Properties"].get(peer))
                }
                assert_lets_through(list(found.values()), efa=system.get("efa", False), of=group)
                assert found.keys() <= before


def sides(value: Any) -> set[str]:
    return {value} if isinstance(value, str) else set(named(value))


@every_stack
def test_storage_20_whatever_keeps_data_outlives_its_stack_and_its_replacement(
    name: str, stack_of: StackOf
) -> None:
    resources = stack_of(name).template["Resources"]
    stateful = {k: r for k, r in resources.items() if r["Type"] in STATEFUL.keys() - GO_WITH_THE_STACK}
    assert stateful
    for key, resource in stateful.items():
        if key.startswith("ObservabilityAlertKey"):  # messages under way, which nobody keeps
            continue
        assert resource["DeletionPolicy"] in ("Retain", "RetainExceptOnCreate"), key
        assert resource["UpdateReplacePolicy"] == "Retain", key


GO_WITH_THE_STACK = {"AWS::Logs::LogGroup", "AWS::Grafana::Workspace"}
"""Their fixed names would stop the next creation, and dashboards are generated."""

FIXED: dict[tuple[str, ...], Any] = {
    ("SubnetIds",): ["subnet-0fffffffffffffff"],
    ("SecurityGroupIds",): ["sg-0fffffffffffffff"],
    ("KmsKeyId",): "arn:aws:kms:us-west-2:123456789012:key/11111111-2222-3333-4444-555555555555",
    ("LustreConfiguration", "DeploymentType"): "SCRATCH_1",
    ("LustreConfiguration", "CopyTagsToBackups"): None,
    ("LustreConfiguration", "EfaEnabled"): None,
    ("StorageType",): "HDD",
}
"""What a file system is made with, and another value; None: the opposite of what it is."""


@pytest.mark.sample(3)
@pytest.mark.parametrize("path", FIXED, ids="/".join)
@pytest.mark.parametrize("name", [*PROFILES, "p6-b200-data", "p5-dev"])
def test_storage_20_a_change_that_would_make_another_file_system_is_an_error_of_the_review(
    name: str, path: tuple[str, ...], stack_of: StackOf
) -> None:
    stack = stack_of(name)
    assert stack.resources(SYSTEM)
    for key, system in stack.resources(SYSTEM).items():
        holder = system["Properties"] if len(path) == 1 else configuration(system)
        value = FIXED[path] if FIXED[path] is not None else not holder.get(path[-1], False)
        if holder.get(path[-1]) == value:
            continue  # hard disks already

        def change(properties: Data, value: Any = value) -> None:
            (properties if len(path) == 1 else properties["LustreConfiguration"])[path[-1]] = value

        found = reviewed(stack.template["Resources"], changed(stack, key, change))
        assert [d for d in found.diagnostics if d.severity == "error" and d.path.startswith(key)], key
        (done,) = [change for change in found.changes if change.logical_id == key]
        effects = {edit.effect for edit in done.edits if edit.path[: len(path)] == path}
        assert effects <= {Effect.REPLACEMENT, Effect.REFUSED}, key


def test_storage_20_every_property_that_only_a_creation_sets_is_among_those() -> None:
    known = {path[0] for path in FIXED}
    for name in ("SubnetIds", "SecurityGroupIds", "KmsKeyId", "FileSystemType", "BackupId"):
        assert is_create_only("us-west-2", SYSTEM, (name,))
        assert name in known | {"FileSystemType", "BackupId"}
