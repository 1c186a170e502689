"""The role that machines of an AWS PCS cluster run with."""

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
"""The path by which PCS knows the roles that it may pass on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PcsNodeRoleProps(SlurmNodeRoleProps):
    """What the machines of one PCS cluster may do.

    Attributes:
        scripts_bucket_name: Bucket of the node scripts.
        scripts_prefix: Folder of all versions of the node scripts in it, without slashes at its ends.

    The rest is described in `SlurmNodeRoleProps`; the log groups are `/ultracluster/<cluster_name>/...`.
    """

    scripts_bucket_name: str
    scripts_prefix: str


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
                # this action takes none either
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
