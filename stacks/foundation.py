"""Values that the layers of a stack share, such as the ids of new and existing resources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from constructs import IDependable

from config.design.model import Design
from config.design.storage.home import HomePlan
from config.design.storage.lustre import LustrePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeNetwork:
    """The network of a cluster. `subnet_ids` maps the subnet names in the network plan to ids.

    `vpc_id` is empty if the stack does not need it. `nodes_ready` must exist before a node boots.
    `security_group_rules` must exist before nodes communicate with each other or with the file system.
    """

    vpc_id: str
    subnet_ids: Mapping[str, str] = field(hash=False)
    node_security_group_id: str
    security_group_rules: tuple[IDependable, ...] = ()
    nodes_ready: tuple[IDependable, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSystem:
    """A file system that nodes mount; `rules` allow traffic to it, `exports` are DRAs that export to S3."""

    plan: LustrePlan
    dns_name: str
    mount_name: str
    file_system_id: str
    rules: tuple[IDependable, ...] = ()
    exports: tuple[IDependable, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeSystem:
    """The file system of home directories; `rules` allow traffic between it and the nodes."""

    plan: HomePlan
    dns_name: str
    file_system_id: str
    rules: tuple[IDependable, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspaces:
    """The AMP and Grafana workspaces; a value is None if the profile does not have the workspace."""

    metrics_arn: str | None = None
    metrics_endpoint: str | None = None
    grafana_id: str | None = None
    grafana_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedStorage:
    """Storage that all nodes use; the main Lustre file system is the first in `file_systems`."""

    file_systems: tuple[FileSystem, ...] = ()
    home: HomeSystem | None = None
    express_bucket_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Foundation:
    """The design, and the resources of the layers that the control plane is built on."""

    design: Design
    node_network: NodeNetwork
    storage: SharedStorage = field(default_factory=SharedStorage)
    workspaces: Workspaces = field(default_factory=Workspaces)
