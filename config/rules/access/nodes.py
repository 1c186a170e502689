"""Rules for accounts, home directories and directories on nodes, and for rights in Kubernetes."""

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
    assert access is not None  # the rules apply only to profiles with `access`
    return access


def _kind(design: Design) -> str | None:
    return design.profile.orchestrator.kind if design.profile.orchestrator else None


@rule(
    "ACS010", ERROR, "users are declared in a profile with nodes",
    why="A data profile has a network and storage, but no nodes to log in to. Declare users in the profiles of the clusters.",
    source=_SSSD, reads="access orchestrator compute", where="access",
)  # fmt: skip
def users_have_nodes(design: Design) -> Iterator[Finding]:
    """Report `access` in a profile without a control plane."""
    if design.profile.access is not None and design.profile.orchestrator is None:
        yield Finding(
            at=_ACCESS,
            message="`access` is set, but the profile has no nodes",
            hint="move `access` to the profiles of the clusters; they can share one `users_file`",
        )


@rule(
    "ACS011", ERROR, "nodes with accounts run ultracluster's scripts",
    why="ultracluster's node scripts create the accounts and home directories and set sssd up. HyperPod runs these scripts only "
    "with `lifecycle: {kind: extended}`.",
    source=_SSSD, reads="access orchestrator", where="people directory shared-directories",
)  # fmt: skip
def scripts_create_accounts(design: Design) -> Iterator[Finding]:
    """Report users on HyperPod nodes that do not run ultracluster's scripts."""
    wanted = design.kinds & {"people", "directory", "shared-directories"}
    if wanted and design.hyperpod is not None and design.hyperpod.scripts is None:
        yield Finding(
            at=_ACCESS,
            message="nodes do not run ultracluster's scripts, so the accounts in `access` are not created",
            hint="set `orchestrator: {lifecycle: {kind: extended}}`, or create the accounts in your own scripts and remove `access`",
        )


@rule(
    "ACS012", ERROR, "directories are declared for clusters with accounts on nodes",
    why="Kubernetes users connect to the API and not to nodes. Nodes of EKS and HyperPod with EKS do not query a directory and do "
    "not create directories for users.",
    source=_ENTRIES, reads="access orchestrator", where="directory shared-directories",
)  # fmt: skip
def nodes_of_kubernetes_have_no_accounts(design: Design) -> Iterator[Finding]:
    """Report `directory` and `directories` with Kubernetes."""
    kind, access = _kind(design), design.profile.access
    if kind not in KUBERNETES or access is None:
        return
    for key in ("directory", "directories"):
        if getattr(access, key):
            yield Finding(
                at=(*_ACCESS, key),
                message=f"nodes of {kind} have no accounts, so `{key}` has no effect",
                hint=f"remove `{key}`; set a `principal:` for each Kubernetes user in `access.users`",
            )


@rule(
    "ACS013", NOTE, "SSH keys and sudo are for nodes with accounts",
    why="One users file can serve Slurm and Kubernetes clusters. Kubernetes clusters ignore the keys that they do not need.",
    source=_ENTRIES, reads="access orchestrator", where="people",
)  # fmt: skip
def keys_are_for_nodes(design: Design) -> Iterator[Finding]:
    """Report `ssh_keys` and `sudo` with Kubernetes."""
    if _kind(design) not in KUBERNETES:
        return
    idle = [user.name for user in design.users.users if user.ssh_keys or user.sudo]
    if idle:
        yield Finding(
            at=_ACCESS,
            message=f"`ssh_keys` and `sudo` of user {_some(idle)} have no effect: nodes of {_kind(design)} have no accounts",
            hint="set `principal:` for each user of this cluster; `ultracluster job --user` still uses the user's `uid`",
        )


@rule(
    "ACS014", WARNING, "a user with a `principal` has rights in Kubernetes",
    why="A user gets rights in the namespace of each scheduler team that has the name of one of the user's groups. "
    "Without a team, the user can sign in, but has only the rights of your role bindings.",
    source=_ENTRIES, reads="access orchestrator", where="eks hyperpod-eks",
)  # fmt: skip
def principals_have_rights(design: Design) -> Iterator[Finding]:
    """Report users that are not in any team's group; a team's group has the name of the team."""
    kubernetes = design.profile.orchestrator
    if design.profile.access is None or not isinstance(kubernetes, Kubernetes):
        return
    # imported here so that a Slurm profile does not load it
    from config.design.kubernetes.people import team_namespaces

    teams = team_namespaces(kubernetes)
    idle = [
        user.name
        for user in design.users.users
        if user.principal and not any(team in teams for team in user.shared_groups)
    ]
    if idle:
        known = f"the teams are {', '.join(sorted(teams))}" if teams else "the profile has no teams"
        yield Finding(
            at=_ACCESS,
            message=f"the groups of user {_some(idle)} do not have the name of a team; {known}",
            hint="rename one of the user's groups to the name of a team, or bind Kubernetes roles to the user's groups yourself "
            "and waive this rule",
        )


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


@rule(
    "ACS015", WARNING, "home directories are on a shared file system",
    why="A Slurm job starts in the directory where it was submitted. Without shared home directories, that directory does not "
    "exist on the nodes of the job.",
    source=_HOME, reads="access storage data orchestrator", where="people directory",
)  # fmt: skip
def homes_are_shared(design: Design) -> Iterator[Finding]:
    """Report users with Slurm if the nodes have neither a home file system nor Lustre."""
    if _kind(design) in (None, *KUBERNETES) or not design.kinds & {"people", "directory"}:
        return
    if design.home is None and not design.file_systems:
        yield Finding(
            at=_ACCESS,
            message="the cluster has no shared file system, so /home is different on each node",
            hint="add `storage: {home: {kind: new, users: 20}}`",
        )


@rule(
    "ACS016", ERROR, "directories for users are on a shared file system",
    why="On a local disk, each node would have separate directories, which are lost when the node is terminated.",
    source=_HOME, reads="access storage data", where="shared-directories",
)  # fmt: skip
def directories_are_shared(design: Design) -> Iterator[Finding]:
    """Check the paths of `directories`."""
    mounts = [system.mount_path for system in design.file_systems]
    mounts += [design.home.mount_path] if design.home else []
    for i, one in enumerate(_access(design).directories if design.profile.access else ()):
        if not any(one.path.startswith(f"{mount}/") for mount in mounts):
            yield Finding(
                at=(*_ACCESS, "directories", i, "path"),
                message=f"{one.path} is not on a file system of the cluster",
                hint=f"use a path below {' or '.join(mounts)}" if mounts else "add `storage.lustre` first",
            )


@rule(
    "ACS017", ERROR, "root on the nodes can set the owner of directories on Lustre",
    why="Nodes create home directories and other directories as root. With root squash, Lustre treats root as another user, "
    "who cannot change the owner.",
    source=_SQUASH, reads="access storage", where="root-squash",
)  # fmt: skip
def root_can_set_owners(design: Design) -> Iterator[Finding]:
    """Report root squash on a file system with directories for users."""
    access, plane = design.profile.access, design.profile.orchestrator
    if access is None or plane is None or plane.kind in KUBERNETES:
        return
    paths = [one.path for one in access.directories]
    if design.home is None and design.users.users:
        paths.append(f"{design.file_systems[0].mount_path}/home" if design.file_systems else "")
    for at, lustre, plan in design.planned_lustre:
        squash = lustre.root_squash if isinstance(lustre, NewLustre) else None
        inside = [path for path in paths if path.startswith(f"{plan.mount_path}/")]
        if squash is not None and inside and not squash.except_clients:
            yield Finding(
                at=(*at, "root_squash"),
                message=f"root squash maps root to uid {squash.uid} on {plan.mount_path}, so nodes cannot set the owner of "
                f"{inside[0]}",
                hint="add the addresses of the login nodes to `except_clients`, or set `storage: {home: {kind: new, users: 20}}` "
                "for home directories",
            )
