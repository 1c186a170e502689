"""What nodes can do for people: accounts, homes, directories, sessions, and rights under Kubernetes."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.model import Design
from config.design.nodes.clients import KUBERNETES
from config.diagnostics import Path
from config.profile.access.cluster import ClusterAccess
from config.profile.kubernetes.base import Kubernetes
from config.profile.storage.lustre import NewLustre
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_ACCESS: Path = ("access",)
_SSSD = "https://manpages.ubuntu.com/manpages/bionic/man5/sssd-ldap.5.html"
_ENTRIES = "https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html"
_HOME = "https://slurm.schedmd.com/sbatch.html"
_SQUASH = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/root-squash.html"


def _access(design: Design) -> ClusterAccess:
    access = design.profile.access
    assert access is not None  # where
    return access


def _kind(design: Design) -> str | None:
    return design.profile.orchestrator.kind if design.profile.orchestrator else None


@rule(
    "ACS010", ERROR, "people are stated where there are nodes",
    why="A data profile has a network and storage, and nobody logs in there: its clusters have their people.",
    source=_SSSD, reads="access orchestrator compute", where="access",
)  # fmt: skip
def people_have_nodes(design: Design) -> Iterator[Finding]:
    """`access` in a profile without a control plane."""
    if design.profile.access is not None and design.profile.orchestrator is None:
        yield Finding(
            at=_ACCESS,
            message="the profile states `access`, and has no nodes that anybody could work on",
            hint="move it to the profiles of the clusters; one `users_file` can serve all of them",
        )


@rule(
    "ACS011", ERROR, "nodes that shall have accounts run the scripts that make them",
    why="Accounts, homes and sssd are the work of ultracluster's scripts; where none of them runs, nobody does it.",
    source=_SSSD, reads="access orchestrator", where="people directory shared-directories",
)  # fmt: skip
def scripts_make_accounts(design: Design) -> Iterator[Finding]:
    """HyperPod with scripts of its own or of the user's."""
    wanted = design.kinds & {"people", "directory", "shared-directories"}
    if wanted and design.hyperpod is not None and design.hyperpod.scripts is None:
        yield Finding(
            at=_ACCESS,
            message="nodes run none of ultracluster's scripts, so nobody makes the accounts that `access` states",
            hint="write `orchestrator: {lifecycle: {kind: extended}}`, or make them in your own scripts and drop `access`",
        )


@rule(
    "ACS012", ERROR, "what people have on nodes is stated where people log in to nodes",
    why="Under Kubernetes people reach the API and not nodes: nodes ask no directory and make no directories.",
    source=_ENTRIES, reads="access orchestrator", where="directory shared-directories",
)  # fmt: skip
def nodes_of_kubernetes_have_no_accounts(design: Design) -> Iterator[Finding]:
    """Keys of nodes under EKS."""
    kind, access = _kind(design), design.profile.access
    if kind not in KUBERNETES or access is None:
        return
    for key in ("directory", "directories"):
        if getattr(access, key):
            yield Finding(
                at=(*_ACCESS, key),
                message=f"{kind} has no accounts on its nodes, and nothing that `{key}` would be for",
                hint="take it out; people of Kubernetes are `access.users` with a `principal:`",
            )


@rule(
    "ACS013", NOTE, "keys and sudo are for nodes that people log in to",
    why="One file of people may serve clusters of both kinds: what Kubernetes has no use for is left aside there.",
    source=_ENTRIES, reads="access orchestrator", where="people",
)  # fmt: skip
def keys_are_for_nodes(design: Design) -> Iterator[Finding]:
    """ssh_keys and sudo under EKS."""
    if _kind(design) not in KUBERNETES:
        return
    idle = [person.name for person in design.everybody.people if person.ssh_keys or person.sudo]
    if idle:
        yield Finding(
            at=_ACCESS,
            message=f"ssh keys and sudo of {_some(idle)} are not used: nodes of {_kind(design)} have no accounts",
            hint="give each who uses the cluster a `principal:`; ids are for `ultracluster job --user`",
        )


@rule(
    "ACS014", WARNING, "a principal has rights in Kubernetes",
    why="Rights come by team: in the namespace of a team of the scheduler that has the name of one of their groups. "
    "Without one they are known to the cluster and may do nothing there, but for your own role bindings.",
    source=_ENTRIES, reads="access orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def principals_have_rights(design: Design) -> Iterator[Finding]:
    """Users whose groups are no teams."""
    kubernetes = design.profile.orchestrator
    if design.profile.access is None or not isinstance(kubernetes, Kubernetes):
        return
    # read for people of Kubernetes, and not to validate a profile of Slurm
    from config.design.kubernetes.people import team_namespaces

    teams = team_namespaces(kubernetes)
    idle = [
        person.name
        for person in design.everybody.people
        if person.principal and not any(team in teams for team in person.teams)
    ]
    if idle:
        known = f"teams are {', '.join(sorted(teams))}" if teams else "the profile states no teams"
        yield Finding(
            at=_ACCESS,
            message=f"no group of {_some(idle)} is a team: {known}",
            hint="name groups like teams, or bind roles to the groups yourself and waive this",
        )


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


@rule(
    "ACS015", WARNING, "homes are on a file system that all nodes share",
    why="A job starts in the folder that it was sent from: without shared homes it is not there on the nodes that run it.",
    source=_HOME, reads="access storage data orchestrator", where="people directory",
)  # fmt: skip
def homes_are_shared(design: Design) -> Iterator[Finding]:
    """Slurm without home directories and without Lustre."""
    if _kind(design) in (None, *KUBERNETES) or not design.kinds & {"people", "directory"}:
        return
    if design.home is None and not design.file_systems:
        yield Finding(
            at=_ACCESS,
            message="the cluster shares no file system, so each node has other homes under /home",
            hint="add `storage: {home: {kind: new, users: 20}}`",
        )


@rule(
    "ACS016", ERROR, "directories for people are on a shared file system",
    why="On a node's own disk each node would make its own, and they are lost with the node.",
    source=_HOME, reads="access storage data", where="shared-directories",
)  # fmt: skip
def directories_are_shared(design: Design) -> Iterator[Finding]:
    """Their paths."""
    mounts = [system.mount_path for system in design.file_systems]
    mounts += [design.home.mount_path] if design.home else []
    for i, one in enumerate(_access(design).directories if design.profile.access else ()):
        if not any(one.path.startswith(f"{mount}/") for mount in mounts):
            yield Finding(
                at=(*_ACCESS, "directories", i, "path"),
                message=f"{one.path} lies on no file system of the cluster",
                hint=f"write a path below {' or '.join(mounts)}" if mounts else "add `storage.lustre` first",
            )


@rule(
    "ACS017", ERROR, "root of the nodes may give directories on Lustre away",
    why="Nodes make homes and directories as root; where Lustre takes root for somebody else, they are that one's.",
    source=_SQUASH, reads="access storage", where="root-squash",
)  # fmt: skip
def root_may_give_away(design: Design) -> Iterator[Finding]:
    """Root squash beside directories on that file system."""
    access, plane = design.profile.access, design.profile.orchestrator
    if access is None or plane is None or plane.kind in KUBERNETES:
        return
    paths = [one.path for one in access.directories]
    if design.home is None and design.everybody.people:
        paths.append(f"{design.file_systems[0].mount_path}/home" if design.file_systems else "")
    for at, lustre, plan in design.planned_lustre:
        squash = lustre.root_squash if isinstance(lustre, NewLustre) else None
        inside = [path for path in paths if path.startswith(f"{plan.mount_path}/")]
        if squash is not None and inside and not squash.except_clients:
            yield Finding(
                at=(*at, "root_squash"),
                message=f"root of the nodes is uid {squash.uid} on {plan.mount_path}, and cannot give {inside[0]} away",
                hint="list the login nodes in `except_clients`, or put homes on `storage.home`",
            )
