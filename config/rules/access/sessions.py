"""Rules for Session Manager sessions on nodes."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.model import Design
from config.design.nodes.clients import KUBERNETES
from config.diagnostics import Path
from config.rules.access.directory import check_region_and_account
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_ACCESS: Path = ("access",)
_SESSIONS: Path = (*_ACCESS, "sessions")
_RUN_AS = "https://docs.aws.amazon.com/systems-manager/latest/userguide/session-preferences-run-as.html"
_LOGGING = "https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager-logging.html"


def _kind(design: Design) -> str | None:
    return design.profile.orchestrator.kind if design.profile.orchestrator else None


@rule(
    "ACS030", NOTE, "sessions on a cluster that is not disposable are logged",
    why="CloudTrail records who opened a session and when. Only the session log contains the commands and their output.",
    source=_LOGGING, reads="access disposable", where="access",
)  # fmt: skip
def sessions_are_logged(design: Design) -> Iterator[Finding]:
    """Check that a cluster that is not disposable logs its sessions."""
    access = design.profile.access
    if access is None or design.profile.disposable or design.profile.orchestrator is None:
        return
    if access.sessions is None or (access.sessions.logs is None and access.sessions.bucket is None):
        yield Finding(
            at=_SESSIONS if access.sessions else _ACCESS,
            message="commands in sessions are not logged",
            hint="add `sessions: {logs: {retention_days: 365}}`; SSH sessions are encrypted, so the log never contains their commands",
        )


@rule(
    "ACS031", WARNING, "sessions run as an account that nodes have",
    why="Session Manager ends a session if the node does not have the account. It does not fall back on another account.",
    source=_RUN_AS, reads="access orchestrator", where="sessions",
)  # fmt: skip
def run_as_account_exists(design: Design) -> Iterator[Finding]:
    """Check `run_as` against the users and the accounts of the images."""
    sessions = design.profile.access.sessions if design.profile.access else None
    if sessions is None or sessions.run_as is None or "directory" in design.kinds:
        return
    of_images = ("ubuntu", "ec2-user")
    listed = () if _kind(design) in KUBERNETES else [user.name for user in design.users.users]
    if sessions.run_as not in (*of_images, *listed):
        yield Finding(
            at=(*_SESSIONS, "run_as"),
            message=f"nodes have no account {sessions.run_as}, because neither the profile nor the images declare this user",
            hint="set `run_as` to ubuntu (HyperPod, PCS), ec2-user (EKS) or a user of the profile",
        )


@rule(
    "ACS032", ERROR, "keys for session logs are in the Region and account of the cluster",
    why="CloudWatch Logs and Amazon S3 accept a KMS key only in the Region of the log group or bucket.",
    source=_LOGGING, reads="access region account", where="sessions",
)  # fmt: skip
def log_keys_are_in_the_region(design: Design) -> Iterator[Finding]:
    """Check Region and account of `key_arn` of logs and bucket."""
    sessions = design.profile.access.sessions if design.profile.access else None
    if sessions is None:
        return
    for name, kept in (("logs", sessions.logs), ("bucket", sessions.bucket)):
        yield from check_region_and_account(
            design, (*_SESSIONS, name, "key_arn"), kept.key_arn if kept else None
        )
