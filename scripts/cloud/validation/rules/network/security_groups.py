"""Template rules for the security groups of EFA interfaces and Lustre file servers."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.rules.deployed import machines, storage
from scripts.cloud.validation.rules.reading import structures_at, text_at, texts_at
from scripts.cloud.validation.rules.registry import Resource, Sibling, Violation, rule
from scripts.cloud.validation.rules.storage.lustre import SYSTEM, lustre_of

from .traffic import DIRECTIONS, GROUP, Direction, is_of_all, lets_tcp, reaches, rules_of

_CLUSTER = "AWS::SageMaker::Cluster"
_LUSTRE_PORT = 988  # limit-access-security-groups.html; 1018 to 1023 are for clients


@rule(machines.SELF_RULES, SYSTEM, _CLUSTER)
def groups_allow_themselves(resource: Resource) -> Iterator[Violation]:
    """Check that the stack's security groups allow all traffic between their members in both directions."""
    places = _of_system(resource) if resource.type == SYSTEM else _of_cluster(resource)
    for path, group_id in places:
        group = resource.named(group_id, GROUP)
        for direction in DIRECTIONS if group else ():
            if group and not _allows_itself(resource, group, direction):
                yield Violation(
                    path,
                    f"the security group has no {direction.name} rule for all traffic between its members",
                    f"add an AWS::EC2::{direction.inline} with IpProtocol '-1' and the group's own id",
                )


def _of_system(resource: Resource) -> Iterator[tuple[str, str]]:
    if lustre_of(resource.properties).get("EfaEnabled") is True:
        for number, group_id in texts_at(resource.properties, "SecurityGroupIds"):
            yield f"SecurityGroupIds/{number}", group_id


def _of_cluster(resource: Resource) -> Iterator[tuple[str, str]]:
    """Yield the security groups of each EFA instance group; those of the cluster if it has no others."""
    shared = False
    for number, group in structures_at(resource.properties, "InstanceGroups"):
        instance = catalog().instance(str(group.get("InstanceType", "")).removeprefix("ml."))
        if instance is None or not instance.is_gpu or instance.max_efa == 0:
            continue
        own = texts_at(group, "OverrideVpcConfig", "SecurityGroupIds")
        shared |= not own
        for place, group_id in own:
            yield f"InstanceGroups/{number}/OverrideVpcConfig/SecurityGroupIds/{place}", group_id
    for place, group_id in texts_at(resource.properties, "VpcConfig", "SecurityGroupIds") if shared else ():
        yield f"VpcConfig/SecurityGroupIds/{place}", group_id


def _allows_itself(resource: Resource, group: Sibling, direction: Direction) -> bool:
    """Return whether a group allows its members; CIDR rules do not apply to EFA traffic (no IP addresses)."""
    return any(
        is_of_all(found) and group.is_called(found.get(direction.peer))
        for found in rules_of(resource, group, direction)
    )


@rule(storage.LUSTRE_TRAFFIC, SYSTEM)
def servers_reach_each_other(resource: Resource) -> Iterator[Violation]:
    """Check that the security groups allow TCP 988 between file servers, if the stack creates all groups."""
    references = texts_at(resource.properties, "SecurityGroupIds")
    groups = [resource.named(group_id, GROUP) for _, group_id in references]
    known = [group for group in groups if group is not None]
    if resource.properties.get("FileSystemType") != "LUSTRE" or not known or len(known) < len(references):
        return
    subnets = [resource.named(s, "AWS::EC2::Subnet") for _, s in texts_at(resource.properties, "SubnetIds")]
    block = text_at(subnets[0].properties, "CidrBlock") if subnets and subnets[0] else None
    for direction in DIRECTIONS:
        rules = [found for group in known for found in rules_of(resource, group, direction)]
        if not any(lets_tcp(r, _LUSTRE_PORT) and reaches(r, direction, known, block) for r in rules):
            yield Violation(
                "SecurityGroupIds",
                f"no {direction.name} rule allows TCP {_LUSTRE_PORT} between the file system's servers",
                f"add an AWS::EC2::{direction.inline} for TCP 988 and 1018 to 1023 with the group's own id",
            )
