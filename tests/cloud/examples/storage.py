"""Buckets, file systems, keys and registries."""

from __future__ import annotations

from .example import BUCKET, NETWORK, Client, Example, allowed, att, ref, resource

LUSTRE = {
    "FileSystemType": "LUSTRE",
    "StorageCapacity": 2400,
    "SubnetIds": [ref("Subnet")],
    "SecurityGroupIds": [ref("Group")],
    "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250},
}
OPENZFS = {
    "FileSystemType": "OPENZFS",
    "StorageCapacity": 1024,
    "SubnetIds": [ref("Subnet")],
    "OpenZFSConfiguration": {"DeploymentType": "SINGLE_AZ_HA_2", "ThroughputCapacity": 160},
}
KEY = {"Key": resource("AWS::KMS::Key")}
DIRECTORY = "datasets--use1-az4--x-s3"


def _rules(client: Client, bucket: str) -> list[int]:
    reported = client("s3").get_bucket_lifecycle_configuration(Bucket=bucket)
    return [rule["Expiration"]["Days"] for rule in reported["Rules"]]


def _policy(client: Client, bucket: str) -> bool:
    return "s3:ListBucket" in client("s3").get_bucket_policy(Bucket=bucket)["Policy"]


def _statement(action: str, bucket: object) -> dict[str, object]:
    return {"PolicyDocument": allowed(action, bucket, Principal="*")}


EXAMPLES = (
    Example(
        type="AWS::S3::Bucket",
        properties={
            "VersioningConfiguration": {"Status": "Enabled"},
            "PublicAccessBlockConfiguration": {"BlockPublicAcls": True, "BlockPublicPolicy": True},
            "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]},
            "BucketEncryption": {
                "ServerSideEncryptionConfiguration": [
                    {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "aws:kms"}, "BucketKeyEnabled": True}
                ]
            },
        },
        change={
            "LifecycleConfiguration": {"Rules": [{"Id": "old", "Status": "Enabled", "ExpirationInDays": 30}]}
        },
        seen=_rules,
        expected=[30],
        not_reported=frozenset({"MetadataConfiguration", "MetadataTableConfiguration"}),
    ),
    Example(
        type="AWS::S3::BucketPolicy",
        properties={"Bucket": ref("Bucket"), **_statement("s3:GetObject", att("Bucket", "Arn"))},
        stands_on=BUCKET,
        change=_statement("s3:ListBucket", att("Bucket", "Arn")),
        seen=_policy,
        expected=True,
    ),
    Example(
        type="AWS::S3Express::DirectoryBucket",
        properties={"LocationName": "use1-az4", "DataRedundancy": "SingleAvailabilityZone"},
        change={
            "BucketEncryption": {
                "ServerSideEncryptionConfiguration": [
                    {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
                ]
            }
        },
        seen=lambda client, bucket: client("s3").get_bucket_encryption(Bucket=bucket)[
            "ServerSideEncryptionConfiguration"
        ]["Rules"][0]["ApplyServerSideEncryptionByDefault"]["SSEAlgorithm"],
        expected="AES256",
    ),
    Example(
        type="AWS::S3Express::BucketPolicy",
        properties={"Bucket": ref("Bucket"), **_statement("s3express:CreateSession", att("Bucket", "Arn"))},
        stands_on={
            "Bucket": resource(
                "AWS::S3Express::DirectoryBucket",
                LocationName="use1-az4",
                DataRedundancy="SingleAvailabilityZone",
            )
        },
        change=_statement("s3:ListBucket", att("Bucket", "Arn")),
        seen=_policy,
        expected=True,
    ),
    Example(
        type="AWS::KMS::Key",
        properties={"Description": "data", "KeyPolicy": allowed("kms:*", "*", Principal={"AWS": "*"})},
        change={"EnableKeyRotation": True},
        seen=lambda client, key: client("kms").get_key_rotation_status(KeyId=key)["KeyRotationEnabled"],
        expected=True,
    ),
    Example(
        type="AWS::KMS::Alias",
        properties={"AliasName": "alias/example", "TargetKeyId": ref("Key")},
        stands_on={**KEY, "Other": resource("AWS::KMS::Key", Description="other")},
        change={"TargetKeyId": ref("Other")},
        seen=lambda client, alias: client("kms").describe_key(KeyId=alias)["KeyMetadata"]["Description"],
        expected="other",
    ),
    Example(
        type="AWS::FSx::FileSystem",
        properties=LUSTRE,
        stands_on=NETWORK,
        change={"StorageCapacity": 4800},
        seen=lambda client, system: client("fsx").describe_file_systems(FileSystemIds=[system])[
            "FileSystems"
        ][0]["StorageCapacity"],
        expected=4800,
        not_reported=frozenset({"RootVolumeId"}),  # of OpenZFS
    ),
    Example(
        type="AWS::FSx::DataRepositoryAssociation",
        properties={
            "FileSystemId": ref("Lustre"),
            "FileSystemPath": "/datasets",
            "DataRepositoryPath": {"Fn::Sub": "s3://${Bucket}/datasets"},
        },
        stands_on={**NETWORK, **BUCKET, "Lustre": resource("AWS::FSx::FileSystem", **LUSTRE)},
        change={"S3": {"AutoImportPolicy": {"Events": ["NEW"]}}},
        seen=lambda client, link: client("fsx").describe_data_repository_associations(AssociationIds=[link])[
            "Associations"
        ][0]["S3"]["AutoImportPolicy"]["Events"],
        expected=["NEW"],
    ),
    Example(
        type="AWS::FSx::Volume",
        properties={
            "Name": "home",
            "VolumeType": "OPENZFS",
            "OpenZFSConfiguration": {"ParentVolumeId": att("Zfs", "RootVolumeId"), "RecordSizeKiB": 128},
        },
        stands_on={**NETWORK, "Zfs": resource("AWS::FSx::FileSystem", **OPENZFS)},
        change={
            "OpenZFSConfiguration": {
                "ParentVolumeId": att("Zfs", "RootVolumeId"),
                "RecordSizeKiB": 128,
                "UserAndGroupQuotas": [{"Type": "USER", "Id": 1001, "StorageCapacityQuotaGiB": 100}],
            }
        },
        seen=lambda client, volume: client("fsx").describe_volumes(VolumeIds=[volume])["Volumes"][0][
            "OpenZFSConfiguration"
        ]["UserAndGroupQuotas"][0]["StorageCapacityQuotaGiB"],
        expected=100,
        not_reported=frozenset({"UUID"}),  # of ONTAP
    ),
    Example(
        type="AWS::ECR::Repository",
        properties={"ImageScanningConfiguration": {"ScanOnPush": True}},
        change={"ImageTagMutability": "IMMUTABLE"},
        seen=lambda client, name: client("ecr").describe_repositories(repositoryNames=[name])["repositories"][
            0
        ]["imageTagMutability"],
        expected="IMMUTABLE",
    ),
    Example(
        type="AWS::ECR::PullThroughCacheRule",
        properties={
            "EcrRepositoryPrefix": "nvcr",
            "UpstreamRegistryUrl": "registry.k8s.io",
            "UpstreamRegistry": "k8s",
        },
    ),
    Example(
        type="AWS::ECR::RepositoryCreationTemplate",
        properties={
            "Prefix": "nvcr",
            "AppliedFor": ["PULL_THROUGH_CACHE"],
            "ResourceTags": [{"Key": "team", "Value": "a"}],
            "CustomRoleArn": att("CacheRole", "Arn"),
        },
        stands_on={
            "CacheRole": resource(
                "AWS::IAM::Role",
                AssumeRolePolicyDocument={
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Effect": "Allow",
                            "Principal": {"Service": "ecr.amazonaws.com"},
                            "Action": "sts:AssumeRole",
                        }
                    ],
                },
            )
        },
        change={"Description": "images of Kubernetes"},
        seen=lambda client, prefix: client("ecr").describe_repository_creation_templates(prefixes=[prefix])[
            "repositoryCreationTemplates"
        ][0]["description"],
        expected="images of Kubernetes",
    ),
)
