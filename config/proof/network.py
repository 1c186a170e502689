"""Network requirements of EFA: security groups, one zone and subnet, addresses."""

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
    why="EFA traffic has no IP addresses: only rules between members of one security group allow it",
    source=sources.EFA_START,
)
SELF_IN = Named(
    name="self-ingress",
    title="the group allows all traffic from itself",
    why="EFA traffic has no ports, so a rule must allow all protocols from the group's own id",
    source=sources.EFA_START,
)
SELF_OUT = Named(
    name="self-egress",
    title="the group allows all traffic to itself",
    why="EFA traffic is matched only by the group's id: an egress rule for 0.0.0.0/0 does not allow it",
    source=sources.CIDR_IS_NOT_ENOUGH,
)
RULES_FIRST = Named(
    name="rules-before-nodes",
    title="the rules are created before the nodes",
    why=(
        "nodes that start before the rules fail their EFA checks, and HyperPod nodes then never join the "
        "cluster"
    ),
    source=sources.EMPTY_LOG,
)
ONE_SUBNET = Named(
    name="one-subnet",
    title="all nodes in one subnet of one zone",
    why=(
        "EFA traffic cannot cross zones, and the nodes of a group with several subnets are distributed "
        "over them"
    ),
    source=sources.EFA,
)
PRIVATE = Named(
    name="private-addresses",
    title="no public addresses",
    why="EC2 does not assign a public address to an instance with several interfaces, and rejects the launch",
    source=sources.PUBLIC_ADDRESS,
)


def network_links(
    wanted: WantedGroup, nodes: Nodes, artefacts: Artefacts, rules: Rules, made: Maker
) -> Iterator[Link]:
    """Yield the proof's links for the network of one group of nodes."""
    group = common_group(nodes, artefacts)
    yield _attached(nodes, artefacts, group, made)
    if group is None:
        for named in (SELF_IN, SELF_OUT, RULES_FIRST):
            yield made.broken(named, ["the interfaces have no security group"], nodes.place)
    else:
        groups = sorted(_members(nodes, artefacts)) if nodes.interfaces is None else [group]
        for named, direction in ((SELF_IN, "in"), (SELF_OUT, "out")):
            found = [(one, rules.between(one, direction, one)) for one in groups]  # type: ignore[arg-type]
            faults = [rules.fault(one, direction, one) for one, rule in found if rule is None]  # type: ignore[arg-type]
            places = [rule.place for _, rule in found if rule] or [_place_of(artefacts, group, nodes)]
            evidence = (
                f"{short(group)}: all protocols, {'from' if direction == 'in' else 'to'} itself by its id"
            )
            yield made.judged(named, faults, evidence, places)
        yield _rules_first(nodes, artefacts, rules, groups, made)
    yield _one_subnet(wanted, nodes, artefacts, made)
    yield _private(nodes, artefacts, made)


def common_group(nodes: Nodes, artefacts: Artefacts) -> str | None:
    """Return the security group that most EFA interfaces have; None if they have no security group."""
    counted: Counter[str] = Counter()
    for interface in nodes.security:
        counted.update({artefacts.target(one.value, nodes.resource.stack) for one in interface})
    return max(sorted(counted), key=lambda key: counted[key], default=None)


def _members(nodes: Nodes, artefacts: Artefacts) -> set[str]:
    """Return all security groups of the nodes; HyperPod attaches all of them to every interface."""
    return {
        artefacts.target(one.value, nodes.resource.stack) for interface in nodes.security for one in interface
    }


def _attached(nodes: Nodes, artefacts: Artefacts, group: str | None, made: Maker) -> Link:
    stack = nodes.resource.stack
    places = [one.place for interface in nodes.security for one in interface[:1]]
    faults = []
    if nodes.loose_security is not None:
        faults.append("the launch template has security groups outside of its interfaces, which EC2 rejects")
    if group is None:
        faults.append("no EFA interface has a security group")
    else:
        without = [
            number
            for number, interface in enumerate(nodes.security)
            if group not in {artefacts.target(one.value, stack) for one in interface}
        ]
        if without:
            # the other interfaces share one group
            interfaces = "1 EFA interface is" if len(without) == 1 else f"{len(without)} EFA interfaces are"
            faults.append(f"{interfaces} not in {short(group)}")
            places = [nodes.security[number][0].place for number in without if nodes.security[number]]
    on = "every interface" if nodes.interfaces is None else f"{len(nodes.security)} of {len(nodes.security)}"
    evidence = f"{short(group or '')} on {on}" + ("" if nodes.interfaces is None else " EFA interfaces")
    where = places if faults or len(places) < 2 else [places[0], places[-1]]
    return made.judged(ATTACHED, faults, evidence, where or [nodes.place])


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
        evidence = "the rules are in another stack, which is deployed first"
        return made.holds(RULES_FIRST, evidence, *(_resource_place(artefacts, key) for key in elsewhere))
    missing = missing_before(nodes.resource, artefacts, wanted)
    faults = [f"{nodes.resource.name} does not depend on {short(key)}" for key in missing]
    evidence = f"{nodes.resource.name} depends on {' and '.join(short(key) for key in wanted) or 'its group'}"
    return made.judged(RULES_FIRST, faults, evidence, [place])


def missing_before(resource: Resource, artefacts: Artefacts, keys: list[str]) -> list[str]:
    """Return the keys of those resources that are neither direct nor indirect dependencies of a resource."""
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
        return made.broken(ONE_SUBNET, [f"the group has {len(nodes.subnets)} subnets"], *places)
    own = [found for one in nodes.interfaces or () if (found := one.at("SubnetId"))]
    if own:
        evidence = "an interface of the launch template names a subnet, which services reject"
        return made.broken(ONE_SUBNET, [evidence], *(found.place for found in own))
    key = artefacts.target(nodes.subnets[0].value, stack)
    subnet = artefacts.named(key)
    if subnet is None:
        says = f"has {plan.id}" if plan.id else "creates its subnets"
        faults = [] if plan.id == key else [f"the group is in {key}, but the profile {says}"]
        evidence = f"{short(key)}, in {plan.zone} according to the profile"
        return made.judged(ONE_SUBNET, faults, evidence, places)
    zone = subnet.at("AvailabilityZone") or subnet.at("AvailabilityZoneId")
    stands = text_of(zone.value) if zone else "a zone that EC2 chooses"
    faults = (
        []
        if stands == plan.zone
        else [f"{subnet.name} is in {stands}, but the profile's zone is {plan.zone}"]
    )
    where = [*places, *([zone.place] if zone else [])]
    return made.judged(ONE_SUBNET, faults, f"only {subnet.name}, in {stands}", where)


def _private(nodes: Nodes, artefacts: Artefacts, made: Maker) -> Link:
    asked = [one for one in nodes.interfaces or () if one.get("AssociatePublicIpAddress")]
    places = [one.place.below("AssociatePublicIpAddress") for one in asked]
    if nodes.public is not None and nodes.public.value is True:
        asked, places = [nodes.public], [nodes.public.place]
    faults = ["an interface requests a public address"] if asked else []
    for found in nodes.subnets:
        subnet = artefacts.named(artefacts.target(found.value, nodes.resource.stack))
        public = subnet.at("MapPublicIpOnLaunch") if subnet else None
        if public is not None and str(public.value).lower() == "true":
            faults.append(f"{public.place.at} assigns public addresses to its instances")
            places.append(public.place)
    evidence = "the interfaces and the subnet do not request public addresses"
    where = places or [found.place for found in nodes.subnets[:1]]
    return made.judged(PRIVATE, faults, evidence, where or [nodes.place])
