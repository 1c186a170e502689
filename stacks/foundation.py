"""Values that the layers of a stack share: ids of new, existing or published resources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from constructs import IDependable

from config.design.model import Design
from config.design.storage.home import HomePlan
from config.design.storage.lustre import LustrePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeNetwork:
    """The network of a cluster. `subnet_ids` are by the names of the network plan.

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
    """A file system that nodes mount; `rules` allow the access, `exports` are DRAs with exports to S3."""

    plan: LustrePlan
    dns_name: str
    mount_name: str
    file_system_id: str
    rules: tuple[IDependable, ...] = ()
    exports: tuple[IDependable, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeSystem:
    """The file system of home directories; `rules` allow the nodes' access."""

    plan: HomePlan
    dns_name: str
    file_system_id: str
    rules: tuple[IDependable, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspaces:
    """The workspaces of metrics and dashboards; None if the profile has none."""

    metrics_arn: str | None = None
    metrics_endpoint: str | None = None
    grafana_id: str | None = None
    grafana_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedStorage:
    """Storage of all nodes: Lustre file systems (the main one first), home directories, directory bucket."""

    file_systems: tuple[FileSystem, ...] = ()
    home: HomeSystem | None = None
    express_bucket_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Foundation:
    """The design, and the results of the layers below the control plane."""

    design: Design
    node_network: NodeNetwork
    storage: SharedStorage = field(default_factory=SharedStorage)
    workspaces: Workspaces = field(default_factory=Workspaces)
