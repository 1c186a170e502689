"""Instances of a group: type, capacity, placement, image and scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from config.catalog import catalog
from config.proof import sources
from config.proof.artefacts import Artefacts, Bundle, mapping, sequence, text_of
from config.proof.lustre_clients import entry_of
from config.proof.model import Link, Maker, Named, Place
from config.proof.nodes import Nodes
from config.proof.wanted import Wanted, WantedGroup

TYPE = Named(
    name="instance-type",
    title="an instance type with EFA",
    why=(
        "only some types have EFA interfaces, and network cards, drivers and support lists differ "
        "between types"
    ),
    source=sources.EFA,
)
TEMPLATE = Named(
    name="launch-template",
    title="nodes are launched from the proven launch template",
    why="a group that names an older version launches instances with the interfaces of that version",
    source=sources.LAUNCH_TEMPLATES,
)
CAPACITY = Named(
    name="capacity",
    title="capacity from the profile's reservation or purchase option",
    why="nodes of one reservation are in one UltraCluster; instances from other capacity may not be",
    source=sources.BLOCKS,
)
PLACEMENT = Named(
    name="placement-group",
    title="the placement group of the profile, and no other",
    why=(
        "with a placement group that the profile does not declare, launches cannot use the reservation "
        "(EC2-04)"
    ),
    source=sources.SILENT_PLACEMENT,
)
IMAGE = Named(
    name="image",
    title="an image with the EFA driver",
    why="without the driver the interfaces are attached, but the EFA devices do not exist",
    source=sources.EKS_EFA,
)
SCRIPTS = Named(
    name="node-scripts",
    title="nodes run the proven scripts",
    why=(
        "the scripts that configure and check EFA on a node are in a bundle, which the template names by "
        "a content hash"
    ),
    source=sources.LUSTRE_CLIENT,
)

_BUNDLE = re.compile(r"/([a-z0-9-]+/[0-9a-f]{16})/")


def machine_links(
    wanted: Wanted, group: WantedGroup, nodes: Nodes, artefacts: Artefacts, made: Maker
) -> Iterator[Link]:
    """Yield the proof's links for type, capacity, placement, image and scripts."""
    yield _type(group, nodes, made)
    if group.launched_by in ("eks", "pcs"):
        yield _template(nodes, made)
    yield _capacity(group, nodes, made)
    yield _placement(group, nodes, artefacts, made)
    yield _image(group, nodes, made)
    yield _scripts(wanted, group, nodes, artefacts, made)


def bundle_of(wanted: Wanted, nodes: Nodes, artefacts: Artefacts) -> Bundle | None:
    """Return the scripts of a group's nodes; if the template does not name them, those of the profile."""
    named = bundle_name(nodes)
    return artefacts.bundle(named or "") or artefacts.bundle(wanted.bundle or "")


def bundle_name(nodes: Nodes) -> str | None:
    """Return the prefix of the bundle that a group's nodes download; None if they download none."""
    found = _BUNDLE.search(text_of(nodes.bundle.value)) if nodes.bundle else None
    return found[1] if found else None


def _type(group: WantedGroup, nodes: Nodes, made: Maker) -> Link:
    found = [text_of(one.value).removeprefix("ml.") for one in nodes.types]
    places = [one.place for one in nodes.types] or [nodes.place]
    faults = []
    if sorted(found) != sorted(group.types):
        said = ", ".join(found) or "no type"
        faults.append(f"the template has {said}, but the profile has {', '.join(group.types)}")
    instance = group.instance
    evidence = f"{', '.join(found)}: EFA {instance.efa_generation}, {instance.efa_gbps:g} Gbps"
    if instance.max_efa > 1:
        evidence += f" over at most {instance.max_efa} interfaces"
    return made.judged(TYPE, faults, evidence, places)


def _template(nodes: Nodes, made: Maker) -> Link:
    version, template = nodes.version, nodes.template
    place = version.place if version else nodes.place
    if template is None:
        return made.broken(TEMPLATE, ["the group does not name a launch template of this stack"], place)
    newest = f"${{{template.name}.LatestVersionNumber}}"
    found = text_of(version)
    faults = (
        []
        if found == newest
        else [f"version {found or 'by default'} of {template.name}, not the newest version"]
    )
    return made.judged(TEMPLATE, faults, f"the newest version of {template.name}", [place])


def _capacity(group: WantedGroup, nodes: Nodes, made: Maker) -> Link:
    if group.launched_by == "hyperpod":
        return _of_hyperpod(group, nodes, made)
    kind, found = group.purchase.capacity.kind, nodes.capacity
    places = [one.place for one in found.values()] or [nodes.place]
    faults = [*_reservation_faults(group, nodes), *_market_faults(group, nodes)]
    source = sources.BLOCK_LAUNCH if group.purchase.block else sources.EFA_START
    evidence = f"{kind}, without a reservation"
    if group.reservation:
        evidence = f"{kind} {group.reservation}"
    elif group.purchase.open:
        evidence = f"{kind}: any open reservation that matches"
    return made.judged(CAPACITY, faults, evidence, places, source)


def _reservation_faults(group: WantedGroup, nodes: Nodes) -> Iterator[str]:
    """Yield differences between the reservation in the template and the reservation in the profile."""
    found = nodes.capacity.get("reservation")
    declared = mapping(found)
    keys = ("CapacityReservationId", "CapacityReservationResourceGroupArn", "id")
    named = next((text_of(declared[key]) for key in keys if key in declared), "")
    if group.reservation and group.reservation != named:
        yield f"the template does not name the reservation {group.reservation}, but {named or 'none'}"
    if named and not group.reservation:
        yield f"the template names {named}, but the profile has no reservation"
    elif found and not named and not group.purchase.open:
        yield "the reservation is not selected by its id"
    preference = nodes.capacity.get("preference")
    opened = text_of(preference.value if preference else declared.get("instanceMatchCriteria"))
    if group.purchase.open and opened != "open":
        yield "the template does not use open reservations"


def _market_faults(group: WantedGroup, nodes: Nodes) -> Iterator[str]:
    """Yield differences of the purchase option between profile and template."""
    purchase, kind = group.purchase, group.purchase.capacity.kind
    evidence = {name: text_of(one.value) for name, one in nodes.capacity.items()}
    if group.launched_by == "karpenter":
        types = nodes.capacity.get("types")
        taken = sorted(map(text_of, sequence(types.value))) if types else []
        if taken != sorted(purchase.karpenter_types):
            yield f"the pool accepts {' and '.join(taken) or 'any capacity'}, but the capacity is {kind}"
        return
    if evidence.get("market") != purchase.market:
        yield f"the market type is {evidence.get('market', 'on-demand')}, but the capacity is {kind}"
    bought = evidence.get("purchase", "ON_DEMAND")
    if bought not in (purchase.eks, purchase.pcs):
        yield f"the group has the purchase option {bought}, but the capacity is {kind}"


def _of_hyperpod(group: WantedGroup, nodes: Nodes, made: Maker) -> Link:
    plan = nodes.capacity.get("plan")
    places = [one.place for one in nodes.capacity.values()] or [nodes.place]
    declared = text_of(plan)
    if declared != (group.reservation or ""):
        wanted = group.reservation or "none"
        said = f"the training plan is {declared or 'not named'}, but the profile has {wanted}"
        return made.broken(CAPACITY, [said], *places)
    if group.reservation:
        ultraserver = group.purchase.capacity.ultraserver
        where = f" of {ultraserver}" if ultraserver else ""
        return made.holds(
            CAPACITY, f"training plan {declared}{where}", *places, source=sources.TRAINING_PLANS
        )
    spot = nodes.capacity.get("spot")
    if (spot is not None) != group.purchase.interruptible:
        return made.broken(CAPACITY, ["only the group or only the profile has Spot instances"], *places)
    evidence = f"{group.purchase.capacity.kind}: HyperPod launches and places the instances"
    return made.service(CAPACITY, evidence, *places, source=sources.HYPERPOD_GROUP)


def _placement(group: WantedGroup, nodes: Nodes, artefacts: Artefacts, made: Maker) -> Link:
    if group.launched_by == "hyperpod":
        evidence = "HyperPod has no setting for placement groups"
        return made.service(PLACEMENT, evidence, nodes.place, source=sources.HYPERPOD_GROUP)
    found = mapping(nodes.placement)
    raw = next((found[key] for key in ("GroupName", "GroupId", "name", "id") if key in found), None)
    named = None if raw is None else artefacts.target(raw, nodes.resource.stack)
    place = nodes.placement.place if nodes.placement else _data_place(nodes)
    if group.placement is None:
        faults = (
            [] if named is None else [f"the placement group {named.rpartition('/')[2]} is not in the profile"]
        )
        evidence = "the profile and the template have no placement group, which EFA does not require"
        if group.purchase.block:
            evidence = (
                "Capacity Blocks do not support placement groups; a Capacity Block is in one UltraCluster"
            )
    elif group.placement == "new":
        resource = artefacts.named(named or "")
        strategy = text_of(resource.get("Strategy")) if resource else ""
        faults = (
            []
            if strategy == "cluster"
            else ["the template does not create a cluster placement group for the group"]
        )
        evidence = f"{named.rpartition('/')[2] if named else ''}, a cluster placement group for this group"
    else:
        faults = (
            []
            if named == group.placement
            else [f"{named or 'none'}, but the profile declares {group.placement}"]
        )
        evidence = f"{group.placement}, as in the profile"
    return made.judged(PLACEMENT, faults, evidence, [place])


def _data_place(nodes: Nodes) -> Place:
    """Return the location that contains the interfaces; if there are none, the location of the group."""
    if not nodes.interfaces:
        return nodes.place
    first = nodes.interfaces[0].place
    return Place(artefact=first.artefact, at=first.at, path=first.path.rpartition(".")[0] or first.path)


def _image(group: WantedGroup, nodes: Nodes, made: Maker) -> Link:
    place = nodes.image.place if nodes.image else nodes.place
    found = text_of(nodes.image)
    if found.startswith("ami-") and found == group.image:
        return made.yours(IMAGE, f"{found} is your image: it must contain the EFA driver", place)
    if group.launched_by == "hyperpod":
        if found not in ("", "default"):
            return made.broken(IMAGE, [f"the image {found} is not in the profile"], place)
        evidence = "HyperPod's image, which contains the EFA driver; HyperPod checks it when a node starts"
        return made.service(IMAGE, evidence, place, source=sources.HYPERPOD_IMAGE)
    if group.launched_by == "pcs":
        parameter = catalog().pcs.image_parameter.format(arch=group.instance.arch)
        right = found == f"{{{{resolve:ssm:{parameter}}}}}"
        evidence = (
            f"the PCS DLAMI for {group.instance.arch}, which contains the EFA driver and the Lustre client"
        )
        if right:
            return made.holds(IMAGE, evidence, place, source=sources.LUSTRE_CLIENT)
        return made.broken(
            IMAGE, [f"{found or 'no image'} is not the PCS DLAMI for {group.instance.arch}"], place
        )
    return _of_eks(group, found, nodes, made)


def _of_eks(group: WantedGroup, found: str, nodes: Nodes, made: Maker) -> Link:
    place = nodes.image.place if nodes.image else nodes.place
    if group.launched_by == "karpenter":
        family = found.partition("@")[0]
        right = family in ("al2023", "bottlerocket")
        evidence = f"{found}: Karpenter uses its NVIDIA variant for GPU types, which supports EFA on the host"
    else:
        right = found in group.instance.eks_ami_types
        evidence = f"{found}, which supports EFA on the host"
    if not right:
        return made.broken(
            IMAGE, [f"{found or 'no image'} is not an EKS image for {group.instance.name}"], place
        )
    source = sources.KARPENTER_IMAGES if group.launched_by == "karpenter" else sources.EKS_EFA
    return made.holds(IMAGE, evidence, place, source=source)


def _scripts(wanted: Wanted, group: WantedGroup, nodes: Nodes, artefacts: Artefacts, made: Maker) -> Link:
    place = nodes.bundle.place if nodes.bundle else nodes.place
    if not wanted.scripted:
        if wanted.orchestrator == "eks":
            return made.not_needed(
                SCRIPTS, "this image does not run scripts, and contains all software that it supports", place
            )
        return made.yours(SCRIPTS, "nodes run your scripts, which the proof does not read", place)
    named = bundle_name(nodes)
    if named is None:
        return made.broken(SCRIPTS, ["the group does not name a script bundle"], place)
    if artefacts.bundle(named) is None:
        return made.broken(SCRIPTS, [f"the bundle {named} was not generated"], place)
    started = text_of(nodes.entry)
    if group.launched_by == "hyperpod" and started != entry_of(wanted):
        fault = f"HyperPod starts {started or 'no script'}, but must start {entry_of(wanted)}"
        return made.broken(SCRIPTS, [fault], nodes.entry.place if nodes.entry else place)
    files = len(artefacts.bundles[named])
    return made.holds(SCRIPTS, f"{named}, {files} files", place)
