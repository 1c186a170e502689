"""What must be true of every template under Amazon EKS."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from config.cluster import load_cluster
from config.profile.source.reference import built_in_names
from scripts.cloud.template.document import Template
from scripts.cloud.template.graph import dependencies
from scripts.cloud.validation import problems
from scripts.tools.fuzz.checks.templates import check_template
from tests.conftest import Synthesized
from tests.stack.library.nag import unacknowledged_findings

pytestmark = pytest.mark.synth
Tried = Callable[[str, str | None], Synthesized]
CLUSTER, GROUP, ADDON = "AWS::EKS::Cluster", "AWS::EKS::Nodegroup", "AWS::EKS::Addon"
ENTRY, TEMPLATE = "AWS::EKS::AccessEntry", "AWS::EC2::LaunchTemplate"

REFUSED = {
    # from a training plan, which is SageMaker's
    "p5e": "CAP002",
    "p6-b200-cluster": "CAP002",
    "p6e-gb200": "CAP002",
    "p6-b200-data": "PRO022",  # has no machines
}
EXPRESSED = [name for name in built_in_names() if name not in REFUSED]
QUICK = ("p6-b200",)
every_profile = pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in EXPRESSED]
)


@pytest.mark.parametrize("name", built_in_names())
def test_a_built_in_profile_is_expressed_or_a_rule_says_why_not(name: str) -> None:
    cluster = load_cluster(name, orchestrator="eks")
    stops = {diagnostic.code for diagnostic in cluster.diagnostics if diagnostic.stops}
    assert (cluster.design is None) == (name in REFUSED)
    assert stops == set() if name in EXPRESSED else REFUSED[name] in stops


@pytest.mark.long
@every_profile
def test_the_template_lints_clean(name: str, tried: Tried) -> None:
    design = load_cluster(name, orchestrator="eks").design
    assert design is not None
    assert [finding.observed for finding in check_template(design, tried(name, "eks").text)] == []


@every_profile
def test_the_template_has_no_unacknowledged_finding(name: str, tried: Tried) -> None:
    assert unacknowledged_findings(tried(name, "eks").template) == []


@every_profile
def test_every_resource_is_one_that_the_services_take(name: str, tried: Tried) -> None:
    design = load_cluster(name, orchestrator="eks").design
    assert design is not None
    faults = [
        f"{key}: {problem}"
        for key, resource in tried(name, "eks").template["Resources"].items()
        if resource["Type"].startswith(("AWS::EKS", "AWS::EC2::Launch"))
        for problem in problems(design.profile.region, resource["Type"], resource["Properties"], {})
    ]
    assert faults == []


@pytest.mark.parametrize("kind", ["eks", "hyperpod-eks"])
def test_what_reaches_into_the_cluster_has_its_way_out_of_the_network(kind: str, tried: Tried) -> None:
    """The function calls EKS from a private subnet: its routes are there before, and stay until the end."""
    template = Template.parse(tried("p6-b200", kind).text)
    directly = dependencies(template)

    def needed(name: str, seen: set[str]) -> set[str]:
        for other in directly[name] - seen:
            seen.add(other)
            needed(other, seen)
        return seen

    kinds = {name: str(resource["Type"]) for name, resource in template.resources.items()}
    ways = {name for name, made in kinds.items() if made in ("AWS::EC2::Route", "AWS::EC2::VPCEndpoint")}
    inside = [name for name, made in kinds.items() if made.startswith("Custom::AWSCDK-EKS-")]
    assert len(inside) > 5
    assert {name: ways - needed(name, set()) for name in inside} == {name: set() for name in inside}


@every_profile
def test_nobody_has_rights_by_having_made_the_cluster(name: str, tried: Tried) -> None:
    made = tried(name, "eks")
    cluster = made.only(CLUSTER)
    assert cluster["AccessConfig"] == {
        "AuthenticationMode": "API",
        "BootstrapClusterCreatorAdminPermissions": False,
    }
    # who deploys, and the function that puts charts and objects into the cluster
    principals = [json.dumps(e["Properties"]["PrincipalArn"]) for e in made.resources(ENTRY).values()]
    assert len(principals) == 2
    assert sum("deploy-role" in principal for principal in principals) == 1
    assert sum("KubectlProvider" in principal for principal in principals) == 1
    assert cluster["BootstrapSelfManagedAddons"] is False
    vpc = cluster["ResourcesVpcConfig"]
    assert (vpc["EndpointPrivateAccess"], vpc["EndpointPublicAccess"], len(vpc["SubnetIds"])) == (
        True,
        False,
        2,
    )


@every_profile
def test_nodes_join_through_the_clusters_own_group_and_talk_in_ours(name: str, tried: Tried) -> None:
    made = tried(name, "eks")
    ((cluster_id, _),) = made.resources(CLUSTER).items()
    own = {"Fn::GetAtt": [cluster_id, "ClusterSecurityGroupId"]}
    for template in made.resources(TEMPLATE).values():
        data = template["Properties"]["LaunchTemplateData"]
        primary, *others = data["NetworkInterfaces"]
        assert (primary["NetworkCardIndex"], primary["DeviceIndex"]) == (0, 0)
        assert own in primary["Groups"]
        assert len(primary["Groups"]) == 2
        assert all(own not in interface["Groups"] for interface in others)
        assert data["MetadataOptions"]["HttpPutResponseHopLimit"] == 2
        assert not {"SubnetId", "IamInstanceProfile", "ImageId", "SecurityGroupIds"} & data.keys()


@every_profile
def test_the_network_is_there_before_nodes_and_names_after_them(name: str, tried: Tried) -> None:
    made = tried(name, "eks")
    addons = {r["Properties"]["AddonName"]: (key, r) for key, r in made.resources(ADDON).items()}
    assert {"vpc-cni", "kube-proxy", "coredns", "eks-pod-identity-agent"} <= set(addons)
    groups = made.resources(GROUP)
    for group in groups.values():
        assert {addons[n][0] for n in ("vpc-cni", "kube-proxy", "eks-pod-identity-agent")} <= set(
            group["DependsOn"]
        )
    # nodes with GPUs may be long in coming, and nothing of the cluster's own runs there
    system = {key for key in groups if "Groupsystem" in key}
    assert system
    assert set(groups) & set(addons["coredns"][1]["DependsOn"]) == system
    # HYPERPOD-02: an association of its own, before the add-on, and never in the add-on's request
    associations = made.resources("AWS::EKS::PodIdentityAssociation")
    (of_nodes,) = [k for k, r in associations.items() if r["Properties"]["ServiceAccount"] == "aws-node"]
    assert of_nodes in addons["vpc-cni"][1]["DependsOn"]
    assert not any("PodIdentityAssociations" in r["Properties"] for _, r in addons.values())


@every_profile
def test_user_data_fits_and_says_what_nodeadm_reads(name: str, tried: Tried) -> None:
    made = tried(name, "eks")
    design = load_cluster(name, orchestrator="eks").design
    assert design is not None
    assert design.eks is not None
    configs = {group.group.name: group.node_config for group in design.eks.groups}
    for key, template in made.resources(TEMPLATE).items():
        text = json.dumps(template["Properties"]["LaunchTemplateData"]["UserData"])
        assert len(text) < 8000
        assert "multipart/mixed" in text
        assert "application/node.eks.aws" in text
        (config,) = [c for group, c in configs.items() if f"Nodes{group}" in key]
        assert config is not None
        assert ("RAID0" in text) == ("instance" in config["spec"])
        assert config["spec"]["kubelet"]["maxPodsExpression"] in text
        assert "prepare.sh" in text


@every_profile
def test_no_name_is_longer_than_eks_takes(name: str, tried: Tried) -> None:
    made = tried(name, "eks")
    assert re.fullmatch(r"[0-9A-Za-z][A-Za-z0-9_-]{0,99}", made.only(CLUSTER)["Name"])
    assert all(
        re.fullmatch(r"[0-9A-Za-z][A-Za-z0-9_-]{0,62}", group["Properties"]["NodegroupName"])
        for group in made.resources(GROUP).values()
    )


FULL = """\
extends: p6-b200
name: full
orchestrator:
  kind: eks
  kubernetes_version: "1.36"
  endpoint: {kind: public, cidrs: [203.0.113.0/24, 198.51.100.7/32]}
  secrets_key: {kind: new}
  control_plane_logs: {types: [audit, controller-manager], retention_days: 365}
  support: standard
  deployer_access: false
  deletion_protection: true
  access:
    - principal: arn:aws:iam::123456789012:role/team/researchers
      policy: edit
      namespaces: [team-b, "team-a-*"]
    - {principal: "arn:aws:iam::123456789012:role/team/researchers", policy: view}
    - {principal: "arn:aws:iam::123456789012:role/ops", policy: cluster-admin, groups: [on-call]}
    - {principal: "arn:aws:iam::123456789012:user/ada", groups: [readers]}
  addon_versions: {vpc-cni: v1.22.3-eksbuild.1, coredns: v1.14.3-eksbuild.23}
  node_image: {release: 1.36.2-20260625}
  node_repair:
    max_parallel: 2
    max_unhealthy: 4
    overrides:
      - {condition: accelerated-hardware, reason: NvidiaXID79Error, action: replace, wait_minutes: 20}
      - {condition: networking, reason: InterfaceNotUp, action: none}
  pods_per_node: 50
compute:
  groups:
    - {name: tools, role: system, instance_type: m6i.4xlarge, count: 3, root_volume_gib: 100}
    - name: block
      role: compute
      instance_type: p6-b200.48xlarge
      count: 8
      capacity: {kind: capacity-block, reservation_id: cr-0a1b2c3d4e5f60718, instances: 8}
    - name: held
      role: compute
      instance_type: p6-b200.48xlarge
      count: 4
      capacity: {kind: odcr, reservation_id: cr-0a1b2c3d4e5f60719}
    - name: none-yet
      role: compute
      instance_type: p6-b200.48xlarge
      count: 0
    - name: taken-back-now-and-then
      role: compute
      instance_type: g6.xlarge
      count: 8
      capacity: {kind: spot}
"""


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory, tried: Tried) -> Synthesized:
    file = tmp_path_factory.mktemp("full") / "full.yaml"
    file.write_text(FULL, encoding="utf-8")
    return tried(str(file), None)


def test_every_key_of_the_control_plane_reaches_it(full: Synthesized) -> None:
    cluster = full.only(CLUSTER)
    assert cluster["Version"] == "1.36"
    assert cluster["ResourcesVpcConfig"]["PublicAccessCidrs"] == ["198.51.100.7/32", "203.0.113.0/24"]
    assert cluster["ResourcesVpcConfig"]["EndpointPrivateAccess"] is True
    ((key, _),) = [(k, r) for k, r in full.resources("AWS::KMS::Key").items() if "Secrets" in k]
    assert cluster["EncryptionConfig"] == [
        {"Provider": {"KeyArn": {"Fn::GetAtt": [key, "Arn"]}}, "Resources": ["secrets"]}
    ]
    kept = [entry["Type"] for entry in cluster["Logging"]["ClusterLogging"]["EnabledTypes"]]
    assert kept == ["audit", "controllerManager"]
    (logs,) = [
        r["Properties"]
        for r in full.resources("AWS::Logs::LogGroup").values()
        if str(r["Properties"].get("LogGroupName")).startswith("/aws/eks/")
    ]
    assert (logs["LogGroupName"], logs["RetentionInDays"]) == (f"/aws/eks/{cluster['Name']}/cluster", 365)
    assert cluster["UpgradePolicy"] == {"SupportType": "STANDARD"}
    assert cluster["DeletionProtection"] is True
    versions = {
        r["Properties"]["AddonName"]: r["Properties"].get("AddonVersion")
        for r in full.resources(ADDON).values()
    }
    assert (
        versions.items()
        >= {
            "vpc-cni": "v1.22.3-eksbuild.1",
            "coredns": "v1.14.3-eksbuild.23",
            "kube-proxy": "v1.36.0-eksbuild.14",
            "eks-pod-identity-agent": None,  # no source states one: EKS chooses
        }.items()
    )


def test_every_principal_has_one_entry_with_all_that_it_gets(full: Synthesized) -> None:
    entries = {
        r["Properties"]["PrincipalArn"].rpartition(":")[2]: r["Properties"]
        for r in full.resources(ENTRY).values()
        if isinstance(r["Properties"]["PrincipalArn"], str)  # beside the function's that fills the cluster
    }
    assert set(entries) == {"role/team/researchers", "role/ops", "user/ada"}
    first = [
        (p["PolicyArn"]["Fn::Sub"].rpartition("/")[2], p["AccessScope"])
        for p in entries["role/team/researchers"]["AccessPolicies"]
    ]
    assert first == [
        ("AmazonEKSEditPolicy", {"Type": "namespace", "Namespaces": ["team-a-*", "team-b"]}),
        ("AmazonEKSViewPolicy", {"Type": "cluster"}),
    ]
    assert entries["role/ops"]["KubernetesGroups"] == ["on-call"]
    assert "AccessPolicies" not in entries["user/ada"]


def groups_of(made: Synthesized) -> dict[str, dict[str, Any]]:
    """Node groups by the name of their group in the profile."""
    return {
        r["Properties"]["Labels"]["ultracluster/group"]: r["Properties"]
        for r in made.resources(GROUP).values()
    }


def test_every_key_of_a_group_reaches_it(full: Synthesized) -> None:
    groups = groups_of(full)
    assert {name: group["CapacityType"] for name, group in groups.items()} == {
        "tools": "ON_DEMAND",
        "block": "CAPACITY_BLOCK",
        "held": "ON_DEMAND",
        "none-yet": "ON_DEMAND",
        "taken-back-now-and-then": "SPOT",
    }
    sizes = {name: tuple(group["ScalingConfig"].values()) for name, group in groups.items()}
    assert sizes["block"] == (0, 8, 8)  # EKS takes it down to none before the block ends
    assert sizes["held"] == (4, 4, 4)
    assert sizes["none-yet"] == (0, 0, 1)
    assert {group["ReleaseVersion"] for group in groups.values()} == {"1.36.2-20260625"}
    assert groups["tools"]["AmiType"] == "AL2023_x86_64_STANDARD"
    assert groups["block"]["AmiType"] == "AL2023_x86_64_NVIDIA"
    taint = {"Key": "nvidia.com/gpu", "Value": "present", "Effect": "NO_SCHEDULE"}
    tainted = {name for name, group in groups.items() if taint in group.get("Taints", ())}
    assert tainted == set(groups) - {"tools"}
    assert groups["block"]["UpdateConfig"] == {"MaxUnavailable": 1, "UpdateStrategy": "MINIMAL"}
    assert groups["tools"]["UpdateConfig"]["UpdateStrategy"] == "DEFAULT"
    assert "ultracluster/efa" not in groups["taken-back-now-and-then"]["Labels"]
    volumes = {
        key: r["Properties"]["LaunchTemplateData"]["BlockDeviceMappings"][0]
        for key, r in full.resources(TEMPLATE).items()
    }
    (tools,) = [volume for key, volume in volumes.items() if "tools" in key]
    assert (tools["DeviceName"], tools["Ebs"]["VolumeSize"]) == ("/dev/xvda", 100)


def test_scarce_nodes_are_rebooted_where_eks_would_replace_them_unless_the_profile_says_so(
    full: Synthesized,
) -> None:
    groups = groups_of(full)

    def actions(name: str) -> dict[str, str]:
        config = groups[name]["NodeRepairConfig"]
        assert (config["Enabled"], config["MaxParallelNodesRepairedCount"]) == (True, 2)
        assert config["MaxUnhealthyNodeThresholdCount"] == 4
        return {
            one["NodeUnhealthyReason"]: one["RepairAction"] for one in config["NodeRepairConfigOverrides"]
        }

    declared = {"NvidiaXID79Error": "Replace", "InterfaceNotUp": "NoAction"}
    assert actions("tools") == actions("taken-back-now-and-then") == declared
    held = actions("held")
    assert declared.items() <= held.items()
    others = {reason: action for reason, action in held.items() if reason not in declared}
    left = {"NvidiaXID63Error": "NoAction", "NvidiaXID121Error": "NoAction"}
    assert left.items() <= others.items()
    assert {action for reason, action in others.items() if reason not in left} == {"Reboot"}
    assert {"NvidiaXID64Error", "NvidiaXID95Error", "NvidiaDoubleBitError"} < others.keys()


def bottlerocket(tmp_path_factory: pytest.TempPathFactory) -> str:
    text = yaml.safe_dump(
        {
            "extends": "p6-b200",
            "name": "small",
            "orchestrator": {
                "kind": "eks",
                "node_image": {"family": "bottlerocket"},
                "node_repair": {"enabled": False},
            },
            "storage": {"lustre": {"efa": False}},
            "compute": {
                "groups": [
                    {"name": "tools", "role": "system", "instance_type": "m6i.4xlarge", "count": 2},
                    {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 2},
                ]
            },
        }
    )
    file = tmp_path_factory.mktemp("small") / "small.yaml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_bottlerocket_nodes_have_settings_and_no_scripts(
    tmp_path_factory: pytest.TempPathFactory, tried: Tried
) -> None:
    import tomllib

    made = tried(bottlerocket(tmp_path_factory), None)
    groups = groups_of(made)
    assert groups["train"]["AmiType"] == "BOTTLEROCKET_x86_64_NVIDIA"
    assert groups["tools"]["AmiType"] == "BOTTLEROCKET_x86_64"
    assert groups["train"]["NodeRepairConfig"] == {"Enabled": False}
    assert "ReleaseVersion" not in groups["train"]
    data = {key: r["Properties"]["LaunchTemplateData"] for key, r in made.resources(TEMPLATE).items()}
    (train,) = [d for key, d in data.items() if "train" in key]
    settings = tomllib.loads(train["UserData"]["Fn::Base64"])["settings"]
    assert settings["kubernetes"]["max-pods"] == 149
    init, bind = settings["bootstrap-commands"]["local-disks"]["commands"]
    assert (init[1:], bind[1:4]) == (["ephemeral-storage", "init"], ["ephemeral-storage", "bind", "--dirs"])
    assert train["BlockDeviceMappings"][0]["DeviceName"] == "/dev/xvdb"
    (tools,) = [d for key, d in data.items() if "tools" in key]
    assert "bootstrap-commands" not in tools["UserData"]["Fn::Base64"]  # no local disks
    assert "ultracluster:scripts" not in json.dumps(made.template)
    role = next(r for key, r in made.resources("AWS::IAM::Role").items() if "NodeRole" in key)
    assert "s3:GetObject" not in json.dumps(role)


GB200 = """\
extends: p6e-gb200
name: rack
orchestrator: {kind: eks}
compute:
  groups:
    - {name: tools, role: system, instance_type: m6i.4xlarge, count: 2}
    - name: train
      role: compute
      instance_type: p6e-gb200.36xlarge
      count: 17
      capacity: {kind: capacity-block, reservation_id: cr-0a1b2c3d4e5f60718, ultraserver: u-p6e-gb200x72}
"""


def test_an_ultraserver_has_arm64_nodes_in_the_local_zone_and_a_control_plane_in_the_region(
    tmp_path_factory: pytest.TempPathFactory, tried: Tried
) -> None:
    file = tmp_path_factory.mktemp("rack") / "rack.yaml"
    file.write_text(GB200, encoding="utf-8")
    made = tried(str(file), None)
    train = groups_of(made)["train"]
    assert (train["AmiType"], train["CapacityType"]) == ("AL2023_ARM_64_NVIDIA", "CAPACITY_BLOCK")

    def zone_of(subnet: dict[str, str]) -> str:
        return str(made.template["Resources"][subnet["Ref"]]["Properties"]["AvailabilityZoneId"])

    assert zone_of(train["Subnets"][0]) == "use1-dfw2-az1"
    subnets = made.only(CLUSTER)["ResourcesVpcConfig"]["SubnetIds"]
    assert [zone_of(subnet) for subnet in subnets] == ["use1-az4", "use1-az6"]
