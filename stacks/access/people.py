"""Stack parts for users and sessions: the users list, the session document and the nodes' permissions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from constructs import Construct, IDependable

from config.design.access.people import users_table
from config.design.model import Design
from config.design.names import fingerprint
from config.design.nodes.people import LIST
from config.design.nodes.scripts import NodeScriptsPlan
from stacks.common import add_parameter, retention_of, tags_of
from ultracluster.access import SessionDocument, SessionDocumentProps
from ultracluster.nodes import NodeAccess, NodeScripts, NodeScriptsProps

SESSIONS = "Sessions"
_LOG_GROUPS = f"{SESSIONS}Logs"
"""The logical id of the log group; the generated log group name contains it after the stack name."""


def add_people(
    scope: Construct, design: Design, scripts: NodeScriptsPlan | None, key_prefix: str
) -> Sequence[IDependable]:
    """Upload the users list, and add the parameter that contains the current list's location.

    `key_prefix` is the S3 prefix of the scripts, for which the nodes' role has read permission.
    """
    people = scripts.people if scripts else None
    if people is None or people.parameter is None:
        return ()
    table = users_table(design.users)
    published = NodeScripts(
        scope,
        "People",
        NodeScriptsProps(
            files={LIST: table}, key_prefix=key_prefix, content_hash=fingerprint(["people", table], 16)
        ),
    )
    digest = hashlib.sha256(table.encode()).hexdigest()
    value, described = f"{published.s3_uri}{LIST} {digest}", "Users of {}: the list that its nodes apply"
    return (add_parameter(scope, "Node-people", design.profile, people.parameter, value, described),)


def node_access(design: Design, scripts: NodeScriptsPlan | None) -> NodeAccess | None:
    """Return the permissions that nodes need for the users list and sessions; None if they need none."""
    access = design.profile.access
    sessions, people = access.sessions if access else None, scripts.people if scripts else None
    bucket = sessions.bucket if sessions else None
    found = NodeAccess(
        log_group_prefix=f"{design.profile.name}-{_LOG_GROUPS}" if sessions and sessions.logs else None,
        bucket_name=bucket.name if bucket else None,
        bucket_prefix=bucket.prefix if bucket else "",
        bucket_key_arn=bucket.key_arn if bucket else None,
        secret_arn=people.secret_arn if people else None,
        secret_key_arn=people.secret_key_arn if people else None,
    )
    return None if found == NodeAccess() else found


def add_sessions(scope: Construct, design: Design) -> SessionDocument | None:
    """Add and return the session document; None if the profile has no `sessions` or no nodes."""
    access = design.profile.access
    sessions = access.sessions if access else None
    if sessions is None or design.profile.orchestrator is None:
        return None
    logs, bucket = sessions.logs, sessions.bucket
    return SessionDocument(
        scope,
        SESSIONS,
        SessionDocumentProps(
            description=f"Sessions on nodes of {design.profile.name}",
            log_retention_days=logs.retention_days if logs else None,
            log_key_arn=logs.key_arn if logs else None,
            bucket_name=bucket.name if bucket else None,
            bucket_prefix=bucket.prefix if bucket else "",
            idle_timeout_min=sessions.idle_timeout_min,
            max_duration_min=sessions.max_duration_min,
            run_as=sessions.run_as,
            retention=retention_of(design.profile),
            tags=tags_of(design.profile),
        ),
    )
