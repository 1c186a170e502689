"""A name that is taken is refused, and nothing is left of the attempt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.cloud.examples.deployed import Deployed
from tests.cloud.examples.table import example_of

# type to the property that names the resource; two resources of one name cannot be
NAMES: Mapping[str, dict[str, Any]] = {
    "AWS::APS::AnomalyDetector": {},
    "AWS::APS::RuleGroupsNamespace": {},
    "AWS::Budgets::Budget": {},
    "AWS::CloudWatch::Alarm": {"AlarmName": "taken"},
    "AWS::CloudWatch::CompositeAlarm": {"AlarmName": "taken-too"},
    "AWS::CloudWatch::Dashboard": {"DashboardName": "taken"},
    "AWS::EC2::LaunchTemplate": {"LaunchTemplateName": "taken"},
    "AWS::EC2::SecurityGroup": {"GroupName": "taken"},
    "AWS::EC2::SecurityGroupIngress": {"Description": "another"},
    "AWS::ECR::PullThroughCacheRule": {},
    "AWS::ECR::Repository": {"RepositoryName": "taken"},
    "AWS::EKS::AccessEntry": {},
    "AWS::EKS::Addon": {},
    "AWS::EKS::Cluster": {"Name": "taken"},
    "AWS::EKS::Nodegroup": {"NodegroupName": "taken"},
    "AWS::EKS::PodIdentityAssociation": {},
    "AWS::Events::Rule": {"Name": "taken"},
    "AWS::FSx::DataRepositoryAssociation": {},
    "AWS::IAM::InstanceProfile": {"InstanceProfileName": "taken"},
    "AWS::IAM::ManagedPolicy": {"ManagedPolicyName": "taken"},
    "AWS::IAM::OIDCProvider": {},
    "AWS::IAM::Role": {"RoleName": "taken"},
    "AWS::IAM::ServiceLinkedRole": {},
    "AWS::KMS::Alias": {},
    "AWS::Lambda::Function": {"FunctionName": "taken"},
    "AWS::Logs::LogGroup": {"LogGroupName": "taken"},
    "AWS::PCS::Cluster": {"Name": "taken"},
    "AWS::PCS::ComputeNodeGroup": {"Name": "taken"},
    "AWS::PCS::Queue": {"Name": "taken"},
    "AWS::RDS::DBCluster": {"DBClusterIdentifier": "taken"},
    "AWS::RDS::DBClusterParameterGroup": {"DBClusterParameterGroupName": "taken"},
    "AWS::RDS::DBInstance": {"DBInstanceIdentifier": "taken"},
    "AWS::RDS::DBSubnetGroup": {"DBSubnetGroupName": "taken"},
    "AWS::ResourceGroups::Group": {},
    "AWS::S3::Bucket": {"BucketName": "taken"},
    "AWS::S3Express::DirectoryBucket": {"BucketName": "taken--use1-az4--x-s3"},
    "AWS::SNS::Topic": {"TopicName": "taken"},
    "AWS::SQS::Queue": {"QueueName": "taken"},
    "AWS::SSM::Document": {"Name": "taken"},
    "AWS::SSM::Parameter": {"Name": "/taken"},
    "AWS::SageMaker::Cluster": {"ClusterName": "taken"},
    "AWS::SageMaker::ClusterSchedulerConfig": {"Name": "another"},
    "AWS::SageMaker::ComputeQuota": {},
    "AWS::SecretsManager::Secret": {"Name": "taken"},
}


@pytest.mark.sample(15)
@pytest.mark.parametrize("kind", NAMES)
def test_a_name_that_is_taken_is_refused(kind: str, deployed: Deployed) -> None:
    resources = example_of(kind).resources(**NAMES[kind])
    again = {**resources["Subject"], "DependsOn": "Subject"}
    reported = deployed.refusal({**resources, "Again": again}, "Again").lower()
    reasons = ("exist", "in use", "taken", "duplicate", "overlap", "another", "associated with")
    assert any(word in reported for word in reasons), reported


def test_a_private_name_belongs_to_one_endpoint_of_a_vpc(deployed: Deployed) -> None:
    resources = example_of("AWS::EC2::VPCEndpoint").resources(PrivateDnsEnabled=True)
    again = {**resources["Subject"], "DependsOn": "Subject"}
    assert "already a conflicting DNS domain" in deployed.refusal({**resources, "Again": again}, "Again")
