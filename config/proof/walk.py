"""Check every link that EFA needs in the generated artefacts."""

from __future__ import annotations

from collections.abc import Iterator

from config.proof import sources
from config.proof.artefacts import Artefacts
from config.proof.interfaces import interface_links
from config.proof.jobs import job_links
from config.proof.kubernetes import kubernetes_links
from config.proof.lustre import lustre_links
from config.proof.lustre_clients import Clients
from config.proof.machines import bundle_of, machine_links
from config.proof.model import Chain, Link, Maker, Named, Place, Proof, State
from config.proof.network import network_links
from config.proof.nodes import Nodes, nodes_of
from config.proof.security import Rules, rules_of
from config.proof.software import software_links
from config.proof.wanted import Wanted, WantedGroup

THERE = Named(
    name="group",
    title="the group is in the template",
    why="a group that is not launched has no nodes",
    source=sources.EFA,
)


def prove(wanted: Wanted, artefacts: Artefacts) -> Proof:
    """Check all links; a link whose value cannot be found is broken."""
    rules = rules_of(artefacts)
    found = [(group, nodes_of(group, artefacts)) for group in wanted.groups]
    chains = [
        Chain(
            subject=group.name,
            kind="group",
            summary=_summary(group),
            links=tuple(_of_group(wanted, group, nodes, artefacts, rules)),
        )
        for group, nodes in found
    ]
    present = [(group, nodes) for group, nodes in found if nodes is not None]
    bundle = bundle_of(wanted, present[0][1], artefacts) if present and wanted.scripted else None
    clients = Clients(groups=[one for one in present if one[0].lustre_interfaces], bundle=bundle)
    # without nodes there are no clients; the missing nodes are reported above
    for system in () if wanted.groups and not present else wanted.file_systems:
        links = tuple(lustre_links(wanted, system, clients, artefacts, rules, Maker(system.name)))
        summary = "Lustre, used over EFA"
        chains.append(Chain(subject=system.name, kind="file system", summary=summary, links=links))
    return Proof(
        fabric="efa",
        profile=wanted.profile,
        orchestrator=wanted.orchestrator,
        chains=tuple(chains),
        without=wanted.without,
        verdict=_verdict(wanted, tuple(chains)),
    )


def _of_group(
    wanted: Wanted, group: WantedGroup, nodes: Nodes | None, artefacts: Artefacts, rules: Rules
) -> Iterator[Link]:
    made = Maker(group.name)
    if nodes is None:
        yield _absent(group, artefacts, made)
        return
    yield from machine_links(wanted, group, nodes, artefacts, made)
    yield from interface_links(group, nodes, made)
    yield from network_links(group, nodes, artefacts, rules, made)
    yield from _of_pods(wanted, group, nodes, artefacts, made)
    bundle = bundle_of(wanted, nodes, artefacts)
    yield from software_links(wanted, group, nodes, bundle, artefacts, made)


def _of_pods(
    wanted: Wanted, group: WantedGroup, nodes: Nodes, artefacts: Artefacts, made: Maker
) -> Iterator[Link]:
    if wanted.scheduler is not None:
        yield from kubernetes_links(group, nodes, artefacts, made)
    yield from job_links(wanted, group, nodes, artefacts, made)


def _absent(group: WantedGroup, artefacts: Artefacts, made: Maker) -> Link:
    place = Place(artefact=artefacts.stack, at="Resources")
    return made.broken(THERE, [f"no resource launches the group {group.name}"], place)


def _summary(group: WantedGroup) -> str:
    count = "one EFA interface" if group.efa == 1 else f"{group.efa} EFA interfaces each"
    if group.layout is None and group.efa > 1:
        count = f"up to {group.efa} EFA interfaces each"
    return f"{group.count} x {group.instance.name}, {count}"


def _verdict(wanted: Wanted, chains: tuple[Chain, ...]) -> str:
    links = [link for chain in chains for link in chain.links]
    broken = [link for link in links if link.broken]
    if not links:
        return "EFA is not used: no group or file system of this profile has EFA"
    if broken:
        named = ", ".join(f"{link.name} of {link.subject}" for link in broken)
        return f"EFA is not ready: {named} {'is' if len(broken) == 1 else 'are'} broken"
    held = sum(link.state is State.HOLDS for link in links)
    service = sum(link.state is State.SERVICE for link in links)
    yours = sum(link.state is State.YOURS for link in links)
    verb = "is" if service == 1 else "are"
    evidence = f"{held} requirements are met, {service} {verb} left to the service and {yours} to you"
    if not wanted.groups:
        return f"EFA is ready for the file systems, whose clients are in other profiles: {evidence}"
    one, *others = wanted.groups
    if one.count == 1 and not others:
        return f"EFA is not needed between nodes, because {one.name} has only one node: {evidence}"
    return f"EFA is ready: {evidence}"
