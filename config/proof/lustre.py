"""File systems that are reached over EFA: how they are made, who may reach them, and what nodes do for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import ip_network

from config.design.attachment import NODE_SECURITY_GROUP
from config.proof import sources
from config.proof.artefacts import Artefacts, Bundle, Resource, text_of
from config.proof.model import Link, Maker, Named, Place
from config.proof.network import common_group, missing_before
from config.proof.nodes import Nodes
from config.proof.security import Direction, Rules, short
from config.proof.wanted import Wanted, WantedFileSystem, WantedGroup

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
CLIENT = Named(
    name="lustre-client",
    title="Lustre's network on the nodes has EFA before the mount",
    why="a client whose LNet has no EFA interfaces when it mounts takes TCP, and says nothing",
    source=sources.LUSTRE_CLIENT,
)
PERMISSION = Named(
    name="lustre-permission",
    title="nodes may ask whether the file system has EFA",
    why="HyperPod mounts over TCP where its role cannot describe the file system",
    source=sources.HYPERPOD_LUSTRE,
)
CHECK = Named(
    name="lustre-check",
    title="nodes prove after mounting that data goes over EFA",
    why="nothing but the counters of its servers shows a fall-back to TCP",
    source=sources.LUSTRE_FALLBACK,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clients:
    """The groups of nodes that reach file systems over EFA, and the scripts that they run."""

    groups: Sequence[tuple[WantedGroup, Nodes]]
    bundle: Bundle | None


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
    if resource is None:
        yield from _existing(system, made)
    else:
        yield _made(resource, made)
        yield from _groups(resource, clients, artefacts, rules, made)
        yield _zone(resource, clients, artefacts, made)
    if not clients.groups:  # a data profile: its clients are other profiles'
        return
    yield _client(wanted, system, clients, made)
    if clients.groups[0][0].launched_by == "hyperpod":
        yield _permission(clients, artefacts, made)
    yield _check(wanted, clients, made)


def _resource(system: WantedFileSystem, artefacts: Artefacts) -> Resource | None:
    """The file system in a template: by the logical id, which its name ends."""
    if system.id is not None:
        return None
    found = [one for one in artefacts.resources("AWS::FSx::FileSystem") if _is_lustre(one)]
    if not system.own:
        found = [one for one in found if one.stack != artefacts.stack]
    words = "".join(part for part in system.name.replace("-", " ").split())
    named = [one for one in found if words.lower() in one.name.lower()]
    shortest = sorted(named or found, key=lambda one: len(one.name))
    return shortest[0] if shortest else None


def _is_lustre(resource: Resource) -> bool:
    return text_of(resource.properties.value.get("FileSystemType")) == "LUSTRE"


def _existing(system: WantedFileSystem, made: Maker) -> Iterator[Link]:
    told = f"{system.id} exists already: the profile states its facts, and `preflight` asks for them"
    for named in (MADE, SELF, FROM_NODES, TO_NODES, ZONE):
        yield made.yours(named, told)


def _made(resource: Resource, made: Maker) -> Link:
    lustre = resource.at("LustreConfiguration")
    properties = resource.properties.value
    stated = lustre.value if lustre else {}
    faults = []
    if stated.get("EfaEnabled") is not True:
        faults.append(f"EfaEnabled is {stated.get('EfaEnabled', 'absent')}")
    if stated.get("DeploymentType") != "PERSISTENT_2":
        faults.append(f"the deployment type is {stated.get('DeploymentType', 'absent')}")
    if not stated.get("MetadataConfiguration"):
        faults.append("there is no metadata configuration")
    version = text_of(properties.get("FileSystemTypeVersion"))
    if version != "2.15":
        faults.append(f"Lustre is {version or 'of the default version'}")
    place = lustre.place if lustre else resource.properties.place
    told = "EfaEnabled, PERSISTENT_2, a metadata configuration, Lustre 2.15"
    return made.judged(MADE, faults, told, [place])


def _groups(
    resource: Resource, clients: Clients, artefacts: Artefacts, rules: Rules, made: Maker
) -> Iterator[Link]:
    listed = resource.at("SecurityGroupIds")
    own = [artefacts.target(one.value, resource.stack) for one in listed.items()] if listed else []
    nodes = sorted(_groups_of_nodes(clients, artefacts))
    if not own or not nodes:
        place = listed.place if listed else resource.properties.place
        for named in (SELF, FROM_NODES, TO_NODES, RULES_FIRST):
            yield made.broken(named, ["there is no security group to have rules"], place)
        return
    group = own[0]
    pairs: dict[Named, list[tuple[str, Direction, str]]] = {
        SELF: [(group, "in", group), (group, "out", group)],
        FROM_NODES: [found for one in nodes for found in ((one, "out", group), (group, "in", one))],
        TO_NODES: [found for one in nodes for found in ((group, "out", one), (one, "in", group))],
    }
    for named, wanted in pairs.items():
        found = [(ends, rules.between(*ends)) for ends in wanted]
        faults = [rules.fault(*ends) for ends, rule in found if rule is None]
        places = [rule.place for _, rule in found if rule] or [resource.properties.place]
        ends = sorted({short(end) for one in wanted for end in (one[0], one[2])})
        yield made.judged(named, faults, f"all protocols, by id: {' and '.join(ends)}", places)
    needed = [rules.between(*ends) for wanted in pairs.values() for ends in wanted]
    keys = sorted({rule.resource for rule in needed if rule and rule.resource})
    missing = missing_before(resource, artefacts, [k for k in keys if k.startswith(f"{resource.stack}/")])
    place = Place(artefact=resource.stack, at=resource.name, path="DependsOn")
    faults = [f"{resource.name} does not wait for {short(key)}" for key in missing]
    yield made.judged(RULES_FIRST, faults, f"{resource.name} comes after {len(keys)} rules", [place])


def _groups_of_nodes(clients: Clients, artefacts: Artefacts) -> set[str]:
    """The security groups of nodes; of a data profile the one that it publishes for them."""
    if clients.groups:
        found = (common_group(nodes, artefacts) for _, nodes in clients.groups)
        return {group for group in found if group is not None}
    return {
        artefacts.target(parameter.properties.value.get("Value"), parameter.stack)
        for parameter in artefacts.own("AWS::SSM::Parameter")
        if text_of(parameter.properties.value.get("Name")).endswith(f"/{NODE_SECURITY_GROUP}")
    }


def _zone(resource: Resource, clients: Clients, artefacts: Artefacts, made: Maker) -> Link:
    listed = resource.at("SubnetIds")
    place = listed.place if listed else resource.properties.place
    subnets = [artefacts.target(one.value, resource.stack) for one in listed.items()] if listed else []
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
    sixteens = {ip_network(f"{net.partition('/')[0]}/16", strict=False) for net in nets}
    if len(sixteens) > 1:
        faults.append(f"{' and '.join(sorted(nets))} share no /16")
    told = f"{short(subnets[0])}, in {own_zone}" + (f", in {next(iter(sixteens))}" if sixteens else "")
    return made.judged(ZONE, faults, told, places)


def _stands(key: str, artefacts: Artefacts, clients: Clients) -> tuple[str, str]:
    """Zone and block of a subnet: what a template says, or of one that exists what the profile states."""
    subnet = artefacts.named(key)
    if subnet is not None:
        properties = subnet.properties.value
        zone = properties.get("AvailabilityZone") or properties.get("AvailabilityZoneId")
        return text_of(zone), text_of(properties.get("CidrBlock"))
    plan = next((group.subnet for group, _ in clients.groups if group.subnet.id == key), None)
    return (plan.zone, plan.cidr) if plan else (key, "")


def _client(wanted: Wanted, system: WantedFileSystem, clients: Clients, made: Maker) -> Link:
    bundle = clients.bundle
    if bundle is None:
        return made.yours(CLIENT, "nodes run scripts of your own, or none: LNet is theirs to set up")
    faults, places = [], list[Place]()
    listed = bundle.setting("LUSTRE_FILE_SYSTEMS")
    line = next(
        (one for one in (listed.value if listed else "").splitlines() if one.split()[:1] == [system.name]), ""
    )
    if listed:
        places.append(listed.place)
    if " efa " not in f" {line} ":
        faults.append(
            f"settings.env has {line.split()[2] if len(line.split()) > 2 else 'nothing'} for it, not efa"
        )
    stated = bundle.setting("LUSTRE_EFA_INTERFACES")
    counts = dict(word.partition("=")[::2] for word in (stated.value if stated else "").split())
    if stated:
        places.append(stated.place)
    for group, _ in clients.groups:
        found, right = counts.get(group.instance.name), group.lustre_interfaces
        if found != str(right):
            faults.append(f"LNet gets {found or 'no'} interfaces on {group.instance.name}, of {right}")
    configured = _step(wanted, bundle, r"^\s*step configure_lnet")
    if configured is None:
        faults.append("the nodes' script does not configure LNet")
    else:
        places.append(configured)
    mounted = _step(wanted, bundle, r"^\s*mount_file_systems")
    if configured and mounted and (mounted.line or 0) < (configured.line or 0):
        faults.append("the script mounts before LNet has EFA")
    added = bundle.first("library.sh", r"lnetctl net add --net efa")
    if added is None:
        faults.append("the library adds no EFA interfaces to LNet")
    said = ", ".join(f"{g.lustre_interfaces} interfaces on {g.instance.name}" for g, _ in clients.groups)
    return made.judged(CLIENT, faults, f"{said}, configured before anything is mounted", places)


def _step(wanted: Wanted, bundle: Bundle, pattern: str) -> Place | None:
    """A line of what nodes run first."""
    entries = {"hyperpod-slurm": "on_init_complete.sh", "hyperpod-eks": "on_create.sh"}
    found = bundle.first(entries.get(wanted.orchestrator or "", "prepare.sh"), pattern)
    return found.place if found else None


def _permission(clients: Clients, artefacts: Artefacts, made: Maker) -> Link:
    cluster = clients.groups[0][1].resource
    names = {group.name for group, _ in clients.groups}
    listed = cluster.at("InstanceGroups")
    roles = {
        artefacts.target(one.value.get("ExecutionRole"), cluster.stack)
        for one in (listed.items() if listed else ())
        if one.value.get("InstanceGroupName") in names
    }
    faults, places = [], list[Place]()
    for key in sorted(roles):
        role = artefacts.named(key)
        found = _statement(role, "fsx:DescribeFileSystems") if role else None
        if found is None:
            faults.append(f"{short(key)} has no fsx:DescribeFileSystems")
            places.append(role.properties.place if role else cluster.properties.place)
        else:
            places.append(found)
    told = f"{' and '.join(short(key) for key in sorted(roles))} may call fsx:DescribeFileSystems"
    return made.judged(PERMISSION, faults, told, places)


def _statement(role: Resource, action: str) -> Place | None:
    policies = role.at("Policies")
    for policy in policies.items() if policies else ():
        statements = policy.at("PolicyDocument", "Statement")
        for one in statements.items() if statements else ():
            actions = one.value.get("Action", ())
            listed = [actions] if isinstance(actions, str) else list(actions)
            if one.value.get("Effect") == "Allow" and {action, "fsx:*", "fsx:Describe*", "*"} & set(listed):
                return one.place
    return None


def _check(wanted: Wanted, clients: Clients, made: Maker) -> Link:
    bundle = clients.bundle
    if bundle is None:
        return made.yours(CHECK, "nodes run scripts of your own, or none: nothing here looks")
    faults, places = [], list[Place]()
    if wanted.scheduler is None:
        checked = _step(wanted, bundle, r"^\s*check_storage")
        mounted = _step(wanted, bundle, r"^\s*mount_file_systems")
        if checked is None:
            faults.append("the script does not check after the mount")
        elif mounted and (checked.line or 0) < (mounted.line or 0):
            faults.append("the script checks before it mounts")
        told = "checked as soon as it is mounted, and every hour"
    else:
        checked = _step(wanted, bundle, r"^\s*step install_units")
        if checked is None:
            faults.append("the script installs no check")
        told = "checked five minutes after boot and every hour, once a pod has mounted it"
    places += [checked] if checked else []
    for pattern, fault in (
        (r"ultracluster-storage-check\.timer", "there is no timer that checks"),
        (r"OVER_EFA < PROBE_MESSAGES", "the check does not count what came over EFA"),
    ):
        found = bundle.first("library.sh", pattern)
        if found is None:
            faults.append(fault)
        else:
            places.append(found.place)
    return made.judged(CHECK, faults, told, places or [bundle.place("library.sh")])
