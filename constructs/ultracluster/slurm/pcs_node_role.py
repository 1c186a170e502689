"""Role of PCS nodes."""

from dataclasses import dataclass

from constructs import Construct

from ultracluster.cfn import add_resource, add_service_role, attribute, statement
from ultracluster.nodes.permissions import (
    SlurmNodeRoleProps,
    access_statements,
    image_statements,
    log_statement,
    metric_statement,
    metrics_statements,
    scripts_statements,
    session_statement,
    shared_statements,
)

PATH = "/aws-pcs/"
"""Path that PCS requires for roles that it passes to instances."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PcsNodeRoleProps(SlurmNodeRoleProps):
    """Permissions of the nodes of a PCS cluster.

    Attributes:
        scripts_bucket_name: Bucket of the node scripts.
        scripts_prefix: Folder of all versions of the node scripts, without slashes at the start and end.

    `SlurmNodeRoleProps` describes the other properties. The log groups are
    `/ultracluster/<cluster_name>/...`.
    """

    scripts_bucket_name: str
    scripts_prefix: str


class PcsNodeRole(Construct):
    """A role with its instance profile. The role permits sessions, logs and the actions that PCS documents.

    PCS requires a role name that starts with AWSPCS, or the path `/aws-pcs/`. Role names are unique in an
    account across Regions, so the role has the path and a name from CloudFormation. Source:
    https://docs.aws.amazon.com/pcs/latest/userguide/security-instance-profiles.html

    Attributes:
        instance_profile_arn: ARN of the instance profile.
        role_name: Generated name of the role.
    """

    def __init__(self, scope: Construct, construct_id: str, props: PcsNodeRoleProps) -> None:
        """Create the role with inline permissions, and its instance profile."""
        super().__init__(scope, construct_id)
        role = add_service_role(
            self,
            "Resource",
            service="ec2.amazonaws.com",
            description=f"Nodes of the PCS cluster {props.cluster_name}",
            statements=[
                # this action does not support a resource
                statement(["pcs:RegisterComputeNodeGroupInstance"], "*", sid="Register"),
                # this action does not support a resource either
                statement(["ssm:UpdateInstanceInformation"], "*", sid="Managed"),
                session_statement(),
                log_statement(f"/ultracluster/{props.cluster_name}"),
                metric_statement("ultracluster"),
                *scripts_statements(props.scripts_bucket_name, props.scripts_prefix),
                *shared_statements(props),
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
