"""Access entries of users: one for each user who has an IAM principal.

A user's group is a team if the scheduler has a team of that name. Users in a team have rights in the team's
namespace. Your own role bindings can name the groups.
"""

from __future__ import annotations

from collections.abc import Mapping

from config.design.access.people import ClusterUser, ClusterUsers
from config.design.kubernetes.scheduler.part import is_governed
from config.profile.kubernetes.base import Kubernetes
from config.profile.kubernetes.cluster import Access
from config.profile.kubernetes.hyperpod_eks import HyperPodEks


def people_entries(kubernetes: Kubernetes, users: ClusterUsers) -> tuple[Access, ...]:
    """Return the access entries of all users with a principal and a group."""
    spaces = team_namespaces(kubernetes)
    return tuple(_entry(user, spaces) for user in users.users if user.principal and user.shared_groups)


def team_namespaces(kubernetes: Kubernetes) -> Mapping[str, str]:
    """Return the namespace of each team of the profile, by team name.

    Task governance creates its own namespace names
    (https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-operate-console-ui-governance-policies.html).
    """
    if isinstance(kubernetes, HyperPodEks) and kubernetes.task_governance is not None:
        return {team.name: f"hyperpod-ns-{team.name}" for team in kubernetes.task_governance.teams}
    if is_governed(kubernetes):
        return {}
    return {team.name: team.namespace or team.name for team in kubernetes.scheduling.teams}


def _entry(user: ClusterUser, spaces: Mapping[str, str]) -> Access:
    namespaces = tuple(sorted(spaces[team] for team in user.shared_groups if team in spaces))
    return Access(
        principal=user.principal or "",
        policy=user.rights if namespaces else None,
        namespaces=namespaces,
        groups=user.shared_groups[:20],
    )
