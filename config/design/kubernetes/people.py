"""What people may do under Kubernetes: an access entry for each who has an IAM principal.

Their groups are teams where the scheduler has a team of that name: in its namespace they have their rights.
Role bindings of one's own can name the groups themselves.
"""

from __future__ import annotations

from collections.abc import Mapping

from config.design.access.people import Everybody, Person
from config.design.kubernetes.scheduler.part import is_governed
from config.profile.kubernetes.base import Kubernetes
from config.profile.kubernetes.cluster import Access
from config.profile.kubernetes.hyperpod_eks import HyperPodEks


def people_entries(kubernetes: Kubernetes, people: Everybody) -> tuple[Access, ...]:
    """Access entries of everybody with a principal and any group."""
    spaces = team_namespaces(kubernetes)
    return tuple(_entry(person, spaces) for person in people.people if person.principal and person.teams)


def team_namespaces(kubernetes: Kubernetes) -> Mapping[str, str]:
    """The namespace of each team that the profile states, by the team's name.

    Task governance names its namespaces itself
    (https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-operate-console-ui-governance-policies.html).
    """
    if isinstance(kubernetes, HyperPodEks) and kubernetes.task_governance is not None:
        return {team.name: f"hyperpod-ns-{team.name}" for team in kubernetes.task_governance.teams}
    if is_governed(kubernetes):
        return {}
    return {team.name: team.namespace or team.name for team in kubernetes.scheduling.teams}


def _entry(person: Person, spaces: Mapping[str, str]) -> Access:
    namespaces = tuple(sorted(spaces[team] for team in person.teams if team in spaces))
    return Access(
        principal=person.principal or "",
        policy=person.rights if namespaces else None,
        namespaces=namespaces,
        groups=person.teams[:20],
    )
