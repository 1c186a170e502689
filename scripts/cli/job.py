"""The `ultracluster job` command."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from config.cluster import load_cluster
from config.design.access.people import ClusterUser
from config.design.kubernetes.people import team_namespaces
from config.design.kubernetes.plan import EksPlan
from config.design.kubernetes.scheduler.job_nodes import Work
from config.design.kubernetes.scheduler.job_user import JobUser
from config.design.kubernetes.scheduler.jobs import gang_job
from config.design.kubernetes.scheduler.part import is_governed
from config.design.kubernetes.steps import Object
from config.design.model import Design
from config.design.nodes.containers import registry_of, resolved
from config.diagnostics import in_one_line
from config.profile.orchestrator import Eks, HyperPodEks
from scripts.cli.output import refuse, write_diagnostics, write_json

_NAME = re.compile(r"[a-z]([a-z0-9-]{0,30}[a-z0-9])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Arguments of the command line."""

    image: str
    command: str
    name: str
    orchestrator: str | None = None
    group: str | None = None
    team: str | None = None
    nodes: int | None = None
    user: str | None = None
    account: str | None = None
    as_json: bool = False


def write_job(profile: str, options: Options) -> int:
    """Print the manifest of a job that uses whole nodes, for the scheduler of the profile's cluster."""
    if not _NAME.fullmatch(options.name):
        return refuse(
            f"{options.name!r} is not a valid job name",
            "use at most 32 lower-case letters, digits and hyphens; start with a letter and do not end with "
            "a hyphen",
        )
    if not options.image or any(letter.isspace() for letter in options.image):
        return refuse(f"{options.image!r} is not a container image", "set --image to a name such as train:1")
    cluster = load_cluster(profile, orchestrator=options.orchestrator)
    if cluster.exit_status or cluster.design is None:
        write_diagnostics(cluster.diagnostics, stderr=True)
        return cluster.exit_status
    design = cluster.design
    kubernetes = design.profile.orchestrator
    if design.eks is None or not isinstance(kubernetes, Eks | HyperPodEks):
        kind = kubernetes.kind if kubernetes else "not set"
        return refuse(
            f"the control plane of the profile is {kind}",
            "use a profile with the control plane eks or hyperpod-eks",
        )
    try:
        command = tuple(shlex.split(options.command))
    except ValueError as error:
        return refuse(f"the command is not valid: {str(error).lower()}", "close the quotes in --command")
    user = design.users.user(options.user) if options.user else None
    if options.user and user is None:
        return refuse(f"unknown user {options.user}", _known(design))
    image = _image(design, options)
    if image is None:
        hint = "add `--account NUMBER`, or set `account` in the profile"
        return refuse(f"the AWS account of the registry for {options.image} is not known", hint)
    work = Work(
        name=options.name, image=image, command=command,
        team=options.team or _team(kubernetes, user), nodes=options.nodes,
        volumes=tuple(_volumes(design.eks)),
        user=_user(design, user),
    )  # fmt: skip
    try:
        objects = gang_job(kubernetes, design.groups, work, group=options.group)
    except LookupError as error:
        governed = is_governed(kubernetes)
        own = "submit jobs to the team queues of HyperPod task governance, as its documentation describes"
        return refuse(
            str(error.args[0]), own if governed else "run `ultracluster plan` to list teams, groups and nodes"
        )
    if options.as_json:
        write_json(list(objects))
    else:
        print(_text(objects, profile, kubernetes.scheduler), end="")
    return 0


def _image(design: Design, options: Options) -> str | None:
    """Return the full image name; None if the AWS account of the profile's registry is unknown."""
    path = resolved(design.pulled, options.image)
    if path is None:
        return options.image
    account = options.account or design.profile.account
    return f"{registry_of(account, design.profile.region)}/{path}" if account else None


def _known(design: Design) -> str:
    names = [user.name for user in design.users.users]
    shown = ", ".join(names[:8])
    return f"use one of {shown}" if names else "declare users under `access.users`"


def _user(design: Design, user: ClusterUser | None) -> JobUser | None:
    """Return the UID, the GIDs and the home directory of a user; None without a user."""
    if user is None:
        return None
    gids = {group.name: group.gid for group in design.users.groups}
    return JobUser(
        name=user.name,
        uid=user.uid,
        gid=user.gid,
        groups=tuple(sorted(gids[name] for name in user.groups)),
        home=f"{design.home.mount_path}/{user.name}" if design.home else None,
    )


def _team(kubernetes: Eks | HyperPodEks, user: ClusterUser | None) -> str | None:
    """Return the first of the user's teams that has a namespace in the cluster; None if no team has one."""
    known = team_namespaces(kubernetes)
    return next((team for team in user.shared_groups if team in known), None) if user else None


def _volumes(eks: EksPlan) -> Iterator[tuple[str, str]]:
    """Yield the name and mount path of each file system that the nodes mount."""
    for system in eks.storage.file_systems:
        yield system.name, system.mount_path
    if eks.storage.home:
        yield "home", eks.storage.home.mount_path


def _text(objects: Sequence[Object], profile: str, scheduler: str) -> str:
    name = objects[-1]["metadata"]["name"]
    first = f"{name}-node-0.{name}" if scheduler == "volcano" else f"{name}-0.{name}"
    rank = "VC_TASK_INDEX" if scheduler == "volcano" else "JOB_COMPLETION_INDEX"
    head = (
        f"# created from the profile {in_one_line(Path(profile).name)} by `ultracluster job`; submit it with "
        "`kubectl create -f`",
        f"# the first pod is {first}; {rank} is the index of each pod",
    )
    plain = json.loads(json.dumps(list(objects)))
    return "\n".join((*head, "")) + yaml.safe_dump_all(plain, sort_keys=False, width=100)
