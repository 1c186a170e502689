"""Rules for a profile in several environments and accounts: unique names, and deployment settings."""

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
    "ENV001", ERROR, "only the first part of a profile's name may be `env`",
    why="The text `env` separates a name from its environment. With `env` in a name, two profiles could have the "
    "same stack, and deploying one would change the cluster of the other.",
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
        message=f"{name} contains {MARK}, which separates a name from its environment",
        hint=f"write {twin}, or a name without `{MARK}`",
    )


@rule(
    "ENV002", ERROR, "the name of a profile with its environment is short enough for every service",
    why="AWS rejects a longer name when it creates the resource, after it has created the network and the file system.",
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
        message=f"with {profile.name}, the name of the {nearest.what} has {nearest.length(profile.name)} characters; "
        f"the maximum is {nearest.most}",
        hint=f"in {profile.environment}, use a name of at most {short} letters"
        if short > 0
        else "use a shorter name for the environment",
    )


def _is_declared(form: Form, design: Design) -> bool:
    """Return True if the profile sets the name itself: an existing Slurm accounting database."""
    orchestrator = design.profile.orchestrator
    declared = orchestrator.accounting if isinstance(orchestrator, HyperPodSlurm) else None
    return "accounting" in form.kinds and isinstance(declared, ExistingAccounting) and bool(declared.database)


@rule(
    "ENV003", WARNING, "a cluster is in the environment of its data profile",
    why="A cluster uses the data profile by its name with the environment of that profile. A cluster of one environment "
    "would read and overwrite the data of another.",
    source=_STACKS, reads="data environment", where="data",
)  # fmt: skip
def data_is_of_the_same_environment(design: Design) -> Iterator[Finding]:
    """Compare `environment` of the profile and its data profile."""
    data, own = design.data_profile, design.profile.environment
    if data is None or data.environment == own:
        return
    theirs = f"is in {data.environment}" if data.environment else "has no environment"
    yield Finding(
        at=("data", "profile"),
        message=f"the cluster {f'is in {own}' if own else 'has no environment'}, its data profile {data.name} {theirs}",
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
        message=f"the boundary is a policy of account {found['account']}, the profile is for {profile.account}",
        hint=f"write only the name, `permissions_boundary: {name}`, for a policy of the deployment's account",
    )


@rule(
    "ENV005", WARNING, "the name of a profile without an environment does not end with a severity",
    why="The name of an SNS topic consists of the profile's name and severities. A profile with the shorter name can "
    "have a topic with the same name, and the stack that is deployed second fails.",
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
        message=f"{profile.name} ends with {last}, so topics of a profile {shorter} may have the same names",
        hint=f"change the end of the name, or write `name: {shorter}` with an `environment`",
    )
