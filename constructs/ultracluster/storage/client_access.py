"""Rules between clients and a file system that no stack of ours has made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from constructs import Construct

from ultracluster.retention import Retention
from ultracluster.security_rules import ALL_TRAFFIC, LUSTRE_TRAFFIC, NFS_TRAFFIC, Traffic, add_peer_rules

FileService = Literal["lustre", "lustre-efa", "nfs"]
_TRAFFIC: Mapping[FileService, Sequence[Traffic]] = {
    "lustre": LUSTRE_TRAFFIC,
    "lustre-efa": ALL_TRAFFIC,
    "nfs": NFS_TRAFFIC,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientAccessProps:
    """Who reaches which file system.

    Attributes:
        security_group_id: The file system's group.
        client_security_group_id: The clients' group.
        services: What is spoken; over EFA all traffic is let through, since EFA has no ports.
        retention: Whether the rules outlive the stack.
    """

    security_group_id: str
    client_security_group_id: str
    services: Sequence[FileService]
    retention: Retention


class ClientAccess(Construct):
    """Rules in both groups, in both directions, each naming the other group (STORAGE-18).

    One for each group: EC2 refuses a rule that is there already.

    Attributes:
        rules: What must exist before a client mounts the file system.
    """

    def __init__(self, scope: Construct, construct_id: str, props: ClientAccessProps) -> None:
        """Add the rules."""
        super().__init__(scope, construct_id)
        sides = (
            ("Client", props.client_security_group_id, props.security_group_id),
            ("FileSystem", props.security_group_id, props.client_security_group_id),
        )
        wanted = sorted(set(props.services))
        services: Sequence[FileService] = ["lustre-efa"] if "lustre-efa" in wanted else wanted
        traffic = [kind for service in services for kind in _TRAFFIC[service]]
        self.rules = tuple(
            rule
            for prefix, group, peer in sides
            for rule in add_peer_rules(self, group, peer, traffic, prefix=prefix, retention=props.retention)
        )
