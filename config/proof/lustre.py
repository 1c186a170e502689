"""File systems that are reached over EFA: how they are made, where they stand, and who may reach them."""

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
    title="the file system is made for EFA",
    why="EFA is decided as it is made, for persistent-2 of Lustre 2.15 with a metadata configuration alone",
    source=sources.LUSTRE_EFA,
)
SELF = Named(
    name="lustre-self",
    title="its servers reach each other, both ways",
    why="FSx makes no EFA file system whose group does not let all traffic from and to itself through",
    source=sources.LUSTRE_REFUSED,
)
FROM_NODES = Named(
    name="lustre-from-nodes",
    title="nodes reach its servers",
    why="EFA needs a rule by the group's id at both ends: out of the nodes' group and into the file system's",
    source=sources.LUSTRE_GROUPS,
)
TO_NODES = Named(
    name="lustre-to-nodes",
    title="its servers reach the nodes",
    why="servers write to the memory of clients: out of the file system's group and into that of the nodes",
    source=sources.LUSTRE_GROUPS,
)
RULES_FIRST = Named(
    name="lustre-rules-before",
    title="the rules are there before it",
    why="FSx looks at the rules as it makes the file system, and fails without them",
    source=sources.LUSTRE_REFUSED,
)
ZONE = Named(
    name="lustre-zone",
    title="in the zone and the /16 of the nodes",
    why="EFA does not leave a zone, and clients and servers have to share one /16",
    source=sources.LUSTRE_EFA,
)
_MAIN = "lustre"
"""What the first file system is called; the names of others follow it in their logical ids."""
_HASH = 8
Ends = tuple[str, Direction, str]
"""A rule: whose it is, which way, and for whom."""


def lustre_links(
    wanted: Wanted,
    system: WantedFileSystem,
    clients: Clients,
    artefacts: Artefacts,
    rules: Rules,
    made: Maker,
) -> Iterator[Link]:
    """The links of one file system."""
    resource = _resource(system, artefacts)
    if resource is None and system.id is None:
        place = Place(artefact=artefacts.stack, at="Resources")
        yield made.broken(MADE, [f"no resource makes the file system {system.name}"], place)
    elif resource is None:
        yield from _existing(system, clients, artefacts, rules, made)
    else:
        yield _made(resource, made)
        yield from _groups(resource, clients, artefacts, rules, made)
        yield _zone(resource, clients, artefacts, made)
    if not clients.groups:  # a data profile: its clients are other profiles'
        return
    yield from client_links(wanted, system, clients, artefacts, made)


def _resource(system: WantedFileSystem, artefacts: Artefacts) -> Resource | None:
    """The file system in a template: by the logical id, whose words end in its name."""
    if system.id is not None:
        return None
    systems = artefacts.resources("AWS::FSx::FileSystem")
    found = [one for one in systems if text_of(one.get("FileSystemType")) == "LUSTRE"]
    if not system.own:
        found = [one for one in found if one.stack != artefacts.stack]
    words = system.name.replace("-", "").lower()
    end = words if words == _MAIN else f"{_MAIN}{words}"
    # CDK puts a hash of eight characters behind what an id is made of
    named = [one for one in found if one.name[:-_HASH].lower().endswith(end)]
    return min(named, key=lambda one: len(one.name), default=None)


def _existing(
    system: WantedFileSystem, clients: Clients, artefacts: Artefacts, rules: Rules, made: Maker
) -> Iterator[Link]:
    """One that exists already: its rules for nodes are in the template, all else is as the profile states."""
    told = f"{system.id} exists already, and is as the profile states it"
    for named in (MADE, SELF, ZONE):
        yield made.yours(named, told)
    pairs = _pairs(system.group or "", sorted(_groups_of_nodes(clients, artefacts)))
    for named in (FROM_NODES, TO_NODES):
        yield _allowed(named, pairs[named], rules, Place(artefact=artefacts.stack, at="Resources"), made)


def _made(resource: Resource, made: Maker) -> Link:
    lustre = resource.at("LustreConfiguration")
    stated = mapping(lustre)
    faults = []
    if stated.get("EfaEnabled") is not True:
        faults.append(f"EfaEnabled is {stated.get('EfaEnabled', 'absent')}")
    if stated.get("DeploymentType") != "PERSISTENT_2":
        faults.append(f"the deployment type is {stated.get('DeploymentType', 'absent')}")
    if not stated.get("MetadataConfiguration"):
        faults.append("there is no metadata configuration")
    version = text_of(resource.get("FileSystemTypeVersion"))
    if version != "2.15":
        faults.append(f"Lustre is {version or 'of the default version'}")
    place = lustre.place if lustre else resource.properties.place
    told = "EfaEnabled, PERSISTENT_2, a metadata configuration, Lustre 2.15"
    return made.judged(MADE, faults, told, [place])


def _groups(
    resource: Resource, clients: Clients, artefacts: Artefacts, rules: Rules, made: Maker
) -> Iterator[Link]:
    listed = resource.at("SecurityGroupIds")
    own = [artefacts.target(one.value, resource.stack) for one in resource.items("SecurityGroupIds")]
    nodes = sorted(_groups_of_nodes(clients, artefacts))
    if not own or not nodes:
        place = listed.place if listed else resource.properties.place
        for named in (SELF, FROM_NODES, TO_NODES, RULES_FIRST):
            yield made.broken(named, ["there is no security group to have rules"], place)
        return
    pairs = _pairs(own[0], nodes)
    for named, wanted in pairs.items():
        yield _allowed(named, wanted, rules, resource.properties.place, made)
    keys = sorted({key for wanted in pairs.values() for ends in wanted for key in rules.resources(*ends)})
    missing = missing_before(resource, artefacts, [k for k in keys if k.startswith(f"{resource.stack}/")])
    place = Place(artefact=resource.stack, at=resource.name, path="DependsOn")
    faults = [f"{resource.name} does not wait for {short(key)}" for key in missing]
    yield made.judged(RULES_FIRST, faults, f"{resource.name} comes after {len(keys)} rules", [place])


def _pairs(group: str, nodes: Sequence[str]) -> dict[Named, list[Ends]]:
    """The rules that each link stands on: from and to the group itself, and those of nodes, at both ends."""
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
    """The security groups of nodes; of a data profile the one that it publishes for them."""
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
        return made.broken(ZONE, [f"it names {len(subnets)} subnets"], place)
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
                faults.append(f"it is in {own_zone}, and group {group.name} in {zone}")
    sixteens = {_sixteen(net) for net in nets}
    if len(sixteens) > 1:
        faults.append(f"{' and '.join(sorted(nets))} share no /16")
    told = f"{short(subnets[0])}, in {own_zone}" + (f", in {next(iter(sixteens))}" if sixteens else "")
    return made.judged(ZONE, faults, told, places)


def _sixteen(block: str) -> str:
    """The /16 that a block lies in; a block that is none stands for itself."""
    try:
        return str(ip_network(f"{block.partition('/')[0]}/16", strict=False))
    except ValueError:
        return block


def _stands(key: str, artefacts: Artefacts, clients: Clients) -> tuple[str, str]:
    """Zone and block of a subnet: what a template says, or of one that exists what the profile states."""
    subnet = artefacts.named(key)
    if subnet is not None:
        zone = subnet.get("AvailabilityZone") or subnet.get("AvailabilityZoneId")
        return text_of(zone), text_of(subnet.get("CidrBlock"))
    plan = next((group.subnet for group, _ in clients.groups if group.subnet.id == key), None)
    return (plan.zone, plan.cidr) if plan else (key, "")
