"""What the layers of a stack hand to each other: ids, whether made here, given or read from SSM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from constructs import IDependable

from config.design.model import Design
from config.design.storage.home import HomePlan
from config.design.storage.lustre import LustrePlan


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
    """A file system that nodes mount; `rules` let them reach it, `exports` carry what they write to S3."""

    plan: LustrePlan
    dns_name: str
    mount_name: str
    file_system_id: str
    rules: tuple[IDependable, ...] = ()
    exports: tuple[IDependable, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeSystem:
    """The file system of home directories; `rules` let nodes reach it."""

    plan: HomePlan
    dns_name: str
    file_system_id: str
    rules: tuple[IDependable, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspaces:
    """Where metrics go and where they are shown; None where the profile has no such workspace."""

    metrics_arn: str | None = None
    metrics_endpoint: str | None = None
    grafana_id: str | None = None
    grafana_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedStorage:
    """What the nodes of a cluster share: the main Lustre file system first, home, and a directory bucket."""

    file_systems: tuple[FileSystem, ...] = ()
    home: HomeSystem | None = None
    express_bucket_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Foundation:
    """What a control plane is built on: the design, and what the layers below it made."""

    design: Design
    ground: Ground
    storage: SharedStorage = field(default_factory=SharedStorage)
    workspaces: Workspaces = field(default_factory=Workspaces)
