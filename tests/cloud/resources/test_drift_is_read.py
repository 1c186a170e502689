"""What is changed with a service's own API, behind CloudFormation's back, shows in what is read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from scripts.cloud.template.schema import changed_paths
from tests.cloud.examples.deployed import Deployed
from tests.cloud.examples.example import Client, allowed
from tests.cloud.examples.table import EXAMPLES

Change = Callable[[Client, Mapping[str, Any]], Any]
OPEN = [{"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, "IpRanges": [{"CidrIp": "0.0.0.0/0"}]}]
ADMIN = "arn:aws:iam::aws:policy/AdministratorAccess"
EVERYBODY = json.dumps(allowed("*", "*", Principal="*"))


def _pcs_names(arn: str) -> dict[str, str]:
    _, cluster, _, group = arn.split("/")
    return {"clusterIdentifier": cluster, "computeNodeGroupIdentifier": group}


def _eks_names(nodegroup: str) -> dict[str, str]:
    cluster, name = nodegroup.split("/")
    return {"clusterName": cluster, "nodegroupName": name}


# type, what somebody does to it, and where it shows; `ids` are physical ids by logical id
CHANGES: Mapping[str, tuple[Change, str]] = {
    "AWS::EC2::VPC": (
        lambda client, ids: client("ec2").modify_vpc_attribute(
            VpcId=ids["Subject"], EnableDnsSupport={"Value": False}
        ),
        "EnableDnsSupport",
    ),
    "AWS::EC2::Subnet": (
        lambda client, ids: client("ec2").create_tags(
            Resources=[ids["Subject"]], Tags=[{"Key": "owner", "Value": "somebody"}]
        ),
        "Tags",
    ),
    "AWS::EC2::SecurityGroup": (
        lambda client, ids: client("ec2").authorize_security_group_ingress(
            GroupId=ids["Subject"], IpPermissions=OPEN
        ),
        "SecurityGroupIngress",
    ),
    "AWS::EC2::LaunchTemplate": (
        lambda client, ids: client("ec2").create_launch_template_version(
            LaunchTemplateId=ids["Subject"], LaunchTemplateData={"InstanceType": "t3.micro"}
        ),
        "LaunchTemplateData",
    ),
    "AWS::EC2::CapacityReservation": (
        lambda client, ids: client("ec2").modify_capacity_reservation(
            CapacityReservationId=ids["Subject"], InstanceCount=1
        ),
        "InstanceCount",
    ),
    "AWS::S3::Bucket": (
        lambda client, ids: client("s3").put_bucket_versioning(
            Bucket=ids["Subject"], VersioningConfiguration={"Status": "Suspended"}
        ),
        "VersioningConfiguration",
    ),
    "AWS::S3::BucketPolicy": (
        lambda client, ids: client("s3").put_bucket_policy(Bucket=ids["Subject"], Policy=EVERYBODY),
        "PolicyDocument",
    ),
    "AWS::S3Express::BucketPolicy": (
        lambda client, ids: client("s3").put_bucket_policy(Bucket=ids["Subject"], Policy=EVERYBODY),
        "PolicyDocument",
    ),
    "AWS::KMS::Key": (
        lambda client, ids: client("kms").put_key_policy(
            KeyId=ids["Subject"], PolicyName="default", Policy=EVERYBODY
        ),
        "KeyPolicy",
    ),
    "AWS::FSx::FileSystem": (
        lambda client, ids: client("fsx").update_file_system(
            FileSystemId=ids["Subject"], StorageCapacity=9600
        ),
        "StorageCapacity",
    ),
    "AWS::ECR::Repository": (
        lambda client, ids: client("ecr").put_image_tag_mutability(
            repositoryName=ids["Subject"], imageTagMutability="IMMUTABLE"
        ),
        "ImageTagMutability",
    ),
    "AWS::IAM::Role": (
        lambda client, ids: client("iam").attach_role_policy(RoleName=ids["Subject"], PolicyArn=ADMIN),
        "ManagedPolicyArns",
    ),
    "AWS::SecretsManager::Secret": (
        lambda client, ids: client("secretsmanager").update_secret(
            SecretId=ids["Subject"], Description="mine"
        ),
        "Description",
    ),
    "AWS::SSM::Parameter": (
        lambda client, ids: client("ssm").put_parameter(Name=ids["Subject"], Value="other", Overwrite=True),
        "Value",
    ),
    "AWS::EKS::Nodegroup": (
        lambda client, ids: client("eks").update_nodegroup_config(
            **_eks_names(ids["Subject"]), scalingConfig={"desiredSize": 1}
        ),
        "ScalingConfig",
    ),
    "AWS::PCS::ComputeNodeGroup": (
        lambda client, ids: client("pcs").update_compute_node_group(
            **_pcs_names(ids["Subject"]), scalingConfiguration={"minInstanceCount": 0, "maxInstanceCount": 9}
        ),
        "ScalingConfiguration",
    ),
    "AWS::SageMaker::Cluster": (
        lambda client, ids: client("sagemaker").update_cluster(
            ClusterName=ids["Subject"], NodeRecovery="None"
        ),
        "NodeRecovery",
    ),
    "AWS::RDS::DBCluster": (
        lambda client, ids: client("rds").modify_db_cluster(
            DBClusterIdentifier=ids["Subject"], BackupRetentionPeriod=20
        ),
        "BackupRetentionPeriod",
    ),
    "AWS::APS::Workspace": (
        lambda client, ids: client("amp").update_workspace_configuration(
            workspaceId=ids["Subject"].split("/")[-1], retentionPeriodInDays=7
        ),
        "WorkspaceConfiguration",
    ),
    "AWS::Grafana::Workspace": (
        lambda client, ids: client("grafana").update_workspace(
            workspaceId=ids["Subject"], workspaceName="mine"
        ),
        "Name",
    ),
    "AWS::Logs::LogGroup": (
        lambda client, ids: client("logs").put_retention_policy(
            logGroupName=ids["Subject"], retentionInDays=1
        ),
        "RetentionInDays",
    ),
    "AWS::CloudWatch::Alarm": (
        lambda client, ids: client("cloudwatch").disable_alarm_actions(AlarmNames=[ids["Subject"]]),
        "ActionsEnabled",
    ),
    "AWS::Events::Rule": (
        lambda client, ids: client("events").disable_rule(Name=ids["Subject"]),
        "State",
    ),
    "AWS::SNS::TopicPolicy": (
        lambda client, ids: client("sns").set_topic_attributes(
            TopicArn=ids["Topic"], AttributeName="Policy", AttributeValue=EVERYBODY
        ),
        "PolicyDocument",
    ),
    "AWS::SQS::Queue": (
        lambda client, ids: client("sqs").set_queue_attributes(
            QueueUrl=ids["Subject"], Attributes={"VisibilityTimeout": "77"}
        ),
        "VisibilityTimeout",
    ),
    "AWS::Lambda::Function": (
        lambda client, ids: client("lambda").update_function_configuration(
            FunctionName=ids["Subject"], Timeout=900
        ),
        "Timeout",
    ),
    "AWS::ResourceGroups::Group": (
        lambda client, ids: client("resource-groups").group_resources(
            Group=ids["Subject"],
            ResourceArns=["arn:aws:ec2:us-east-1:123456789012:capacity-reservation/cr-0123456789abcdef0"],
        ),
        "Resources",
    ),
}


@pytest.mark.sample(9)
@pytest.mark.parametrize("kind", CHANGES)
def test_a_change_behind_the_back_shows(kind: str, deployed: Deployed) -> None:
    change, where = CHANGES[kind]
    stack = deployed.deploy(next(e for e in EXAMPLES if e.type == kind).resources())
    before = deployed.read(stack)
    change(deployed.client, {name: made.physical_id for name, made in stack.resources.items()})
    after = deployed.read(stack)
    assert {path[0] for path in changed_paths(before, after)} == {where}


def test_every_service_that_keeps_properties_has_such_a_change() -> None:
    services = {example.type.split("::")[1] for example in EXAMPLES if example.drifts}
    covered = {kind.split("::")[1] for kind in CHANGES}
    # a budget is the one property that it has: its life in test_resource_types shows the same
    assert services - covered == {"Budgets"}


@pytest.mark.parametrize("kind", ["AWS::EC2::SecurityGroup", "AWS::IAM::Role"])
def test_what_stands_beside_a_resource_in_the_template_is_not_its_drift(
    kind: str, deployed: Deployed
) -> None:
    resources = next(e for e in EXAMPLES if e.type == kind).resources()
    before = deployed.read(deployed.deploy(resources))
    beside = {
        "Rule": {
            "Type": "AWS::EC2::SecurityGroupIngress",
            "Properties": {"GroupId": {"Ref": "Subject"}, "IpProtocol": "-1", "CidrIp": "10.0.0.0/8"},
        },
        "Inline": {
            "Type": "AWS::IAM::Policy",
            "Properties": {
                "PolicyName": "beside",
                "PolicyDocument": allowed("s3:GetObject"),
                "Roles": [{"Ref": "Subject"}],
            },
        },
        "Managed": {
            "Type": "AWS::IAM::ManagedPolicy",
            "Properties": {"PolicyDocument": allowed("s3:GetObject"), "Roles": [{"Ref": "Subject"}]},
        },
    }
    names = ("Rule",) if kind == "AWS::EC2::SecurityGroup" else ("Inline", "Managed")
    stack = deployed.deploy({**resources, **{name: beside[name] for name in names}})
    assert deployed.read(stack) == before
