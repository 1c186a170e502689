"""What nodes need of others for their storage: permissions, and who may reach whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from config.design.nodes.clients import KUBERNETES, SharedHome, SharedLustre
from config.design.nodes.scripts import NodeScriptsPlan

Scope = Literal["all", "parameters", "bundle"]
Peer = Literal["nodes", "lustre", "home"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePermission:
    """Actions of the node role, and what they are about: `all` where they take no resource."""

    actions: tuple[str, ...]
    scope: Scope
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeTraffic:
    """Traffic that security groups allow between two peers by group id, in both directions.

    `ports` are TCP, first and last; none of them: every protocol, which EFA needs. Rules with addresses do
    not count for EFA, not even those of the whole internet.
    """

    peer: Peer
    ports: tuple[tuple[int, int], ...]


def node_permissions(
    kind: str, scripts: NodeScriptsPlan | None, file_systems: tuple[SharedLustre, ...]
) -> tuple[NodePermission, ...]:
    """What the role of the nodes may do, beside what its control plane needs.

    HyperPod asks FSx whether a file system has EFA, and mounts it over TCP without a word where it may not
    ask (HYPERPOD-03).
    """
    found = []
    if kind.startswith("hyperpod") and any(file_system.efa for file_system in file_systems):
        found.append(NodePermission(actions=("fsx:DescribeFileSystems",), scope="all"))
    if scripts is not None and scripts.parameters:
        found.append(
            NodePermission(actions=("ssm:GetParameter",), scope="parameters", names=scripts.parameters)
        )
    if scripts is not None and not kind.startswith("hyperpod"):
        found.append(NodePermission(actions=("s3:GetObject", "s3:ListBucket"), scope="bundle"))
    return tuple(found)


def node_traffic(
    kind: str, file_systems: tuple[SharedLustre, ...], home: SharedHome | None
) -> tuple[NodeTraffic, ...]:
    """Whom the nodes' security group talks to.

    Sources: https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html,
    https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/limit-access-security-groups.html.
    """
    found = []
    if file_systems:
        efa = any(file_system.efa for file_system in file_systems)
        found.append(NodeTraffic(peer="lustre", ports=() if efa else ((988, 988), (1018, 1023))))
    if home:
        found.append(NodeTraffic(peer="home", ports=((111, 111), (2049, 2049), (20001, 20003))))
    if kind in KUBERNETES or any(file_system.efa for file_system in file_systems):
        found.append(NodeTraffic(peer="nodes", ports=()))
    return tuple(found)
