"""The quotas and the billed quantities of a plan are those that its own template asks for."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import yaml

from config.catalog import catalog
from config.cluster import load_cluster
from config.design.model import Design
from config.design.money.costs import plan_cost
from config.design.report.quota_needs import quotas_of
from config.design.report.quotas import QuotaReport
from tests.conftest import Synthesized
from tests.profile.built_in import clusters

pytestmark = [pytest.mark.synth, pytest.mark.sample(9)]
Tried = Callable[[str, str | None], Synthesized]


every_cluster = pytest.mark.parametrize(("name", "kind"), clusters())


def design_of(name: str, kind: str | None) -> Design:
    design = load_cluster(name, orchestrator=kind).design
    assert design is not None
    return design


def needs_of(design: Design) -> dict[str, QuotaReport]:
    needs = quotas_of(design)
    assert len({need.name for need in needs}) == len(needs)
    return {need.name: need for need in needs}


def needed(needs: dict[str, QuotaReport]) -> Callable[[str], float]:
    return lambda name: needs[name].needed if name in needs else 0


def of(stack: Synthesized, kind: str) -> list[dict[str, Any]]:
    return [resource.get("Properties", {}) for resource in stack.resources(kind).values()]


def _launched(stack: Synthesized) -> Iterator[tuple[str, str, int, str]]:
    """Type, how it is bought, how many, and the launch template of each group of instances in the account."""
    for group in of(stack, "AWS::EKS::Nodegroup"):
        template = json.dumps(group["LaunchTemplate"])
        (kind,) = (
            value["Properties"]["LaunchTemplateData"]["InstanceType"]
            for key, value in stack.resources("AWS::EC2::LaunchTemplate").items()
            if key in template
        )
        yield kind, group.get("CapacityType", "ON_DEMAND"), group["ScalingConfig"]["MaxSize"], template
    for group in of(stack, "AWS::PCS::ComputeNodeGroup"):
        (kind,) = (one["InstanceType"] for one in group["InstanceConfigs"])
        bought = group.get("PurchaseOption", "ONDEMAND")
        count = group["ScalingConfiguration"]["MaxInstanceCount"]
        yield kind, bought, count, json.dumps(group["CustomLaunchTemplate"])


def _quota_of(kind: str, bought: str) -> str:
    spot = bought == "SPOT"
    names = {
        "p": ("Running On-Demand P instances", "All P Spot Instance Requests"),
        "g": ("Running On-Demand G and VT instances", "All G and VT Spot Instance Requests"),
    }
    standard = "Standard (A, C, D, H, I, M, R, T, Z)"
    others = (f"Running On-Demand {standard} instances", f"All {standard} Spot Instance Requests")
    return names.get(kind[0], others)[spot]


@every_cluster
def test_vcpus_are_those_of_the_instances_that_the_template_launches(
    name: str, kind: str | None, tried: Tried
) -> None:
    stack, needs = tried(name, kind), needs_of(design_of(name, kind))
    asked: Counter[str] = Counter()
    for instance_type, bought, count, _ in _launched(stack):
        if bought not in ("CAPACITY_BLOCK",):
            asked[_quota_of(instance_type, bought)] += count * catalog().instances[instance_type].vcpus
    found = {quota: need.needed for quota, need in needs.items() if need.unit == "vCPUs"}
    assert found == dict(asked)


@every_cluster
def test_hyperpods_quotas_are_those_of_its_groups(name: str, kind: str | None, tried: Tried) -> None:
    stack, needs = tried(name, kind), needs_of(design_of(name, kind))
    asked: Counter[str] = Counter()
    for cluster in of(stack, "AWS::SageMaker::Cluster"):
        for group in cluster["InstanceGroups"]:
            plan = "TrainingPlanArn" in group
            reserved = "instances in reserved capacity across training plans per Region"
            kind_of = group["InstanceType"]
            quota = f"Number of {kind_of} {reserved}" if plan else f"{kind_of} for cluster usage"
            asked[quota] += group["InstanceCount"]
            asked["Maximum number instances allowed per SageMaker HyperPod cluster"] += group["InstanceCount"]
            asked["Total number of instances allowed across SageMaker HyperPod clusters"] += group[
                "InstanceCount"
            ]
            for volume in (
                one for one in group.get("InstanceStorageConfigs", ()) if "EbsVolumeConfig" in one
            ):
                largest = "Maximum size of EBS volume in GB for a SageMaker HyperPod cluster instance"
                asked[largest] = max(asked[largest], volume["EbsVolumeConfig"]["VolumeSizeInGB"])
    found = {quota: need.needed for quota, need in needs.items() if need.service == "sagemaker"}
    assert found == dict(asked)


@every_cluster
def test_counted_resources_are_those_of_the_template(name: str, kind: str | None, tried: Tried) -> None:
    stack = tried(name, kind)
    need = needed(needs_of(design_of(name, kind)))
    endpoints = Counter(one.get("VpcEndpointType", "Gateway") for one in of(stack, "AWS::EC2::VPCEndpoint"))
    scratch = [one for one in of(stack, "AWS::FSx::FileSystem") if one["FileSystemType"] == "LUSTRE"]
    assert need("VPCs per Region") == len(of(stack, "AWS::EC2::VPC"))
    assert need("Subnets per VPC") == len(of(stack, "AWS::EC2::Subnet"))
    assert need("Internet gateways per Region") == len(of(stack, "AWS::EC2::InternetGateway"))
    assert need("NAT gateways per Availability Zone") == len(of(stack, "AWS::EC2::NatGateway"))
    assert need("EC2-VPC Elastic IPs") == len(of(stack, "AWS::EC2::EIP"))
    assert need("Gateway VPC endpoints per Region") == endpoints["Gateway"]
    assert need("Interface VPC endpoints per VPC") == endpoints["Interface"]
    assert need("Lustre Persistent_2 file systems") == len(scratch)
    assert need("Lustre Persistent_2 storage capacity") == sum(one["StorageCapacity"] for one in scratch)
    assert need("Managed node groups per cluster") == len(of(stack, "AWS::EKS::Nodegroup"))
    assert need("Compute node groups per cluster") == len(of(stack, "AWS::PCS::ComputeNodeGroup"))
    assert need("Queues per cluster") == len(of(stack, "AWS::PCS::Queue"))
    clusters = len(of(stack, "AWS::EKS::Cluster")) + len(of(stack, "AWS::PCS::Cluster"))
    assert need("Clusters") == clusters
    assert need("Workspaces per region per account") == len(of(stack, "AWS::APS::Workspace"))
    assert need("Number of workspaces") == len(of(stack, "AWS::Grafana::Workspace"))


@every_cluster
def test_rules_are_those_of_the_rule_files(name: str, kind: str | None, tried: Tried) -> None:
    stack, needs = tried(name, kind), needs_of(design_of(name, kind))
    files = [yaml.safe_load(one["Data"]) for one in of(stack, "AWS::APS::RuleGroupsNamespace")]
    rules = sum(len(group["rules"]) for file in files for group in file["groups"])
    assert needed(needs)("Rules per workspace") == rules


@every_cluster
def test_interfaces_of_nodes_are_those_of_the_launch_templates(
    name: str, kind: str | None, tried: Tried
) -> None:
    stack, design = tried(name, kind), design_of(name, kind)
    launched = list(_launched(stack))
    if not launched:
        return
    own = {
        key: len(value["Properties"]["LaunchTemplateData"]["NetworkInterfaces"])
        for key, value in stack.resources("AWS::EC2::LaunchTemplate").items()
    }
    nodes = sum(
        count * next(interfaces for key, interfaces in own.items() if key in template)
        for _, _, count, template in launched
    )
    need = needs_of(design)["Network interfaces per Region"]
    services = need.needed - nodes
    uses = [use for use in design.addresses.uses if not use.consumer.startswith("nodes of ")]
    theirs = (
        0 if design.owns_network else sum(use.count for use in uses if "control" not in use.consumer.lower())
    )
    assert services == sum(use.count for use in uses) - theirs


@every_cluster
def test_billed_quantities_are_those_of_the_template(name: str, kind: str | None, tried: Tried) -> None:
    stack, lines = tried(name, kind), {line.item: line for line in plan_cost(design_of(name, kind)).lines}
    billed = {item: line.quantity for item, line in lines.items()}
    systems = of(stack, "AWS::FSx::FileSystem")
    assert billed.get("FSx for Lustre: storage", 0) == sum(one["StorageCapacity"] for one in systems)
    for system in systems:
        tier = system["LustreConfiguration"]["PerUnitStorageThroughput"]
        listed = {125: 0.145, 250: 0.21, 500: 0.34, 1000: 0.6}[tier]
        assert lines["FSx for Lustre: storage"].usd_per_unit == listed
    assert billed.get("KMS keys", 0) == len(of(stack, "AWS::KMS::Key"))
    assert billed.get("CloudWatch alarms", 0) == len(of(stack, "AWS::CloudWatch::Alarm"))
    assert billed.get("NAT gateway", 0) == len(of(stack, "AWS::EC2::NatGateway"))
    assert billed.get("NAT gateway: public IPv4 address", 0) == len(of(stack, "AWS::EC2::EIP"))
    assert billed.get("EKS control plane", 0) == len(of(stack, "AWS::EKS::Cluster"))
    assert billed.get("Prometheus: collector", 0) == len(of(stack, "AWS::APS::Scraper"))
    assert ("Grafana: editors" in lines) == bool(of(stack, "AWS::Grafana::Workspace"))
    linked = {key for key in stack.resources("AWS::S3::Bucket") if key.startswith("StorageBucket")}
    logs = {key for key in stack.resources("AWS::S3::Bucket") if key.startswith("StorageAccessLogs")}
    assert (lines["S3 buckets"].count if "S3 buckets" in lines else 0) == len(linked | logs)
    roots = sum(line.quantity or 0 for item, line in lines.items() if item.startswith("root volumes: "))
    assert roots == sum(count * _root_gib(stack, template) for _, _, count, template in _launched(stack))


def _root_gib(stack: Synthesized, template: str) -> int:
    (data,) = (
        value["Properties"]["LaunchTemplateData"]
        for key, value in stack.resources("AWS::EC2::LaunchTemplate").items()
        if key in template
    )
    (volume,) = (one["Ebs"] for one in data["BlockDeviceMappings"])
    assert volume["VolumeType"] == "gp3"
    assert "Iops" not in volume
    return int(volume["VolumeSize"])


RICH = """\
extends: p6-b200
name: rich
orchestrator: {kind: pcs}
network: {closed: true}
observability: {prometheus: null, grafana: null}
storage:
  home: {kind: new, users: 200}
  lustre: {throughput_mbps_per_tib: 1000, capacity_gib: 4800, metadata_iops: 24000}
  additional_lustre:
    - {kind: new, name: scratch, deployment: scratch-2, throughput_mbps_per_tib: null, capacity_gib: 2400,
       efa: false, mount_path: /scratch}
    - {kind: new, name: cold, storage: intelligent-tiering, throughput_mbps: 4000, efa: false,
       mount_path: /cold, read_cache: {sizing: user-provisioned, size_gib: 2048}}
compute:
  groups:
    - {name: login, role: login, instance_type: m5.4xlarge, count: 3}
    - {name: spot, role: compute, instance_type: g6.48xlarge, count: 4, capacity: {kind: spot}}
    - name: held
      role: compute
      instance_type: p5en.48xlarge
      count: 2
      capacity: {kind: odcr, reservation_id: cr-0a1b2c3d4e5f60718}
    - name: block
      role: compute
      instance_type: p6-b200.48xlarge
      count: 8
      capacity: {kind: capacity-block, reservation_id: cr-0a1b2c3d4e5f60719, availability_zone_id: usw2-az2}
"""


def test_a_profile_of_everything_asks_for_what_its_template_has(
    tried: Tried, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("rich") / "rich.yaml"
    file.write_text(RICH, encoding="utf-8")
    stack, design = tried(str(file), None), design_of(str(file), None)
    need, lines = needed(needs_of(design)), {line.item: line for line in plan_cost(design).lines}
    # a Capacity Block needs no quota of running instances, a reservation does
    assert need("Running On-Demand P instances") == 2 * 192
    assert need("All G and VT Spot Instance Requests") == 4 * 192
    assert need("Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances") == 3 * 16
    systems = of(stack, "AWS::FSx::FileSystem")
    lustre = [one["LustreConfiguration"] | one for one in systems if one["FileSystemType"] == "LUSTRE"]
    persistent = [one for one in lustre if one["DeploymentType"] == "PERSISTENT_2"]
    (home,) = (one for one in systems if one["FileSystemType"] == "OPENZFS")
    assert need("Lustre Persistent_2 file systems") == len(persistent) == 2
    assert need("Lustre Scratch file systems") == len(lustre) - len(persistent) == 1
    sized = sum(one["StorageCapacity"] for one in persistent if "StorageCapacity" in one)
    assert need("Lustre Persistent_2 storage capacity") == sized == 4800
    assert need("Lustre Scratch storage capacity") == 2400
    assert need("Lustre Persistent Intelligent-Tiering throughput capacity") == 4000
    assert need("Lustre Persistent Intelligent-Tiering SSD read cache storage capacity") == 2048
    assert need("OpenZFS SSD storage capacity") == home["StorageCapacity"]
    assert need("OpenZFS throughput capacity") == home["OpenZFSConfiguration"]["ThroughputCapacity"]
    assert lines["FSx for OpenZFS: storage"].quantity == home["StorageCapacity"]
    assert lines["FSx for Lustre: metadata IOPS"].quantity == 24000 - 6000
    assert lines["FSx for Lustre scratch: storage"].usd_per_month == pytest.approx(0.14 * 2400, abs=0.01)
    assert lines["FSx for Lustre cold: throughput"].usd_per_month == pytest.approx(0.52 * 4000, abs=0.01)
    assert lines["FSx for Lustre cold: used storage"].usd_per_unit is None
    endpoints = [
        one for one in of(stack, "AWS::EC2::VPCEndpoint") if one.get("VpcEndpointType") == "Interface"
    ]
    assert need("Interface VPC endpoints per VPC") == len(endpoints) > 3
    assert lines["interface endpoints"].quantity == sum(len(one["SubnetIds"]) for one in endpoints)
    assert "NAT gateway" not in lines
    assert lines["KMS keys"].quantity == len(of(stack, "AWS::KMS::Key"))
    assert lines["spot: g6.48xlarge"].usd_per_hour is None
    assert lines["block: p6-b200.48xlarge"].usd_per_month is None
