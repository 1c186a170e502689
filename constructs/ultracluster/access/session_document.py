"""Session Manager document: logs, time limits and account of sessions on nodes."""

from dataclasses import dataclass

from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, tag_list
from ultracluster.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionDocumentProps(Tagged):
    """Properties of a session document.

    Attributes:
        description: Description of the document.
        log_retention_days: Days to retain session logs in a log group. None: no log group.
        log_key_arn: KMS key of the log group. None: encryption by CloudWatch Logs.
        bucket_name: Bucket that receives the log of each session when it ends. None: no bucket.
        bucket_prefix: Folder in the bucket.
        bucket_encrypted: True: the agent rejects a bucket without encryption.
        idle_timeout_min: Minutes without input before a session ends, 1 to 60.
        max_duration_min: Maximum duration of a session in minutes, 1 to 1440. None: no limit.
        run_as: Account of sessions, unless the principal has the tag SSMSessionRunAs. None: the agent's
            account.
        retention: Whether the log group is retained when the stack is deleted.
    """

    description: str
    log_retention_days: int | None = None
    log_key_arn: str | None = None
    bucket_name: str | None = None
    bucket_prefix: str = ""
    bucket_encrypted: bool = True
    idle_timeout_min: int = 20
    max_duration_min: int | None = None
    run_as: str | None = None
    retention: Retention = Retention.RETAIN


class SessionDocument(Construct):
    """A document for `aws ssm start-session --document-name`, and a log group for its sessions.

    CloudFormation generates the names of the document and the log group, so a retained log group does not
    prevent a new deployment. Source:
    https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-schema.html

    Attributes:
        document_name: Name of the document, a token.
        log_group_name: Name of the log group, a token. None: there is no log group.
    """

    def __init__(self, scope: Construct, construct_id: str, props: SessionDocumentProps) -> None:
        """Create the log group and the document."""
        super().__init__(scope, construct_id)
        self.log_group_name = self._logs(props)
        inputs: dict[str, object] = {
            "s3BucketName": props.bucket_name or "",
            "s3KeyPrefix": props.bucket_prefix if props.bucket_name else "",
            "s3EncryptionEnabled": props.bucket_name is not None and props.bucket_encrypted,
            "cloudWatchLogGroupName": self.log_group_name or "",
            "cloudWatchEncryptionEnabled": props.log_key_arn is not None,
            "cloudWatchStreamingEnabled": self.log_group_name is not None,
            "idleSessionTimeout": str(props.idle_timeout_min),
            "maxSessionDuration": str(props.max_duration_min or ""),
            "runAsEnabled": props.run_as is not None,
            "runAsDefaultUser": props.run_as or "",
            "kmsKeyId": "",
        }
        document = add_resource(
            self,
            "Document",
            "AWS::SSM::Document",
            {
                "DocumentType": "Session",
                "DocumentFormat": "JSON",
                "UpdateMethod": "NewVersion",
                "Content": {
                    "schemaVersion": "1.0",
                    "description": props.description,
                    "sessionType": "Standard_Stream",
                    "inputs": inputs,
                },
                "Tags": tag_list(props.tags),
            },
        )
        self.document_name = document.ref

    def _logs(self, props: SessionDocumentProps) -> str | None:
        if props.log_retention_days is None:
            return None
        properties = {
            "RetentionInDays": props.log_retention_days,
            "KmsKeyId": props.log_key_arn,
            "Tags": tag_list(props.tags),
        }
        return add_resource(self, "Logs", "AWS::Logs::LogGroup", properties, retention=props.retention).ref
