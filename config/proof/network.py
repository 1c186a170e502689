"""Security groups, the one zone and subnet, and addresses: what EFA needs of the network."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from config.proof import sources
from config.proof.artefacts import Artefacts, Resource, attribute_of, text_of
from config.proof.model import Link, Maker, Named, Place
from config.proof.nodes import Nodes
from config.proof.security import Rules, short
from config.proof.wanted import WantedGroup

ATTACHED = Named(
    name="security-group",
    title="one security group on every EFA interface",
    why="EFA addresses are no IP addresses: only rules among members of one group let its traffic through",
    source=sources.EFA_START,
)
SELF_IN = Named(
    name="self-ingress",
    title="the group lets all traffic from itself in",
    why="EFA traffic has no ports, so that all protocols from the group's own id have to be let in",
    source=sources.EFA_START,
)
SELF_OUT = Named(
    name="self-egress",
    title="the group lets all traffic to itself out",
    why="EFA traffic is matched by the group's id alone: a way out to 0.0.0.0/0 does not cover it",
    source=sources.CIDR_IS_NOT_ENOUGH,
)
RULES_FIRST = Named(
    name="rules-before-nodes",
    title="the rules are there before the nodes",
    why="nodes that start before the rules fail their EFA checks, and HyperPod's then never join",
    source=sources.EMPTY_LOG,
)
ONE_SUBNET = Named(
    name="one-subnet",
    title="all nodes in one subnet of one zone",
    why="EFA traffic does not leave a zone, and a group in several subnets is spread over them",
    source=sources.EFA,
)
PRIVATE = Named(
    name="private-addresses",
    title="no public addresses",
    why="EC2 gives no public address to a machine with several interfaces, and refuses the launch",
    source=sources.PUBLIC_ADDRESS,
)


def network_links(
    wanted: WantedGroup, nodes: Nodes, artefacts: Artefacts, rules: Rules, made: Maker
) -> Iterator[Link]:
    """The links of one group of nodes."""
    group = common_group(nodes, artefacts)
    yield _attached(nodes, artefacts, group, made)
    if group is None:
        for named in (SELF_IN, SELF_OUT, RULES_FIRST):
            yield made.broken(named, ["no security group is there"], nodes.place)
    else:
        groups = sorted(_members(nodes, artefacts)) if nodes.interfaces is None else [group]
        for named, direction in ((SELF_IN, "in"), (SELF_OUT, "out")):
            found = [(one, rules.between(one, direction, one)) for one in groups]  # type: ignore[arg-type]
            faults = [rules.fault(one, direction, one) for one, rule in found if rule is None]  # type: ignore[arg-type]
            places = [rule.place for _, rule in found if rule] or [_place_of(artefacts, group, nodes)]
            told = f"{short(group)}: all protocols, {'from' if direction == 'in' else 'to'} itself by its id"
            yield made.judged(named, faults, told, places)
        yield _rules_first(nodes, artefacts, rules, groups, made)
    yield _one_subnet(wanted, nodes, artefacts, made)
    yield _private(nodes, artefacts, made)


def common_group(nodes: Nodes, artefacts: Artefacts) -> str | None:
    """The security group that interfaces with EFA share, or most of them have."""
    counted: Counter[str] = Counter()
    for interface in nodes.security:
        counted.update({artefacts.target(one.value, nodes.resource.stack) for one in interface})
    return max(sorted(counted), key=lambda key: counted[key], default=None)


def _members(nodes: Nodes, artefacts: Artefacts) -> set[str]:
    """Every group of the nodes: HyperPod puts all of them on every interface."""
    return {
        artefacts.target(one.value, nodes.resource.stack) for interface in nodes.security for one in interface
    }


def _attached(nodes: Nodes, artefacts: Artefacts, group: str | None, made: Maker) -> Link:
    stack = nodes.resource.stack
    places = [one.place for interface in nodes.security for one in interface[:1]]
    faults = []
    if nodes.loose_security is not None:
        faults.append("the launch template names groups beside its interfaces, which EC2 refuses")
    if group is None:
        faults.append("no interface with EFA has a security group")
    else:
        without = [
            number
            for number, interface in enumerate(nodes.security)
            if group not in {artefacts.target(one.value, stack) for one in interface}
        ]
        if without:
            # the others share one
            interfaces = "an interface" if len(without) == 1 else f"{len(without)} interfaces"
            faults.append(f"{interfaces} with EFA are not in {short(group)}")
            places = [nodes.security[number][0].place for number in without if nodes.security[number]]
    on = "every interface" if nodes.interfaces is None else f"{len(nodes.security)} of {len(nodes.security)}"
    told = f"{short(group or '')} on {on}" + ("" if nodes.interfaces is None else " EFA interfaces")
    where = places if faults or len(places) < 2 else [places[0], places[-1]]
    return made.judged(ATTACHED, faults, told, where or [nodes.place])


def _place_of(artefacts: Artefacts, group: str, nodes: Nodes) -> Place:
    resource = artefacts.named(group)
    return resource.properties.place if resource else nodes.place


def _rules_first(nodes: Nodes, artefacts: Artefacts, rules: Rules, groups: list[str], made: Maker) -> Link:
    wanted = [
        key
        for group in groups
        for key in (*rules.resources(group, "in", group), *rules.resources(group, "out", group))
    ]
    elsewhere = [key for key in wanted if not key.startswith(f"{nodes.resource.stack}/")]
    place = Place(artefact=nodes.resource.stack, at=nodes.resource.name, path="DependsOn")
    if elsewhere:
        told = "the rules are those of another stack, which is deployed before this one"
        return made.holds(RULES_FIRST, told, *(_resource_place(artefacts, key) for key in elsewhere))
    missing = missing_before(nodes.resource, artefacts, wanted)
    faults = [f"{nodes.resource.name} does not wait for {short(key)}" for key in missing]
    told = f"{nodes.resource.name} comes after {' and '.join(short(key) for key in wanted) or 'its group'}"
    return made.judged(RULES_FIRST, faults, told, [place])


def missing_before(resource: Resource, artefacts: Artefacts, keys: list[str]) -> list[str]:
    """Which resources another does not wait for, by whatever way."""
    seen, waiting = set[str](), [resource]
    while waiting:
        current = waiting.pop()
        for name in (*current.after, *_referred(current.properties.value)):
            key = f"{current.stack}/{name}"
            if key not in seen:
                seen.add(key)
                further = artefacts.named(key)
                if further is not None:
                    waiting.append(further)
    return [key for key in keys if key not in seen]


def _referred(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "Ref" and isinstance(inner, str):
                yield inner
            elif key == "Fn::GetAtt":
                yield attribute_of(inner)[0]
            else:
                yield from _referred(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _referred(inner)


def _resource_place(artefacts: Artefacts, key: str) -> Place:
    resource = artefacts.named(key)
    stack, _, name = key.partition("/")
    return resource.properties.place if resource else Place(artefact=stack, at=name)


def _one_subnet(wanted: WantedGroup, nodes: Nodes, artefacts: Artefacts, made: Maker) -> Link:
    stack, plan = nodes.resource.stack, wanted.subnet
    places = [found.place for found in nodes.subnets] or [nodes.place]
    if len(nodes.subnets) != 1:
        return made.broken(ONE_SUBNET, [f"the group names {len(nodes.subnets)} subnets"], *places)
    own = [found for one in nodes.interfaces or () if (found := one.at("SubnetId"))]
    if own:
        told = "an interface of the launch template names a subnet itself, which services refuse"
        return made.broken(ONE_SUBNET, [told], *(found.place for found in own))
    key = artefacts.target(nodes.subnets[0].value, stack)
    subnet = artefacts.named(key)
    if subnet is None:
        says = f"says {plan.id}" if plan.id else "makes its subnets itself"
        faults = [] if plan.id == key else [f"the group is in {key}, and the profile {says}"]
        told = f"{short(key)}, which the profile states to be in {plan.zone}"
        return made.judged(ONE_SUBNET, faults, told, places)
    zone = subnet.at("AvailabilityZone") or subnet.at("AvailabilityZoneId")
    stands = text_of(zone.value) if zone else "a zone that EC2 chooses"
    faults = (
        [] if stands == plan.zone else [f"{subnet.name} is in {stands}, the profile's zone is {plan.zone}"]
    )
    where = [*places, *([zone.place] if zone else [])]
    return made.judged(ONE_SUBNET, faults, f"{subnet.name} alone, in {stands}", where)


def _private(nodes: Nodes, artefacts: Artefacts, made: Maker) -> Link:
    asked = [one for one in nodes.interfaces or () if one.get("AssociatePublicIpAddress")]
    places = [one.place.below("AssociatePublicIpAddress") for one in asked]
    if nodes.public is not None and nodes.public.value is True:
        asked, places = [nodes.public], [nodes.public.place]
    faults = ["an interface asks for a public address"] if asked else []
    for found in nodes.subnets:
        subnet = artefacts.named(artefacts.target(found.value, nodes.resource.stack))
        public = subnet.at("MapPublicIpOnLaunch") if subnet else None
        if public is not None and str(public.value).lower() == "true":
            faults.append(f"{public.place.at} gives public addresses to what is launched in it")
            places.append(public.place)
    told = "neither an interface nor the subnet asks for one"
    where = places or [found.place for found in nodes.subnets[:1]]
    return made.judged(PRIVATE, faults, told, where or [nodes.place])
