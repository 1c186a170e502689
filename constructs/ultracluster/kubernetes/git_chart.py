"""A Helm chart from a Git repository, for projects that do not publish their charts."""

from dataclasses import dataclass
from pathlib import Path

import aws_cdk as cdk
from constructs import Construct

from ultracluster.cfn import (
    Tagged,
    add_log_group,
    add_resource,
    add_service_role,
    attribute,
    policy,
    statement,
    tag_list,
)
from ultracluster.retention import Retention
from ultracluster.storage.data_bucket import PRIVATE

DESCRIPTION = "Creates an archive of a Helm chart from a Git repository"
RESOURCE_TYPE = "Custom::GitChart"
_CODE = Path(__file__).with_name("git_chart_handler.py")
_RUNTIME = "python3.14"
_TIMEOUT_S = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class GitChartProps(Tagged):
    """A chart at one commit.

    Attributes:
        name: Part of the log group's name (`/ultracluster/<name>/charts`).
        repository: `https://github.com/owner/name`.
        commit: The full hash.
        path: The chart's folder in the repository.
        helm_layer_arn: A layer with Helm, which downloads subcharts.
        reader_role_name: The role that reads the archive.
        log_retention_days: Retention of the function's log in CloudWatch.
    """

    name: str
    repository: str
    commit: str
    path: str
    helm_layer_arn: str
    reader_role_name: str
    log_retention_days: int = 90


class GitChart(Construct):
    """An archive of the chart. A function outside the VPC creates it at deployment in a separate bucket.

    All resources are deleted with the stack. AWS's own templates for HyperPod do the same.

    Attributes:
        archive: `s3://` URL of the archive, with the chart at its top.
        ready: Resources that must exist before the archive is read, in addition to those to which `archive`
            refers.
    """

    def __init__(self, scope: Construct, construct_id: str, props: GitChartProps) -> None:
        """Create the bucket, the function with its role and log group, and the archive."""
        super().__init__(scope, construct_id)
        bucket = self._bucket(props)
        function = self._function(props, bucket)
        made = add_resource(
            self,
            "Archive",
            RESOURCE_TYPE,
            {
                "ServiceToken": attribute(function, "Arn"),
                "ServiceTimeout": _TIMEOUT_S + 60,
                "Bucket": bucket.ref,
                "Repository": props.repository,
                "Commit": props.commit,
                "Path": props.path,
            },
        )
        read = statement(["s3:GetObject"], f"{attribute(bucket, 'Arn')}/*", sid="Charts")
        allowed = add_resource(
            self,
            "Read",
            "AWS::IAM::Policy",
            {
                "PolicyName": "charts",
                "PolicyDocument": policy([read]),
                "Roles": [props.reader_role_name],
            },
        )
        self.archive = f"s3://{bucket.ref}/{made.ref}"
        self.ready = (allowed,)

    def _bucket(self, props: GitChartProps) -> cdk.CfnResource:
        # statements in the order of existing deployments; the archive can be created again from the commit
        properties = {**dict(reversed(PRIVATE.items())), "Tags": tag_list(props.tags)}
        return add_resource(self, "Bucket", "AWS::S3::Bucket", properties, retention=Retention.DISPOSABLE)

    def _function(self, props: GitChartProps, bucket: cdk.CfnResource) -> cdk.CfnResource:
        log_group = add_log_group(
            self,
            "LogGroup",
            name=f"/ultracluster/{props.name}/charts",
            retention_days=props.log_retention_days,
            key_arn=None,
            tags=props.tags,
        )
        write = ["s3:PutObject", "s3:DeleteObject"]
        log = ["logs:CreateLogStream", "logs:PutLogEvents"]
        role = add_service_role(
            self,
            "Role",
            service="lambda.amazonaws.com",
            description=f"{DESCRIPTION}, for {props.name}",
            statements=[
                statement(write, f"{attribute(bucket, 'Arn')}/*", sid="Archive"),
                statement(log, attribute(log_group, "Arn"), sid="Log"),
            ],
            tags=props.tags,
            source_account_condition=False,
        )
        return add_resource(
            self,
            "Function",
            "AWS::Lambda::Function",
            {
                "Description": DESCRIPTION,
                "Runtime": _RUNTIME,
                "Handler": "index.handler",
                "Code": {"ZipFile": _CODE.read_text(encoding="utf-8")},
                "Timeout": _TIMEOUT_S,
                "MemorySize": 1024,
                "Role": attribute(role, "Arn"),
                "Layers": [props.helm_layer_arn],
                "LoggingConfig": {"LogGroup": log_group.ref},
                "Tags": tag_list(props.tags),
            },
        )
