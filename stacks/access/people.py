"""People and sessions: the list that nodes follow, the document of sessions, what nodes may do for both."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from constructs import Construct, IDependable

from config.design.access.people import people_table
from config.design.model import Design
from config.design.names import fingerprint
from config.design.nodes.people import LIST
from config.design.nodes.scripts import NodeScriptsPlan
from stacks.common import add_parameter, retention_of, tags_of
from ultracluster.access import SessionDocument, SessionDocumentProps
from ultracluster.nodes import NodeAccess, NodeScripts, NodeScriptsProps

SESSIONS = "Sessions"
_LOG_GROUPS = f"{SESSIONS}Logs"
"""How CloudFormation begins the name of the log group, after the stack's: its logical id."""


def add_people(
    scope: Construct, design: Design, scripts: NodeScriptsPlan | None, key_prefix: str
) -> Sequence[IDependable]:
    """The list of people beside the node scripts, and the parameter that says which one holds.

    `key_prefix` is that of the scripts, which the nodes' role may read.
    """
    people = scripts.people if scripts else None
    if people is None or people.parameter is None:
        return ()
    table = people_table(design.everybody)
    published = NodeScripts(
        scope,
        "People",
        NodeScriptsProps(
            files={LIST: table}, key_prefix=key_prefix, content_hash=fingerprint(["people", table], 16)
        ),
    )
    digest = hashlib.sha256(table.encode()).hexdigest()
    value, described = f"{published.s3_uri}{LIST} {digest}", "Who works on {}: the list that its nodes follow"
    return (add_parameter(scope, "Node-people", design.profile, people.parameter, value, described),)


def node_access(design: Design, scripts: NodeScriptsPlan | None) -> NodeAccess | None:
    """What the role of the nodes may do for people and sessions; None: nothing."""
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
    """The document of sessions; None for a profile that says nothing of them, or has no nodes."""
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
