"""Task governance of a HyperPod cluster: scheduling policy and team quotas."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from constructs import Construct, IDependable

from ultracluster.cfn import Tagged, add_resource, tag_list

Sharing = Literal["Lend", "DontLend", "LendAndBorrow"]
Preemption = Literal["Never", "LowerPriority"]
_LONGEST_NAME = 63


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamQuotaProps:
    """A team and its quota.

    Attributes:
        team_name: The team, which gets the namespace `hyperpod-ns-TEAM`. Fixed at creation.
        nodes: Whole nodes by SageMaker instance type. Quotas for parts of a node are not supported, because
            the service adds values to them, and the quotas would always differ from the template.
        fair_share_weight: Weight for the distribution of idle capacity, 0 to 100.
        sharing: How the team shares idle nodes.
        borrow_limit_percent: Maximum that the team borrows, in percent of its quota. Only for teams that
            borrow.
        preempt: Whether a task preempts lower-priority tasks of the same team.
    """

    team_name: str
    nodes: Mapping[str, int]
    fair_share_weight: int
    sharing: Sharing
    borrow_limit_percent: int
    preempt: Preemption


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPodTaskGovernanceProps(Tagged):
    """The policy of a cluster and the quotas of its teams.

    Attributes:
        name: Name of the policy, and prefix of the quotas' names. Fixed at creation.
        cluster_arn: The HyperPod cluster on EKS. Fixed at creation.
        fair_share: Whether idle nodes are distributed by weight.
        idle_resource_sharing: Whether teams can use nodes that are not part of any quota.
        priority_classes: Weights of priority classes by name.
        teams: The teams.
        ready: The task governance add-on, whose webhook must respond before these resources are created.
    """

    name: str
    cluster_arn: str
    fair_share: bool
    idle_resource_sharing: bool
    priority_classes: Mapping[str, int] = field(default_factory=dict)
    teams: Sequence[TeamQuotaProps] = ()
    ready: Sequence[IDependable] = ()


class HyperPodTaskGovernance(Construct):
    """A cluster's scheduling policy and one quota for each team."""

    def __init__(self, scope: Construct, construct_id: str, props: HyperPodTaskGovernanceProps) -> None:
        """Create the policy and the quotas."""
        super().__init__(scope, construct_id)
        policy = add_resource(
            self,
            "Policy",
            "AWS::SageMaker::ClusterSchedulerConfig",
            {
                "Name": props.name,
                "ClusterArn": props.cluster_arn,
                "SchedulerConfig": _scheduler_config(props),
                "Tags": tag_list(props.tags),
            },
            depends_on=props.ready,
        )
        names = _quota_names(props)
        for team in sorted(props.teams, key=lambda team: team.team_name):
            add_resource(
                self,
                f"Quota-{team.team_name}",
                "AWS::SageMaker::ComputeQuota",
                {
                    "Name": names[team.team_name],
                    "ClusterArn": props.cluster_arn,
                    "ActivationState": "Enabled",
                    "ComputeQuotaTarget": {
                        "TeamName": team.team_name,
                        "FairShareWeight": team.fair_share_weight,
                    },
                    "ComputeQuotaConfig": _quota_config(team),
                    "Tags": tag_list(props.tags),
                },
                # weights require the policy; the dependency also orders the deletion
                depends_on=(policy, *props.ready),
            )


def _quota_names(props: HyperPodTaskGovernanceProps) -> dict[str, str]:
    """Return the name of each team's quota. Names end with a hash if they would be equal after truncation."""
    whole = {team.team_name: f"{props.name}-{team.team_name}" for team in props.teams}
    cut = {team: name[:_LONGEST_NAME].rstrip("-") for team, name in whole.items()}
    uses = Counter(cut.values())
    return {team: name if uses[name] == 1 else _fingerprinted(whole[team]) for team, name in cut.items()}


def _fingerprinted(name: str) -> str:
    word = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{name[: _LONGEST_NAME - 9].rstrip('-')}-{word}"


def _scheduler_config(props: HyperPodTaskGovernanceProps) -> dict[str, Any]:
    classes = sorted(props.priority_classes.items())
    return {
        "FairShare": "Enabled" if props.fair_share else "Disabled",
        "IdleResourceSharing": "Enabled" if props.idle_resource_sharing else "Disabled",
        "PriorityClasses": [{"Name": name, "Weight": weight} for name, weight in classes] or None,
    }


def _quota_config(team: TeamQuotaProps) -> dict[str, Any]:
    limit = team.borrow_limit_percent if team.sharing == "LendAndBorrow" else None
    nodes = [{"InstanceType": name, "Count": count} for name, count in sorted(team.nodes.items())]
    return {
        "ComputeQuotaResources": nodes or None,
        "ResourceSharingConfig": {"Strategy": team.sharing, "BorrowLimit": limit},
        "PreemptTeamTasks": team.preempt,
    }
