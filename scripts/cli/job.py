"""`ultracluster job`."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from config.cluster import load_cluster
from config.design.access.people import Person
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
    """What the command line says, as it was typed."""

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


def write_job(given: str, options: Options) -> int:
    """Print a job over whole nodes, as the scheduler of the profile's cluster admits it."""
    if not _NAME.fullmatch(options.name):
        return refuse(
            f"{options.name!r} is no name of a job",
            "lower-case letters, digits and inner hyphens, 32 at most",
        )
    cluster = load_cluster(given, orchestrator=options.orchestrator)
    if cluster.exit_status or cluster.design is None:
        write_diagnostics(cluster.diagnostics, stderr=True)
        return cluster.exit_status
    design = cluster.design
    kubernetes = design.profile.orchestrator
    if design.eks is None or not isinstance(kubernetes, Eks | HyperPodEks):
        kind = kubernetes.kind if kubernetes else "no control plane"
        return refuse(f"the profile has {kind}", "jobs are those of Kubernetes: eks or hyperpod-eks")
    try:
        command = tuple(shlex.split(options.command))
    except ValueError as error:
        return refuse(f"the command cannot be read: {str(error).lower()}", "close its quotes")
    person = design.everybody.person(options.user) if options.user else None
    if options.user and person is None:
        return refuse(f"no user {options.user}", _known(design))
    image = _image(design, options)
    if image is None:
        hint = "give `--account NUMBER`, or write `account:` into the profile"
        return refuse(f"{options.image} is in this profile's registry, and no account is known", hint)
    work = Work(
        name=options.name, image=image, command=command,
        team=options.team or _team(kubernetes, person), nodes=options.nodes,
        volumes=tuple(_volumes(design.eks)),
        user=_user(design, person),
    )  # fmt: skip
    try:
        objects = gang_job(kubernetes, design.groups, work, group=options.group)
    except LookupError as error:
        governed = is_governed(kubernetes)
        own = "jobs go through the queues of its teams, as HyperPod's documentation shows"
        return refuse(
            str(error.args[0]), own if governed else "`ultracluster plan` tells teams, groups and nodes"
        )
    if options.as_json:
        write_json(list(objects))
    else:
        print(_text(objects, given, kubernetes.scheduler), end="")
    return 0


def _image(design: Design, options: Options) -> str | None:
    """The image as pods pull it: one of the profile's by its whole address; None where that is not known."""
    path = resolved(design.pulled, options.image)
    if path is None:
        return options.image
    account = options.account or design.profile.account
    return f"{registry_of(account, design.profile.region)}/{path}" if account else None


def _known(design: Design) -> str:
    names = [person.name for person in design.everybody.people]
    shown = ", ".join(names[:8])
    return f"the profile has {shown}" if names else "state people under `access.users`"


def _user(design: Design, person: Person | None) -> JobUser | None:
    """Ids of somebody, and their home where the cluster has homes."""
    if person is None:
        return None
    gids = {team.name: team.gid for team in design.everybody.teams}
    return JobUser(
        name=person.name,
        uid=person.uid,
        gid=person.gid,
        groups=tuple(sorted(gids[name] for name in person.groups)),
        home=f"{design.home.mount_path}/{person.name}" if design.home else None,
    )


def _team(kubernetes: Eks | HyperPodEks, person: Person | None) -> str | None:
    """The first team of somebody that the scheduler has."""
    known = team_namespaces(kubernetes)
    return next((team for team in person.teams if team in known), None) if person else None


def _volumes(eks: EksPlan) -> Iterator[tuple[str, str]]:
    """The file systems where nodes have them."""
    for system in eks.storage.file_systems:
        yield system.name, system.mount_path
    if eks.storage.home:
        yield "home", eks.storage.home.mount_path


def _text(objects: Sequence[Object], given: str, scheduler: str) -> str:
    name = objects[-1]["metadata"]["name"]
    first = f"{name}-node-0.{name}" if scheduler == "volcano" else f"{name}-0.{name}"
    rank = "VC_TASK_INDEX" if scheduler == "volcano" else "JOB_COMPLETION_INDEX"
    head = (
        f"# written from the profile {in_one_line(Path(given).name)} by `ultracluster job`; start it with "
        "`kubectl create -f`",
        f"# the first pod is {first}, and {rank} tells each pod which it is",
    )
    plain = json.loads(json.dumps(list(objects)))
    return "\n".join((*head, "")) + yaml.safe_dump_all(plain, sort_keys=False, width=100)
