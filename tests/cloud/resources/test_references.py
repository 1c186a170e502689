"""A reference to what is not there, or is of the wrong kind, is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import pytest
from botocore.exceptions import ClientError

from tests.cloud.examples import clusters
from tests.cloud.examples.deployed import Deployed
from tests.cloud.examples.example import NETWORK, ref, resource, trusted
from tests.cloud.examples.table import example_of

ACCOUNT = "123456789012"
WORKSPACE = f"arn:aws:aps:us-east-1:{ACCOUNT}:workspace/ws-01234567-89ab-cdef-0123-456789abcdef"
CACHED = f"arn:aws:secretsmanager:us-east-1:{ACCOUNT}:secret:ecr-pullthroughcache/x-abcdef"
SUBNET, GROUP = "subnet-0123456789abcdef0", "sg-0123456789abcdef0"
NOBODY = f"arn:aws:iam::{ACCOUNT}:role/nobody"
NO_KEY = f"arn:aws:kms:us-east-1:{ACCOUNT}:key/01234567-89ab-cdef-0123-456789abcdef"


def changed(kind: str, **properties: Any) -> dict[str, Any]:
    return example_of(kind).resources(**properties)


NETWORK_OF = {"SubnetIds": [SUBNET], "SecurityGroupIds": [GROUP]}
MISSING: Mapping[str, tuple[dict[str, Any], str]] = {
    "subnet of a file system": (changed("AWS::FSx::FileSystem", SubnetIds=[SUBNET]), SUBNET),
    "group of a file system": (changed("AWS::FSx::FileSystem", SecurityGroupIds=[GROUP]), GROUP),
    "key of a file system": (changed("AWS::FSx::FileSystem", KmsKeyId=NO_KEY), NO_KEY),
    "file system of a link": (
        changed("AWS::FSx::DataRepositoryAssociation", FileSystemId="fs-0123456789abcdef0"),
        "fs-0123456789abcdef0",
    ),
    "bucket of a link": (
        changed("AWS::FSx::DataRepositoryAssociation", DataRepositoryPath="s3://no-such-bucket/x"),
        "no-such-bucket",
    ),
    "role of a cluster": (changed("AWS::EKS::Cluster", RoleArn=NOBODY), NOBODY),
    "subnet of a cluster": (
        changed("AWS::EKS::Cluster", ResourcesVpcConfig={"SubnetIds": [SUBNET, ref("Subnet")]}),
        SUBNET,
    ),
    "key of a cluster": (
        changed(
            "AWS::EKS::Cluster",
            EncryptionConfig=[{"Provider": {"KeyArn": NO_KEY}, "Resources": ["secrets"]}],
        ),
        NO_KEY,
    ),
    "cluster of a node group": (
        changed("AWS::EKS::Nodegroup", ClusterName="nowhere"),
        "No cluster found for name: nowhere.",
    ),
    "role of a node group": (changed("AWS::EKS::Nodegroup", NodeRole=NOBODY), NOBODY),
    "launch template of a node group": (
        changed("AWS::EKS::Nodegroup", LaunchTemplate={"Id": "lt-0123456789abcdef0", "Version": "1"}),
        "lt-0123456789abcdef0",
    ),
    "cluster of an add-on": (changed("AWS::EKS::Addon", ClusterName="nowhere"), "nowhere"),
    "principal of an access entry": (
        changed("AWS::EKS::AccessEntry", PrincipalArn=NOBODY),
        "invalid principal",
    ),
    "role of pods": (changed("AWS::EKS::PodIdentityAssociation", RoleArn=NOBODY), NOBODY),
    "subnet of a Slurm cluster": (
        changed("AWS::PCS::Cluster", Networking={"SubnetIds": [SUBNET], "SecurityGroupIds": [GROUP]}),
        f"{SUBNET}, {GROUP}",
    ),
    "cluster of a compute node group": (
        changed("AWS::PCS::ComputeNodeGroup", ClusterId="pcs_0123456789"),
        "pcs_0123456789 was not found",
    ),
    "profile of a compute node group": (
        changed(
            "AWS::PCS::ComputeNodeGroup",
            IamInstanceProfileArn=f"arn:aws:iam::{ACCOUNT}:instance-profile/nobody",
        ),
        "instance-profile/nobody does not exist",
    ),
    "version of a launch template": (
        changed(
            "AWS::PCS::ComputeNodeGroup", CustomLaunchTemplate={"TemplateId": ref("Template"), "Version": "7"}
        ),
        "has no version 7",
    ),
    "compute node group of a queue": (
        changed(
            "AWS::PCS::Queue",
            ComputeNodeGroupConfigurations=[{"ComputeNodeGroupId": "pcs_0123456789"}],
        ),
        "pcs_0123456789 is not in cluster",
    ),
    "role of nodes": (
        changed(
            "AWS::SageMaker::Cluster",
            InstanceGroups=[{**clusters.NODES, "ExecutionRole": NOBODY}],
        ),
        NOBODY,
    ),
    "EKS cluster of HyperPod": (
        changed(
            "AWS::SageMaker::Cluster",
            Orchestrator={"Eks": {"ClusterArn": f"arn:aws:eks:us-east-1:{ACCOUNT}:cluster/nowhere"}},
        ),
        "the EKS cluster nowhere does not exist",
    ),
    "cluster of a quota": (
        changed(
            "AWS::SageMaker::ComputeQuota",
            ClusterArn=f"arn:aws:sagemaker:us-east-1:{ACCOUNT}:cluster/abcdef012345",
        ),
        "cluster/abcdef012345 not found",
    ),
    "subnet group of a database": (
        changed("AWS::RDS::DBCluster", DBSubnetGroupName="nowhere"),
        "'nowhere' does not exist",
    ),
    "parameter group of a database": (
        changed("AWS::RDS::DBCluster", DBClusterParameterGroupName="nowhere"),
        "nowhere",
    ),
    "second zone of a database": (
        changed("AWS::RDS::DBSubnetGroup", SubnetIds=[ref("Subnet")]),
        "at least 2 AZs",
    ),
    "cluster of a database": (changed("AWS::RDS::DBInstance", DBClusterIdentifier="nowhere"), "nowhere"),
    "log group of a workspace": (
        changed(
            "AWS::APS::Workspace",
            LoggingConfiguration={"LogGroupArn": f"arn:aws:logs:us-east-1:{ACCOUNT}:log-group:nowhere:*"},
        ),
        "log-group:nowhere",
    ),
    "workspace of rules": (
        changed(
            "AWS::APS::RuleGroupsNamespace",
            Workspace=WORKSPACE,
        ),
        "ws-01234567",
    ),
    "workspace of a scraper": (
        changed(
            "AWS::APS::Scraper",
            Destination={"AmpConfiguration": {"WorkspaceArn": WORKSPACE}},
        ),
        "ws-01234567",
    ),
    "role of a workspace": (changed("AWS::Grafana::Workspace", RoleArn=NOBODY), NOBODY),
    "role of a function": (changed("AWS::Lambda::Function", Role=NOBODY), "cannot be assumed"),
    "network of a function": (changed("AWS::Lambda::Function", VpcConfig=NETWORK_OF), SUBNET),
    "code of a layer": (
        changed("AWS::Lambda::LayerVersion", Content={"S3Bucket": "nowhere", "S3Key": "layer.zip"}),
        "",
    ),
    "function of a permission": (changed("AWS::Lambda::Permission", FunctionName="nowhere"), "nowhere"),
    "log group of a filter": (changed("AWS::Logs::MetricFilter", LogGroupName="nowhere"), "does not exist"),
    "key of a log group": (changed("AWS::Logs::LogGroup", KmsKeyId=NO_KEY), NO_KEY),
    "alarm of a composite alarm": (
        changed("AWS::CloudWatch::CompositeAlarm", AlarmRule='ALARM("nothing")'),
        "alarms [nothing] in the alarm rule do not exist",
    ),
    "topic of a subscription": (
        changed("AWS::SNS::Subscription", TopicArn=f"arn:aws:sns:us-east-1:{ACCOUNT}:nowhere"),
        "does not exist",
    ),
    "secret of a cache rule": (
        changed(
            "AWS::ECR::PullThroughCacheRule",
            CredentialArn=CACHED,
        ),
        "ecr-pullthroughcache/x-abcdef does not exist",
    ),
    "document of an association": (
        changed("AWS::SSM::Association", Name="nothing"),
        "nothing does not exist",
    ),
    "role of an inline policy": (changed("AWS::IAM::Policy", Roles=["nobody"]), "nobody"),
    "policy of a role": (
        changed("AWS::IAM::Role", ManagedPolicyArns=["arn:aws:iam::aws:policy/NoSuchPolicy"]),
        "NoSuchPolicy",
    ),
    "role of an instance profile": (changed("AWS::IAM::InstanceProfile", Roles=["nobody"]), "nobody"),
    "key of an alias": (changed("AWS::KMS::Alias", TargetKeyId=NO_KEY), "01234567-89ab"),
    "address of a NAT gateway": (
        changed("AWS::EC2::NatGateway", AllocationId="eipalloc-0123456789abcdef0"),
        "eipalloc-0123456789abcdef0",
    ),
    "subnet of an endpoint": (changed("AWS::EC2::VPCEndpoint", SubnetIds=[SUBNET]), SUBNET),
    "group of an endpoint": (changed("AWS::EC2::VPCEndpoint", SecurityGroupIds=[GROUP]), GROUP),
    "VPC of a subnet": (changed("AWS::EC2::Subnet", VpcId="vpc-0123456789abcdef0"), "vpc-0123456789abcdef0"),
    "VPC of a security group": (
        changed("AWS::EC2::SecurityGroup", VpcId="vpc-0123456789abcdef0"),
        "vpc-0123456789abcdef0",
    ),
    "peer of a rule": (
        changed("AWS::EC2::SecurityGroupIngress", SourceSecurityGroupId=GROUP),
        GROUP,
    ),
    "zone of a reservation": (
        changed("AWS::EC2::CapacityReservation", AvailabilityZone="us-east-1z"),
        "us-east-1z",
    ),
    "zone of a directory bucket": (
        changed("AWS::S3Express::DirectoryBucket", LocationName="use1-az9"),
        "use1-az9",
    ),
    "signals of a condition": (
        changed("AWS::CloudFormation::WaitCondition", Count=2),
        "Received 0 conditions when expecting 2",
    ),
}


@pytest.mark.sample(12)
@pytest.mark.parametrize("what", MISSING)
def test_a_reference_to_nothing_is_refused(what: str, deployed: Deployed) -> None:
    resources, reported = MISSING[what]
    assert reported in deployed.refusal(resources)


def test_a_cluster_in_the_one_zone_of_another_stack_is_refused_by_eks(deployed: Deployed) -> None:
    subnet = Deployed(deployed.cloud).deploy(NETWORK).resources["Subnet"].physical_id
    resources = changed("AWS::EKS::Cluster", ResourcesVpcConfig={"SubnetIds": [subnet]})
    assert "at least two different AZs" in deployed.refusal(resources)


def test_a_profile_of_another_stack_whose_role_has_another_name_is_refused_by_pcs(deployed: Deployed) -> None:
    role = resource("AWS::IAM::Role", RoleName="nodes", AssumeRolePolicyDocument=trusted("ec2"))
    profile = {"Role": role, "Profile": resource("AWS::IAM::InstanceProfile", Roles=[ref("Role")])}
    arn = Deployed(deployed.cloud).deploy(profile).resources["Profile"].attributes["Arn"]
    resources = changed("AWS::PCS::ComputeNodeGroup", IamInstanceProfileArn=arn)
    assert "needs a name that starts with AWSPCS" in deployed.refusal(resources)


def test_task_governance_needs_a_cluster_of_kubernetes(deployed: Deployed) -> None:
    resources = example_of("AWS::SageMaker::ComputeQuota").resources()
    slurm = {**resources["HyperPod"]["Properties"], "Orchestrator": {"Slurm": {}}}
    resources["HyperPod"] = resource("AWS::SageMaker::Cluster", **slurm)
    assert "is not orchestrated by EKS" in deployed.refusal(resources)


def test_kubernetes_goes_up_one_version_at_a_time(deployed: Deployed) -> None:
    stack = deployed.deploy(example_of("AWS::EKS::Cluster").resources())
    eks, name = deployed.client("eks"), stack.resources["Subject"].physical_id
    with pytest.raises(ClientError, match=r"minor version update from 1\.34 to 1\.36"):
        eks.update_cluster_version(name=name, version="1.36")


def test_a_signal_that_is_there_counts_and_its_data_can_be_read(deployed: Deployed) -> None:
    handle = {"Handle": resource("AWS::CloudFormation::WaitConditionHandle")}
    stack = deployed.deploy(handle)
    url = stack.resources["Handle"].physical_id
    bucket, key = url.removeprefix("https://").split(".s3.")[0], url.rsplit("/", 1)[1]
    signal = '{"Status": "SUCCESS", "UniqueId": "node-1", "Data": "ready", "Reason": ""}'
    deployed.client("s3").put_object(Bucket=bucket, Key=unquote(key), Body=signal)
    condition = resource("AWS::CloudFormation::WaitCondition", Handle=ref("Handle"), Timeout="60", Count=1)
    stack = deployed.deploy({**handle, "Condition": condition})
    assert stack.resources["Condition"].attributes["Data"] == '{"node-1": "ready"}'
    deployed.delete(stack)


def test_a_creation_that_fails_half_way_leaves_nothing(deployed: Deployed) -> None:
    wrong = {"LogGroupArn": f"arn:aws:logs:us-east-1:{ACCOUNT}:log-group:nowhere:*"}
    amp = deployed.client("amp")
    before = [w["arn"] for w in amp.list_workspaces()["workspaces"]]
    deployed.refusal({"Subject": resource("AWS::APS::Workspace", LoggingConfiguration=wrong)})
    assert [w["arn"] for w in amp.list_workspaces()["workspaces"]] == before
