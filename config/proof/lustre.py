"""Checks of file systems with EFA: creation, network location and security groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ipaddress import ip_network

from config.design.network.attachment import NODE_SECURITY_GROUP
from config.proof import sources
from config.proof.artefacts import Artefacts, Resource, mapping, text_of
from config.proof.lustre_clients import Clients, client_links
from config.proof.model import Link, Maker, Named, Place
from config.proof.network import common_group, missing_before
from config.proof.security import Direction, Rules, short
from config.proof.wanted import Wanted, WantedFileSystem

MADE = Named(
    name="lustre-efa",
    title="the file system has EFA",
    why="EFA is set at creation, and only for persistent-2 with Lustre 2.15 and a metadata configuration",
    source=sources.LUSTRE_EFA,
)
SELF = Named(
    name="lustre-self",
    title="the servers of the file system can reach each other in both directions",
    why="FSx rejects an EFA file system unless its security group allows all traffic from and to itself",
    source=sources.LUSTRE_REFUSED,
)
FROM_NODES = Named(
    name="lustre-from-nodes",
    title="nodes can reach the servers of the file system",
    why=(
        "EFA needs rules by security group id at both ends: egress from the nodes' group and ingress to "
        "the file system's group"
    ),
    source=sources.LUSTRE_GROUPS,
)
TO_NODES = Named(
    name="lustre-to-nodes",
    title="the servers of the file system can reach the nodes",
    why=(
        "servers write to the memory of clients: this needs egress from the file system's group and "
        "ingress to the nodes' group"
    ),
    source=sources.LUSTRE_GROUPS,
)
RULES_FIRST = Named(
    name="lustre-rules-before",
    title="the rules are created before the file system",
    why="FSx checks the rules during creation, and fails if they do not exist",
    source=sources.LUSTRE_REFUSED,
)
ZONE = Named(
    name="lustre-zone",
    title="the file system is in the same zone and /16 network as the nodes",
    why="EFA traffic cannot cross zones, and clients and servers must be in the same /16 network",
    source=sources.LUSTRE_EFA,
)
_MAIN = "lustre"
"""Name of the first file system. The logical id of every other file system ends with its name."""
_HASH = 8
Ends = tuple[str, Direction, str]
"""A security group rule: the group that has the rule, the direction, and the group that the rule allows."""


def lustre_links(
    wanted: Wanted,
    system: WantedFileSystem,
    clients: Clients,
    artefacts: Artefacts,
    rules: Rules,
    made: Maker,
) -> Iterator[Link]:
    """Yield the proof's links for one file system."""
    resource = _resource(system, artefacts)
    if resource is None and system.id is None:
        place = Place(artefact=artefacts.stack, at="Resources")
        yield made.broken(MADE, [f"no resource creates the file system {system.name}"], place)
    elif resource is None:
        yield from _existing(system, clients, artefacts, rules, made)
    else:
        yield _made(resource, made)
        yield from _groups(resource, clients, artefacts, rules, made)
        yield _zone(resource, clients, artefacts, made)
    if not clients.groups:  # the clients of a data profile are in other profiles
        return
    yield from client_links(wanted, system, clients, artefacts, made)


def _resource(system: WantedFileSystem, artefacts: Artefacts) -> Resource | None:
    """Return the file system's resource, whose logical id ends with its name."""
    if system.id is not None:
        return None
    systems = artefacts.resources("AWS::FSx::FileSystem")
    found = [one for one in systems if text_of(one.get("FileSystemType")) == "LUSTRE"]
    if not system.own:
        found = [one for one in found if one.stack != artefacts.stack]
    stem = system.name.replace("-", "").lower()
    end = stem if stem == _MAIN else f"{_MAIN}{stem}"
    # CDK appends a hash of eight characters to a logical id
    named = [one for one in found if one.name[:-_HASH].lower().endswith(end)]
    return min(named, key=lambda one: len(one.name), default=None)


def _existing(
    system: WantedFileSystem, clients: Clients, artefacts: Artefacts, rules: Rules, made: Maker
) -> Iterator[Link]:
    """Yield the proof's links for an existing file system, which the template does not create."""
    evidence = f"{system.id} exists already; the profile declares its settings"
    for named in (MADE, SELF, ZONE):
        yield made.yours(named, evidence)
    pairs = _pairs(system.group or "", sorted(_groups_of_nodes(clients, artefacts)))
    for named in (FROM_NODES, TO_NODES):
        yield _allowed(named, pairs[named], rules, Place(artefact=artefacts.stack, at="Resources"), made)


def _made(resource: Resource, made: Maker) -> Link:
    lustre = resource.at("LustreConfiguration")
    declared = mapping(lustre)
    faults = []
    if declared.get("EfaEnabled") is not True:
        faults.append(f"EfaEnabled is {declared.get('EfaEnabled', 'not set')}")
    if declared.get("DeploymentType") != "PERSISTENT_2":
        faults.append(f"the deployment type is {declared.get('DeploymentType', 'not set')}")
    if not declared.get("MetadataConfiguration"):
        faults.append("there is no metadata configuration")
    version = text_of(resource.get("FileSystemTypeVersion"))
    if version != "2.15":
        faults.append(f"the Lustre version is {version or 'the default'}")
    place = lustre.place if lustre else resource.properties.place
    evidence = "EfaEnabled, PERSISTENT_2, a metadata configuration, Lustre 2.15"
    return made.judged(MADE, faults, evidence, [place])


def _groups(
    resource: Resource, clients: Clients, artefacts: Artefacts, rules: Rules, made: Maker
) -> Iterator[Link]:
    listed = resource.at("SecurityGroupIds")
    own = [artefacts.target(one.value, resource.stack) for one in resource.items("SecurityGroupIds")]
    nodes = sorted(_groups_of_nodes(clients, artefacts))
    if not own or not nodes:
        place = listed.place if listed else resource.properties.place
        for named in (SELF, FROM_NODES, TO_NODES, RULES_FIRST):
            yield made.broken(named, ["there is no security group"], place)
        return
    pairs = _pairs(own[0], nodes)
    for named, wanted in pairs.items():
        yield _allowed(named, wanted, rules, resource.properties.place, made)
    keys = sorted({key for wanted in pairs.values() for ends in wanted for key in rules.resources(*ends)})
    missing = missing_before(resource, artefacts, [k for k in keys if k.startswith(f"{resource.stack}/")])
    place = Place(artefact=resource.stack, at=resource.name, path="DependsOn")
    faults = [f"{resource.name} does not depend on {short(key)}" for key in missing]
    yield made.judged(RULES_FIRST, faults, f"{resource.name} depends on {len(keys)} rules", [place])


def _pairs(group: str, nodes: Sequence[str]) -> dict[Named, list[Ends]]:
    """Return the rules that each link needs for traffic in the group, or between it and the nodes' groups."""
    return {
        SELF: [(group, "in", group), (group, "out", group)],
        FROM_NODES: [ends for one in nodes for ends in ((one, "out", group), (group, "in", one))],
        TO_NODES: [ends for one in nodes for ends in ((group, "out", one), (one, "in", group))],
    }


def _allowed(named: Named, wanted: Sequence[Ends], rules: Rules, otherwise: Place, made: Maker) -> Link:
    found = [(ends, rules.between(*ends)) for ends in wanted]
    faults = [rules.fault(*ends) for ends, rule in found if rule is None]
    places = [rule.place for _, rule in found if rule] or [otherwise]
    groups = sorted({short(end) for one in wanted for end in (one[0], one[2])})
    return made.judged(named, faults, f"all protocols, by id: {' and '.join(groups)}", places)


def _groups_of_nodes(clients: Clients, artefacts: Artefacts) -> set[str]:
    """Return the nodes' security groups; a data profile has no nodes, but publishes a group for them."""
    if clients.groups:
        found = (common_group(nodes, artefacts) for _, nodes in clients.groups)
        return {group for group in found if group is not None}
    return {
        artefacts.target(parameter.get("Value"), parameter.stack)
        for parameter in artefacts.own("AWS::SSM::Parameter")
        if text_of(parameter.get("Name")).endswith(f"/{NODE_SECURITY_GROUP}")
    }


def _zone(resource: Resource, clients: Clients, artefacts: Artefacts, made: Maker) -> Link:
    listed = resource.at("SubnetIds")
    place = listed.place if listed else resource.properties.place
    subnets = [artefacts.target(one.value, resource.stack) for one in resource.items("SubnetIds")]
    if len(subnets) != 1:
        return made.broken(ZONE, [f"the file system has {len(subnets)} subnets"], place)
    faults, places, nets = [], [place], set[str]()
    own_zone, own_net = _stands(subnets[0], artefacts, clients)
    nets |= {own_net} if own_net else set()
    for group, nodes in clients.groups:
        for found in nodes.subnets[:1]:
            key = artefacts.target(found.value, nodes.resource.stack)
            zone, net = _stands(key, artefacts, clients)
            places.append(found.place)
            nets |= {net} if net else set()
            if key != subnets[0] and zone != own_zone:
                faults.append(f"the file system is in {own_zone}, but group {group.name} is in {zone}")
    sixteens = {_sixteen(net) for net in nets}
    if len(sixteens) > 1:
        faults.append(f"{' and '.join(sorted(nets))} are not in the same /16 network")
    evidence = f"{short(subnets[0])}, in {own_zone}" + (f", in {next(iter(sixteens))}" if sixteens else "")
    return made.judged(ZONE, faults, evidence, places)


def _sixteen(block: str) -> str:
    """Return the /16 network of a CIDR block; text that is not a CIDR block is returned unchanged."""
    try:
        return str(ip_network(f"{block.partition('/')[0]}/16", strict=False))
    except ValueError:
        return block


def _stands(key: str, artefacts: Artefacts, clients: Clients) -> tuple[str, str]:
    """Return the zone and CIDR block of a subnet; those of an existing subnet are in the profile."""
    subnet = artefacts.named(key)
    if subnet is not None:
        zone = subnet.get("AvailabilityZone") or subnet.get("AvailabilityZoneId")
        return text_of(zone), text_of(subnet.get("CidrBlock"))
    plan = next((group.subnet for group, _ in clients.groups if group.subnet.id == key), None)
    return (plan.zone, plan.cidr) if plan else (key, "")
