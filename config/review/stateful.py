"""Resource types whose data is lost when the resource is replaced or deleted (DESIGN, contract 7)."""

from __future__ import annotations

from collections.abc import Mapping

STATEFUL: Mapping[str, str] = {
    "AWS::APS::Workspace": "its metrics",
    "AWS::DynamoDB::Table": "its items",
    "AWS::EC2::Volume": "its blocks",
    "AWS::ECR::Repository": "its images",
    "AWS::EFS::FileSystem": "its files",
    "AWS::FSx::FileSystem": "its files",
    "AWS::FSx::Volume": "its files",
    "AWS::Grafana::Workspace": "its dashboards",
    "AWS::KMS::Key": "all data that the key encrypts",
    "AWS::KMS::ReplicaKey": "all data that the key encrypts",
    "AWS::Logs::LogGroup": "its logs",
    "AWS::RDS::DBCluster": "its databases",
    "AWS::RDS::DBInstance": "its databases",
    "AWS::S3::Bucket": "its objects",
    "AWS::S3Express::DirectoryBucket": "its objects",
    "AWS::SecretsManager::Secret": "its value",
}
"""Maps a resource type to the data that is lost with the resource."""

PROTECTIONS: Mapping[str, str] = {
    "AWS::DynamoDB::Table": "DeletionProtectionEnabled",
    "AWS::EKS::Cluster": "DeletionProtection",
    "AWS::RDS::DBCluster": "DeletionProtection",
    "AWS::RDS::DBInstance": "DeletionProtection",
}
"""Maps a resource type to the property that protects the resource against deletion."""
