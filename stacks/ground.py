"""What the layers of a stack hand to each other: ids, whether made here, given or read from SSM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from constructs import IDependable


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """The network that a cluster stands on. `subnet_ids` has the names of the network plan.

    `vpc_id` is empty where nothing of this stack needs it. `nodes_ready` is what must exist before a node
    boots, `security_group_rules` before one talks to another or to the file system.
    """

    vpc_id: str
    subnet_ids: Mapping[str, str] = field(hash=False)
    node_security_group_id: str
    security_group_rules: tuple[IDependable, ...] = ()
    nodes_ready: tuple[IDependable, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSystem:
    """The file system that nodes mount; `rules` let them reach it, `exports` carry what they write to S3."""

    dns_name: str
    mount_name: str
    rules: tuple[IDependable, ...] = ()
    exports: tuple[IDependable, ...] = ()
