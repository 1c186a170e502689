"""Public failures of who reaches storage and who makes it: roles, images, claims, linked buckets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config.catalog import catalog
from config.design.model import Design
from config.profile.source.reference import built_in_names
from tests.conftest import Synthesized
from tests.rules.planting import Data, codes_of
from tests.storage.failures.storages import BUCKET, CLUSTER, LINK, PROFILES, SYSTEM, named, waits_for

pytestmark = pytest.mark.synth
StackOf = Callable[[str], Synthesized]
DesignOf = Callable[[str], Design]

every_stack = pytest.mark.parametrize("name", [*built_in_names(), *PROFILES])
OBJECT_ACTIONS = ("s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload")
IMAGES = sorted({image for row in catalog().instances.values() for image in row.eks_ami_types})


def granted(stack: Synthesized) -> Iterator[Data]:
    """Every statement of every role and policy that allows something."""
    for kind in ("AWS::IAM::Role", "AWS::IAM::Policy", "AWS::IAM::ManagedPolicy"):
        for resource in stack.resources(kind).values():
            properties = resource["Properties"]
            documents = [policy["PolicyDocument"] for policy in properties.get("Policies", ())]
            documents += [properties["PolicyDocument"]] if "PolicyDocument" in properties else []
            for document in documents:
                yield from (s for s in document["Statement"] if s["Effect"] == "Allow")


def actions(statement: Data) -> list[str]:
    found = statement["Action"]
    return [found] if isinstance(found, str) else list(found)


@every_stack
def test_storage_03_nothing_makes_file_systems_but_the_stack(name: str, stack_of: StackOf) -> None:
    stack = stack_of(name)
    for statement in granted(stack):
        makes = [a for a in actions(statement) if a in ("*", "fsx:*", "fsx:CreateFileSystem", "fsx:Create*")]
        assert makes == [], statement
    # a StorageClass is what a claim would have a driver make a file system by
    published = [stack.text, *(file.read_text("utf-8") for file in scripts_of(stack))]
    assert not [text for text in published if "kind: StorageClass" in text or "provisioner:" in text]


def scripts_of(stack: Synthesized) -> Iterator[Path]:
    """The texts that are published beside a template."""
    for file in stack.folder.rglob("*"):
        if file.suffix in (".sh", ".yaml", ".yml", ".env"):
            yield file


@every_stack
def test_storage_24_no_image_beside_lustre_is_one_without_its_client(name: str, stack_of: StackOf) -> None:
    assert "BOTTLEROCKET" not in stack_of(name).text.upper()


@pytest.mark.parametrize("image", IMAGES)
def test_storage_24_bottlerocket_beside_lustre_is_reported(image: str) -> None:
    lustre = (SYSTEM, {"FileSystemType": "LUSTRE"})
    reported = "LUS031" in codes_of("AWS::EKS::Nodegroup", {"AmiType": image}, fs_1=lustre)
    assert reported == image.startswith("BOTTLEROCKET")
    assert "LUS031" not in codes_of("AWS::EKS::Nodegroup", {"AmiType": image})


@every_stack
def test_hyperpod_03_nodes_may_describe_file_systems_where_any_that_they_mount_has_efa(
    name: str, stack_of: StackOf, design_of: DesignOf
) -> None:
    stack, design = stack_of(name), design_of(name)
    if not stack.resources(CLUSTER):
        return
    (cluster,) = stack.resources(CLUSTER).values()
    (role,) = set(named(cluster["Properties"])) & stack.resources("AWS::IAM::Role").keys()
    policies = stack.template["Resources"][role]["Properties"]["Policies"]
    statements = [one for policy in policies for one in policy["PolicyDocument"]["Statement"]]
    described = [one for one in statements if "fsx:DescribeFileSystems" in actions(one)]
    assert bool(described) == any(system.efa for system in design.file_systems)
    # the action takes no resource: scoped, it would grant nothing
    assert all(statement["Resource"] == "*" for statement in described)


@every_stack
def test_hyperpod_06_actions_on_objects_are_granted_on_objects(name: str, stack_of: StackOf) -> None:
    seen = 0
    for statement in granted(stack_of(name)):
        if not set(actions(statement)) & set(OBJECT_ACTIONS):
            continue
        resources = statement["Resource"]
        for resource in resources if isinstance(resources, list) else [resources]:
            seen += 1
            assert "/" in json.dumps(resource).partition(":s3:::")[2], resource
    assert seen or not stack_of(name).resources(CLUSTER)


@every_stack
def test_linked_buckets_have_no_notifications_are_never_emptied_and_keep_their_objects(
    name: str, stack_of: StackOf
) -> None:
    stack = stack_of(name)
    places = {key for link in stack.resources(LINK).values() for key in named(link["Properties"])}
    linked = {key: b["Properties"] for key, b in stack.resources(BUCKET).items() if key in places}
    assert "Custom::S3" not in stack.text
    for key, bucket in linked.items():
        assert "NotificationConfiguration" not in bucket, key
        for rule in bucket["LifecycleConfiguration"]["Rules"]:
            taking = {"ExpirationInDays", "ExpirationDate", "Transition", "Transitions"}
            assert not rule.keys() & taking, key


@every_stack
def test_storage_17_nodes_do_not_wait_for_import_tasks(name: str, stack_of: StackOf) -> None:
    stack = stack_of(name)
    tasks = set(stack.resources("Custom::LustreImportTask"))
    for key in stack.resources(CLUSTER):
        assert not waits_for(stack, key) & tasks
    huge = [one for one in stack.resources(LINK).values() if one["Properties"]["FileSystemPath"] == "/huge"]
    assert len(tasks) == len(huge)
