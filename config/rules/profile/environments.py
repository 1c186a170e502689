"""Rules for the names and deployment settings of a profile that several environments and accounts use."""

from __future__ import annotations

import re
from collections.abc import Iterator

from config.design.model import Design
from config.design.physical_names import Form, too_long
from config.profile.environment import MARK, declared_name, full_name
from config.profile.orchestrator import HyperPodSlurm
from config.profile.slurm.hyperpod import ExistingAccounting
from config.rules.registry import ERROR, WARNING, Finding, rule

_STACKS = "https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateStack.html"
_NAMES = "https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-name.html"
_BOUNDARY = "https://docs.aws.amazon.com/IAM/latest/APIReference/API_PutRolePermissionsBoundary.html"
_TOPICS = "https://docs.aws.amazon.com/sns/latest/api/API_CreateTopic.html"

_ACCOUNT_OF_POLICY = re.compile(r"arn:(?P<partition>aws[a-z-]*):iam::(?P<account>[0-9]{12}|aws):")
_SEVERITIES = frozenset(("critical", "info", "warning"))


@rule(
    "ENV001", ERROR, "a profile's name contains `env` only as its first part",
    why="In names of stacks, the part `env` separates the profile's name from the environment. If a profile's name also contains "
    "`env`, two profiles can have the same stack, and deploying one profile would change the cluster of the other profile.",
    source=_STACKS, reads="name",
)  # fmt: skip
def name_leaves_the_mark_free(design: Design) -> Iterator[Finding]:
    """Check that `name` does not contain the separator of environments."""
    profile = design.profile
    if MARK not in profile.name:
        return
    name = declared_name(profile)
    first, *parts = name.split("-")
    if MARK not in parts:
        return
    at = parts.index(MARK)
    before, after = "-".join([first, *parts[:at]]), "".join(parts[at + 1 :])
    twin = f"`name: {before}` with `environment: {after}`" if after else f"`name: {before}`"
    yield Finding(
        at=("name",),
        message=f"the name `{name}` contains `{MARK}`, which separates a profile's name from its environment",
        hint=f"set {twin}, or a name without `{MARK}`",
    )


@rule(
    "ENV002", ERROR, "with the environment, the profile's name is short enough for every service",
    why="AWS rejects a name that is too long only when it creates the resource, after the network and the file system are created.",
    source=_NAMES, reads="name environment orchestrator", where="environment",
)  # fmt: skip
def names_have_room(design: Design) -> Iterator[Finding]:
    """Check the length of all names that contain `name` and `environment`."""
    profile = design.profile
    found = [form for form in too_long(profile.name, design.kinds) if not _is_declared(form, design)]
    if not found:
        return
    nearest = min(found, key=lambda form: form.room)
    short = nearest.room - len(full_name("", profile.environment))
    yield Finding(
        at=("name",),
        message=f"the name {profile.name} is too long: the name of the {nearest.what} has {nearest.length(profile.name)} "
        f"characters, but the maximum is {nearest.most}",
        hint=f"set `name` to at most {short} characters for the environment {profile.environment}"
        if short > 0
        else "set `environment` to a shorter name",
    )


def _is_declared(form: Form, design: Design) -> bool:
    """Return True if the profile sets this name: the name of an existing Slurm accounting database."""
    orchestrator = design.profile.orchestrator
    declared = orchestrator.accounting if isinstance(orchestrator, HyperPodSlurm) else None
    return "accounting" in form.kinds and isinstance(declared, ExistingAccounting) and bool(declared.database)


@rule(
    "ENV003", WARNING, "a cluster is in the environment of its data profile",
    why="A cluster of one environment that uses the data profile of another environment reads and overwrites the data of that "
    "environment.",
    source=_STACKS, reads="data environment", where="data",
)  # fmt: skip
def data_is_of_the_same_environment(design: Design) -> Iterator[Finding]:
    """Compare `environment` of the profile and its data profile."""
    data, own = design.data_profile, design.profile.environment
    if data is None or data.environment == own:
        return
    theirs = f"is in the environment {data.environment}" if data.environment else "has no environment"
    yield Finding(
        at=("data", "profile"),
        message=f"the cluster {f'is in the environment {own}' if own else 'has no environment'}, but its data profile {data.name} "
        f"{theirs}",
        hint=f"name a data profile with `environment: {own}`"
        if own
        else f"write `environment: {data.environment}`, or name a data profile without an environment",
    )


@rule(
    "ENV004", ERROR, "a permissions boundary is a policy of the profile's account",
    why="IAM rejects the policy of another account or partition as a boundary, so every role of the stack fails.",
    source=_BOUNDARY, reads="deployment account", where="deployment",
)  # fmt: skip
def boundary_is_of_the_account(design: Design) -> Iterator[Finding]:
    """Compare the account of `deployment.permissions_boundary` with `account`."""
    profile = design.profile
    declared = profile.deployment.permissions_boundary if profile.deployment else None
    found = _ACCOUNT_OF_POLICY.match(declared) if declared else None
    if found is None or profile.account is None or found["account"] in ("aws", profile.account):
        return
    name = (declared or "").partition(":policy/")[2]
    yield Finding(
        at=("deployment", "permissions_boundary"),
        message=f"the permissions boundary is a policy of account {found['account']}, but the profile is for account "
        f"{profile.account}",
        hint=f"set `permissions_boundary: {name}`, which names a policy of the profile's account",
    )


@rule(
    "ENV005", WARNING, "the name of a profile without an environment does not end with a severity",
    why="The name of an SNS topic consists of the profile's name and the severities. If the profile's name ends with a severity, "
    "another profile can have a topic with the same name, and the stack that is deployed second fails.",
    source=_TOPICS, reads="name observability",
)  # fmt: skip
def name_does_not_end_like_a_topic(design: Design) -> Iterator[Finding]:
    """Check the last part of `name` if the profile creates topics."""
    profile = design.profile
    shorter, _, last = profile.name.rpartition("-")
    if last not in _SEVERITIES or profile.environment or not shorter or profile.observability is None:
        return
    yield Finding(
        at=("name",),
        message=f"the name `{profile.name}` ends with the severity `{last}`, so this profile's topics may have the same names as "
        f"the topics of a profile `{shorter}`",
        hint=f"change the end of the name, or write `name: {shorter}` with an `environment`",
    )
