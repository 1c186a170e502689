"""The same profile in several environments and accounts: names that nobody else has, and what deploys them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from config.design.model import Design
from config.design.physical_names import Form, too_long
from config.profile.environment import MARK, full_name, stated_name
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
    "ENV001", ERROR, "no word of a profile's name but the first is `env`",
    why="That word stands between a name and its environment: with it in a name, two profiles could be one stack, and "
    "one deployment would change the other's cluster.",
    source=_STACKS, reads="name",
)  # fmt: skip
def name_leaves_the_mark_free(design: Design) -> Iterator[Finding]:
    """`name` without the word that environments are marked by."""
    profile = design.profile
    if MARK not in profile.name:
        return
    name = stated_name(profile)
    first, *words = name.split("-")
    if MARK not in words:
        return
    at = words.index(MARK)
    before, after = "-".join([first, *words[:at]]), "".join(words[at + 1 :])
    twin = f"`name: {before}` with `environment: {after}`" if after else f"`name: {before}`"
    yield Finding(
        at=("name",),
        message=f"{name} has the word {MARK}, which stands between a name and its environment",
        hint=f"write {twin}, or a name without that word",
    )


@rule(
    "ENV002", ERROR, "the name of a profile in its environment is short enough for every service",
    why="Services refuse a longer name when the resource is made, after the network and the file system were.",
    source=_NAMES, reads="name environment orchestrator", where="environment",
)  # fmt: skip
def names_have_room(design: Design) -> Iterator[Finding]:
    """`name` and `environment` together, in the names that services limit."""
    profile = design.profile
    found = [form for form in too_long(profile.name, design.kinds) if not _is_stated(form, design)]
    if not found:
        return
    nearest = min(found, key=lambda form: form.room)
    short = nearest.room - len(full_name("", profile.environment))
    yield Finding(
        at=("name",),
        message=f"{profile.name} gives the {nearest.what} a name of {nearest.length(profile.name)} characters; "
        f"{nearest.most} are the most",
        hint=f"in {profile.environment}, a name of {short} letters at most"
        if short > 0
        else "give the environment a shorter name",
    )


def _is_stated(form: Form, design: Design) -> bool:
    """Whether the profile names the thing itself: a database of Slurm's accounting that exists."""
    orchestrator = design.profile.orchestrator
    stated = orchestrator.accounting if isinstance(orchestrator, HyperPodSlurm) else None
    return "accounting" in form.kinds and isinstance(stated, ExistingAccounting) and bool(stated.database)


@rule(
    "ENV003", WARNING, "a cluster stands in the environment of its data",
    why="A data profile is attached to by its name in its own environment: a cluster of one environment would read and "
    "overwrite the data of another.",
    source=_STACKS, reads="data environment", where="data",
)  # fmt: skip
def data_is_of_the_same_environment(design: Design) -> Iterator[Finding]:
    """`environment` of the profile and of what it attaches to."""
    data, own = design.data_profile, design.profile.environment
    if data is None or data.environment == own:
        return
    theirs = f"in {data.environment}" if data.environment else "in none"
    yield Finding(
        at=("data", "profile"),
        message=f"the cluster is in {own or 'no environment'}, its data profile {data.name} {theirs}",
        hint=f"name a data profile with `environment: {own}`"
        if own
        else f"write `environment: {data.environment}`, or name the data of this cluster",
    )


@rule(
    "ENV004", ERROR, "a permissions boundary is a policy that the account can use",
    why="IAM refuses the policy of another account, or of another partition, and with it every role of the stack.",
    source=_BOUNDARY, reads="deployment account", where="deployment",
)  # fmt: skip
def boundary_is_of_the_account(design: Design) -> Iterator[Finding]:
    """`deployment.permissions_boundary` against the account that the profile guards."""
    profile = design.profile
    stated = profile.deployment.permissions_boundary if profile.deployment else None
    found = _ACCOUNT_OF_POLICY.match(stated) if stated else None
    if found is None or profile.account is None or found["account"] in ("aws", profile.account):
        return
    name = (stated or "").partition(":policy/")[2]
    yield Finding(
        at=("deployment", "permissions_boundary"),
        message=f"the boundary is a policy of {found['account']}, the profile is for {profile.account}",
        hint=f"write its name alone, `permissions_boundary: {name}`: the account is the one that is deployed to",
    )


@rule(
    "ENV005", WARNING, "a profile without an environment is not named like the alerts of another",
    why="A topic is named by its profile and what it is told: that of a shorter name may be the same, and whichever stack "
    "comes second fails.",
    source=_TOPICS, reads="name observability",
)  # fmt: skip
def name_does_not_end_like_a_topic(design: Design) -> Iterator[Finding]:
    """The last word of `name`, where the profile makes topics."""
    profile = design.profile
    shorter, _, last = profile.name.rpartition("-")
    if last not in _SEVERITIES or profile.environment or not shorter or profile.observability is None:
        return
    yield Finding(
        at=("name",),
        message=f"{profile.name} ends with {last}: topics of a profile {shorter} may have the same names",
        hint=f"end the name with another word, or write `name: {shorter}` with an `environment`",
    )
