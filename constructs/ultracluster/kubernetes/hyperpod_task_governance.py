"""Task governance of a HyperPod cluster: how tasks are ordered, and what each team has."""

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
    """A team and its nodes.

    Attributes:
        team_name: The team, which gets the namespace `hyperpod-ns-TEAM`. Fixed at creation.
        nodes: Whole nodes by SageMaker type. Parts of a node are filled in by the service and would then
            differ from the template for ever.
        fair_share_weight: Its part of what is idle, 0 to 100.
        sharing: What the team does with idle nodes.
        borrow_limit_percent: How much it borrows at most, in per cent of what it has; only where it borrows.
        preempt: Whether a task stops those of its team that have a lower priority.
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
        name: Name of the policy, and the beginning of the quotas' names. Fixed at creation.
        cluster_arn: The HyperPod cluster, which runs Kubernetes. Fixed at creation.
        fair_share: Whether idle nodes go to teams by their weight.
        idle_resource_sharing: Whether teams may use nodes that no team has.
        priority_classes: Weights of classes of tasks by name.
        teams: The teams.
        ready: The add-on of task governance: its webhook must answer before any of this is made.
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
                # weights mean something once the policy says so; and one after the other on the way down
                depends_on=(policy, *props.ready),
            )


def _quota_names(props: HyperPodTaskGovernanceProps) -> dict[str, str]:
    """The name of each team's quota; names that would be cut to the same one end with a fingerprint."""
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
