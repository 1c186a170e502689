"""The role that machines of an AWS PCS cluster run with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from constructs import Construct

from ultracluster.cfn import add_resource, add_service_role, attribute, statement, sub
from ultracluster.nodes.permissions import (
    NodeAccess,
    NodeImageAccess,
    NodeMetricsAccess,
    access_statements,
    image_statements,
    metrics_statements,
    scripts_statements,
    session_statement,
    shared_statements,
)

PATH = "/aws-pcs/"
"""The path by which PCS knows the roles that it may pass on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PcsNodeRoleProps:
    """What the machines of one PCS cluster may do.

    Attributes:
        cluster_name: Scopes the log groups (`/ultracluster/<cluster_name>/...`).
        scripts_bucket_name: Bucket of the node scripts.
        scripts_prefix: Folder of all versions of the node scripts in it, without slashes at its ends.
        parameter_names: SSM parameters that scripts of the machines read, with the slash that they begin
            with. None by default.
        directory_bucket_names: Directory buckets that the machines read and write. None by default.
        remote_write_workspace_arn: Prometheus workspace that the machines send metrics to. None by default.
        metrics: What they may read for their metrics. None: nothing.
        access: What they need for people and sessions. None: nothing.
        images: Images of the account's registry that they pull. None: none.
        tags: Tags of the role.
    """

    cluster_name: str
    scripts_bucket_name: str
    scripts_prefix: str
    parameter_names: Sequence[str] = ()
    directory_bucket_names: Sequence[str] = ()
    remote_write_workspace_arn: str | None = None
    metrics: NodeMetricsAccess | None = None
    access: NodeAccess | None = None
    images: NodeImageAccess | None = None
    tags: Mapping[str, str] = field(default_factory=dict)


class PcsNodeRole(Construct):
    """A role with its instance profile: what PCS documents, sessions and logs, and nothing else.

    PCS takes a role whose name starts with AWSPCS or whose path is `/aws-pcs/`. Names of roles are one for
    all Regions of an account, so the path it is, and CloudFormation makes the name. Source:
    https://docs.aws.amazon.com/pcs/latest/userguide/security-instance-profiles.html

    Attributes:
        instance_profile_arn: The instance profile.
        role_name: The role's generated name.
    """

    def __init__(self, scope: Construct, construct_id: str, props: PcsNodeRoleProps) -> None:
        """Create the role with its permissions inline, and its instance profile."""
        super().__init__(scope, construct_id)
        role = add_service_role(
            self,
            "Resource",
            service="ec2.amazonaws.com",
            description=f"Machines of the PCS cluster {props.cluster_name}",
            statements=[
                # the action takes no resource
                statement(["pcs:RegisterComputeNodeGroupInstance"], "*", sid="Register"),
                *_agent_statements(props.cluster_name),
                *scripts_statements(props.scripts_bucket_name, props.scripts_prefix),
                *shared_statements(
                    props.parameter_names, props.directory_bucket_names, props.remote_write_workspace_arn
                ),
                *metrics_statements(props.metrics),
                *access_statements(props.access),
                *image_statements(props.images),
            ],
            tags=props.tags,
            source_account_condition=False,
            path=PATH,
        )
        profile = add_resource(
            self, "Profile", "AWS::IAM::InstanceProfile", {"Path": PATH, "Roles": [role.ref]}
        )
        self.instance_profile_arn = attribute(profile, "Arn")
        self.role_name = role.ref


def _agent_statements(cluster_name: str) -> list[dict[str, Any]]:
    """Sessions, logs and metrics of the agents; the first two actions take no resource."""
    account = "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}"
    return [
        statement(["ssm:UpdateInstanceInformation"], "*", sid="Managed"),
        session_statement(),
        statement(
            ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"],
            sub(f"{account}:log-group:/ultracluster/{cluster_name}/*"),
            sid="Logs",
        ),
        statement(
            ["cloudwatch:PutMetricData"],
            "*",
            sid="Metrics",
            condition={"StringEquals": {"cloudwatch:namespace": "ultracluster"}},
        ),
    ]
