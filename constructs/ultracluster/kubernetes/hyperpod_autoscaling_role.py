"""Role that HyperPod's Karpenter uses to scale groups."""

from collections.abc import Sequence
from dataclasses import dataclass

from constructs import Construct

from ultracluster.cfn import Tagged, add_service_role, attribute, statement, sub


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodAutoscalingRoleProps(Tagged):
    """Properties of the autoscaling role.

    Attributes:
        cluster_name: Name of the cluster, for the role's description. The permissions cannot name the
            cluster's ARN, which contains an id that is unknown before the cluster is created.
        volume_key_arns: KMS keys of root and secondary volumes. None by default.
    """

    cluster_name: str
    volume_key_arns: Sequence[str] = ()


class HyperPodAutoscalingRole(Construct):
    """A role that HyperPod assumes to scale the groups of a cluster.

    Source: https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-autoscaling-iam.html

    Attributes:
        role_arn: The role.
    """

    def __init__(self, scope: Construct, construct_id: str, props: HyperPodAutoscalingRoleProps) -> None:
        """Create the role with its permissions inline."""
        super().__init__(scope, construct_id)
        clusters = sub("arn:${AWS::Partition}:sagemaker:${AWS::Region}:${AWS::AccountId}:cluster/*")
        statements = [
            statement(
                ["sagemaker:BatchAddClusterNodes", "sagemaker:BatchDeleteClusterNodes"], clusters, sid="Nodes"
            )
        ]
        if props.volume_key_arns:
            condition = {
                "StringEquals": {"kms:ViaService": sub("sagemaker.${AWS::Region}.amazonaws.com")},
                "Bool": {"kms:GrantIsForAWSResource": "true"},
            }
            keys = sorted(set(props.volume_key_arns))
            statements += [
                statement(["kms:CreateGrant"], keys, sid="VolumeKeyGrants", condition=condition),
                statement(["kms:DescribeKey"], keys, sid="VolumeKeys"),
            ]
        role = add_service_role(
            self,
            "Resource",
            service="hyperpod.sagemaker.amazonaws.com",
            description=f"Karpenter of the HyperPod cluster {props.cluster_name}",
            statements=statements,
            tags=props.tags,
            source_account_condition=False,
        )
        self.role_arn = attribute(role, "Arn")
