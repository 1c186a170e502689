"""How one profile's network and storage reach another profile's cluster: versioned SSM parameters."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.names import fingerprint
from config.design.network import NetworkPlan
from config.design.storage import LustrePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """The parameter paths under which a data profile publishes its ids.

    The version in the path follows from what can only be replaced: a value under a path is never
    overwritten, so a cluster keeps what it was deployed with until it is deployed again.
    """

    prefix: str
    lustre: bool

    def path(self, key: str) -> str:
        """The parameter's name for `vpc-id`, `primary-subnet-id`, `node-security-group-id`, `lustre-...`."""
        return f"{self.prefix}/{key}"


def plan_attachment(name: str, network: NetworkPlan, lustre: LustrePlan | None) -> Attachment:
    """Where the data profile of that name publishes its network and file system."""
    create_only = [
        network.existing_vpc_id,
        network.vpc_cidr,
        [network.primary.cidr, network.primary.zone],
        [subnet.id for subnet in network.subnets if subnet.id],
        lustre and lustre.efa,
    ]
    return Attachment(prefix=f"/ultracluster/{name}/v1-{fingerprint(create_only)}", lustre=lustre is not None)
