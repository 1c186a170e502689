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
    """A key and its users.

    Attributes:
        alias: Name without the `alias/` prefix, unique in the account and Region.
        description: Resources that the key encrypts.
        retention: Whether the key is retained, which is required if an encrypted resource is retained.
        fsx_data_repositories: Whether FSx can use the key, through S3, for buckets that are linked to a
            Lustre file system. False by default.
        log_group_name_prefix: Prefix of log groups for which CloudWatch Logs can use the key. None: no log
            groups.
    """

    alias: str
    description: str
    retention: Retention
    fsx_data_repositories: bool = False
    log_group_name_prefix: str | None = None


class StorageKey(Construct):
    """A KMS key with rotation and an alias, controlled by the account's IAM policies.

    Attributes:
        key_arn: ARN of the key.
        key_id: ID of the key.
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
    """Return the statement that allows FSx to read and write associated buckets.

    FSx uses one service-linked role per file system, whose name contains the file system ID. A policy that
    names the role would require the file system, which requires the key. The principal is therefore `*`,
    limited to these service roles in this account, and to requests through S3. Source:
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
    """Return the statement that allows CloudWatch Logs to use the key for log groups with a prefix.

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
