"""Rules that an Amazon Managed Service for Prometheus workspace evaluates."""

from dataclasses import dataclass

from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, tag_list
from ultracluster.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRulesProps(Tagged):
    """Properties of a rules file in an AMP workspace.

    Attributes:
        workspace_arn: ARN of the AMP workspace.
        name: Name of the rule groups namespace, 1 to 64 characters. A change of the name replaces the
            namespace.
        text: Rules file in Prometheus format, at most 1 MB.
    """

    workspace_arn: str
    name: str
    text: str


class AlertRules(Construct):
    """A file of recording and alerting rules, which is deleted with its stack."""

    def __init__(self, scope: Construct, construct_id: str, props: AlertRulesProps) -> None:
        """Load the file into the workspace."""
        super().__init__(scope, construct_id)
        add_resource(
            self,
            "Resource",
            "AWS::APS::RuleGroupsNamespace",
            {
                "Workspace": props.workspace_arn,
                "Name": props.name,
                "Data": props.text,
                "Tags": tag_list(props.tags),
            },
            retention=Retention.DISPOSABLE,
        )
