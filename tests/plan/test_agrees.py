"""What a reviewer reads in the plan is what stands in the template of the same profile."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from config.cluster import load_cluster
from config.design.report.plan import PlanReport, report
from tests.conftest import Synthesized
from tests.profile.built_in import clusters

pytestmark = [pytest.mark.synth, pytest.mark.sample(9)]
Tried = Callable[[str, str | None], Synthesized]
Machines = dict[str, tuple[str, int]]


every_cluster = pytest.mark.parametrize(("name", "kind"), clusters())


def plan_of(name: str, kind: str | None) -> PlanReport:
    design = load_cluster(name, orchestrator=kind).design
    assert design is not None
    return report(design)


def properties(stack: Synthesized, kind: str) -> list[dict[str, Any]]:
    return [resource.get("Properties", {}) for resource in stack.resources(kind).values()]


def launch_template(stack: Synthesized, reference: object) -> dict[str, Any]:
    text = json.dumps(reference)
    (found,) = (
        one["Properties"]["LaunchTemplateData"]
        for key, one in stack.resources("AWS::EC2::LaunchTemplate").items()
        if f'"{key}"' in text
    )
    data: dict[str, Any] = found
    return data


def machines(stack: Synthesized) -> Machines:
    """Instance type and number of nodes of each group in the template, by the group's name."""
    found: Machines = {}
    for cluster in properties(stack, "AWS::SageMaker::Cluster"):
        for group in cluster["InstanceGroups"]:
            found[group["InstanceGroupName"]] = (
                group["InstanceType"].removeprefix("ml."), group["InstanceCount"],
            )  # fmt: skip
    for one in properties(stack, "AWS::PCS::ComputeNodeGroup"):
        (instance,) = (config["InstanceType"] for config in one["InstanceConfigs"])
        found[named(one["Name"])] = (instance, one["ScalingConfiguration"]["MaxInstanceCount"])
    for one in properties(stack, "AWS::EKS::Nodegroup"):
        data = launch_template(stack, one["LaunchTemplate"])
        found[named(one["NodegroupName"])] = (data["InstanceType"], one["ScalingConfig"]["MaxSize"])
    return found


def named(key: str) -> str:
    """The profile's name of a group: the services' may end in a fingerprint, so that it can be replaced."""
    return re.sub(r"-[0-9a-f]{6}$", "", key)


@every_cluster
def test_groups_have_the_planned_machines(name: str, kind: str | None, tried: Tried) -> None:
    plan, found = plan_of(name, kind), machines(tried(name, kind))
    planned = {group.name: (group.instance_type, group.nodes) for group in plan.groups}
    assert planned.items() <= found.items()
    # what the control plane needs for itself has no GPUs, and is no group of the profile's
    assert all(found[key][0].startswith("m") for key in found.keys() - planned.keys())


@every_cluster
def test_interfaces_are_the_planned_ones(name: str, kind: str | None, tried: Tried) -> None:
    stack, plan = tried(name, kind), plan_of(name, kind)
    launched = {
        named(one.get("NodegroupName") or one["Name"]): launch_template(
            stack, one.get("LaunchTemplate") or one["CustomLaunchTemplate"]
        )
        for kind_of in ("AWS::EKS::Nodegroup", "AWS::PCS::ComputeNodeGroup")
        for one in properties(stack, kind_of)
    }
    if (plan.orchestrator or "").startswith("hyperpod"):
        assert launched == {}  # HyperPod lays the interfaces out itself
        return
    for group in plan.groups:
        data = launched[group.name]
        cards = data.get("NetworkInterfaces", ())
        kinds = Counter(card.get("InterfaceType", "interface") for card in cards)
        assert kinds["efa"] + kinds["efa-only"] == group.efa_interfaces
        assert (len(cards) or 1) == group.interfaces
        assert ("GroupName" in data.get("Placement", {})) == bool(group.placement_group)


@every_cluster
def test_file_systems_have_the_planned_sizes(name: str, kind: str | None, tried: Tried) -> None:
    stack, plan = tried(name, kind), plan_of(name, kind)
    lustre = [one for one in properties(stack, "AWS::FSx::FileSystem") if one["FileSystemType"] == "LUSTRE"]
    planned = [one for one in plan.storage.file_systems if not one.existing] if plan.storage else []
    if not plan.owns_lustre:
        assert lustre == []
        return
    (one,), (file_system,) = planned, lustre
    settings = file_system["LustreConfiguration"]
    assert file_system["StorageCapacity"] == one.capacity_gib
    assert settings["PerUnitStorageThroughput"] == one.throughput_mbps_per_tib
    assert settings.get("EfaEnabled", False) == one.efa
    assert settings.get("MetadataConfiguration", {}).get("Iops") == (
        None if one.metadata_automatic else one.metadata_iops
    )
    links = {
        link["FileSystemPath"]: link.get("S3", {})
        for link in properties(stack, "AWS::FSx::DataRepositoryAssociation")
    }
    assert set(links) == {link.path for link in one.data_repositories}
    for link in one.data_repositories:
        reported = links[link.path]
        for policy, events in (("AutoImportPolicy", link.imports), ("AutoExportPolicy", link.exports)):
            asked = {event.lower() for event in reported.get(policy, {}).get("Events", ())}
            assert asked == set(events), (link.path, policy)


@every_cluster
def test_subnets_have_the_planned_blocks(name: str, kind: str | None, tried: Tried) -> None:
    stack, plan = tried(name, kind), plan_of(name, kind)
    blocks = {
        (one["CidrBlock"], one.get("AvailabilityZone") or one.get("AvailabilityZoneId"))
        for one in properties(stack, "AWS::EC2::Subnet")
    }
    assert blocks == ({(one.cidr, one.zone) for one in plan.subnets} if plan.owns_network else set())


@every_cluster
def test_alerts_and_what_stays_are_as_planned(name: str, kind: str | None, tried: Tried) -> None:
    stack, plan = tried(name, kind), plan_of(name, kind)
    rules = {
        rule["alert"]
        for one in properties(stack, "AWS::APS::RuleGroupsNamespace")
        for group in yaml.safe_load(one["Data"])["groups"]
        for rule in group["rules"]
        if "alert" in rule
    }
    assert len(rules) == (plan.observability.alerts if plan.observability else 0)
    kept = {
        resource["Type"]
        for resource in stack.template["Resources"].values()
        if resource.get("DeletionPolicy", "").startswith("Retain")
    }
    text = " ".join(one.as_text() for one in plan.kept)
    for resource_type, word in (
        ("AWS::EC2::VPC", "network"),
        ("AWS::FSx::FileSystem", "file system"),
        ("AWS::S3::Bucket", "bucket"),
        ("AWS::APS::Workspace", "metrics"),
        ("AWS::KMS::Key", "key"),
    ):
        assert (resource_type in kept) == (word in text), resource_type
