"""Security group rules between clients and an existing file system."""

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
    """An existing file system's security group and its clients.

    Attributes:
        security_group_id: Security group of the file system.
        client_security_group_id: Security group of the clients.
        services: Services to allow. For EFA, all traffic is allowed, because EFA does not use ports.
        retention: Whether the rules are retained.
    """

    security_group_id: str
    client_security_group_id: str
    services: Sequence[FileService]
    retention: Retention


class ClientAccess(Construct):
    """Rules in the file system's group and the clients' group, in both directions (STORAGE-18).

    The source or target of a rule in one group is the other group.

    Create one `ClientAccess` for each security group, because EC2 rejects duplicate rules.

    Attributes:
        rules: Rules that must exist before a client mounts the file system.
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
