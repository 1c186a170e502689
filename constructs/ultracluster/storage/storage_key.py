"""A KMS key for one purpose."""

from dataclasses import dataclass
from typing import Any

from constructs import Construct

from ultracluster.cfn import Tagged, add_key, attribute, statement, sub
from ultracluster.retention import Retention

_DATA_KEY_ACTIONS = (
    "kms:Decrypt",
    "kms:DescribeKey",
    "kms:Encrypt",
    "kms:GenerateDataKey*",
    "kms:ReEncrypt*",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageKeyProps(Tagged):
    """What a key is for.

    Attributes:
        alias: Name without the `alias/` prefix, unique in the account and Region.
        description: Says what the key encrypts.
        retention: Whether the key outlives the stack, as it must wherever what it encrypts does.
        fsx_data_repositories: Whether FSx may use the key through S3 for buckets linked to a Lustre file
            system. False by default.
        log_group_name_prefix: CloudWatch Logs may use the key for log groups whose names start so. None: it
            may not.
    """

    alias: str
    description: str
    retention: Retention
    fsx_data_repositories: bool = False
    log_group_name_prefix: str | None = None


class StorageKey(Construct):
    """A rotated KMS key with an alias, which the account's own IAM policies govern.

    Attributes:
        key_arn: The key.
        key_id: Its id.
    """

    def __init__(self, scope: Construct, construct_id: str, props: StorageKeyProps) -> None:
        """Create the key and its alias."""
        super().__init__(scope, construct_id)
        logs = props.log_group_name_prefix
        key = add_key(
            self,
            alias=props.alias,
            description=props.description,
            statements=[
                *([_fsx_statement()] if props.fsx_data_repositories else []),
                *([] if logs is None else [_logs_statement(logs)]),
            ],
            retention=props.retention,
            tags=props.tags,
        )
        self.key_arn = attribute(key, "Arn")
        self.key_id = key.ref


def _fsx_statement() -> dict[str, Any]:
    """Let FSx read and write linked buckets.

    FSx acts under one service-linked role per linked file system, with the file system's id in its name: a
    policy that named the role would have to come after the file system, which comes after the key. So the
    principal is any, limited to that service's roles of this account, and only through S3. Source:
    https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html
    """
    roles = "role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/*"
    return statement(
        _DATA_KEY_ACTIONS,
        "*",
        sid="FsxDataRepositories",
        principal={"AWS": "*"},
        condition={
            "StringEquals": {
                "kms:CallerAccount": {"Ref": "AWS::AccountId"},
                "kms:ViaService": sub("s3.${AWS::Region}.amazonaws.com"),
            },
            "ArnLike": {
                "aws:PrincipalArn": sub(f"arn:${{AWS::Partition}}:iam::${{AWS::AccountId}}:{roles}"),
            },
        },
    )


def _logs_statement(log_group_name_prefix: str) -> dict[str, Any]:
    """Let CloudWatch Logs use the key for log groups under one prefix.

    Source: https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
    """
    log_groups = (
        "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:" + log_group_name_prefix + "*"
    )
    return statement(
        _DATA_KEY_ACTIONS,
        "*",
        sid="LogGroups",
        principal={"Service": sub("logs.${AWS::Region}.amazonaws.com")},
        condition={"ArnLike": {"kms:EncryptionContext:aws:logs:arn": sub(log_groups)}},
    )
