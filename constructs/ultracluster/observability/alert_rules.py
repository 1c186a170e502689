"""Rules that an Amazon Managed Service for Prometheus workspace evaluates."""

from dataclasses import dataclass

from constructs import Construct

from ultracluster.cfn import Tagged, add_resource, tag_list
from ultracluster.retention import Retention


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRulesProps(Tagged):
    """A file of rules for one workspace.

    Attributes:
        workspace_arn: The workspace.
        name: The file's name there, 1 to 64 characters; another one replaces it.
        text: The file as Prometheus reads it, 1 MB at most.
    """

    workspace_arn: str
    name: str
    text: str


class AlertRules(Construct):
    """A file of recording and alerting rules, which goes with its stack."""

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
