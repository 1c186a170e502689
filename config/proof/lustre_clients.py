"""Lustre clients with EFA: LNet is configured before the mount, and checked after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from config.proof import sources
from config.proof.artefacts import Artefacts, Bundle, Resource, sequence, text_of
from config.proof.model import Link, Maker, Named, Place
from config.proof.nodes import Nodes
from config.proof.security import short
from config.proof.wanted import Wanted, WantedFileSystem, WantedGroup

CLIENT = Named(
    name="lustre-client",
    title="LNet on the nodes has EFA before the mount",
    why="a client whose LNet has no EFA interface during the mount uses TCP without an error",
    source=sources.LUSTRE_CLIENT,
)
PERMISSION = Named(
    name="lustre-permission",
    title="nodes can query whether the file system has EFA",
    why="HyperPod mounts over TCP if the node's role cannot describe the file system",
    source=sources.HYPERPOD_LUSTRE,
)
CHECK = Named(
    name="lustre-check",
    title="nodes check after the mount that data is transferred over EFA",
    why="a fallback to TCP is only visible in the counters of the servers",
    source=sources.LUSTRE_FALLBACK,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clients:
    """The groups of nodes that use file systems over EFA, and their scripts."""

    groups: Sequence[tuple[WantedGroup, Nodes]]
    bundle: Bundle | None


def client_links(
    wanted: Wanted, system: WantedFileSystem, clients: Clients, artefacts: Artefacts, made: Maker
) -> Iterator[Link]:
    """Yield the proof's links for the Lustre clients on nodes."""
    yield _client(wanted, system, clients, made)
    if clients.groups[0][0].launched_by == "hyperpod":
        yield _permission(clients, artefacts, made)
    yield _check(wanted, clients, made)


def _client(wanted: Wanted, system: WantedFileSystem, clients: Clients, made: Maker) -> Link:
    bundle = clients.bundle
    if bundle is None:
        return made.yours(
            CLIENT, "nodes do not run ultracluster's scripts: your scripts or your image must configure LNet"
        )
    places = [
        found.place
        for name in ("LUSTRE_FILE_SYSTEMS", "LUSTRE_EFA_INTERFACES")
        if (found := bundle.setting(name)) is not None
    ]
    configured = _step(wanted, bundle, r"^\s*step configure_lnet")
    faults = [*_setting_faults(system, clients, bundle), *_order_faults(wanted, bundle, configured)]
    said = ", ".join(f"{g.lustre_interfaces} interfaces on {g.instance.name}" for g, _ in clients.groups)
    evidence = f"{said}, configured before the mount"
    return made.judged(CLIENT, faults, evidence, [*places, *([configured] if configured else [])])


def _setting_faults(system: WantedFileSystem, clients: Clients, bundle: Bundle) -> Iterator[str]:
    """Yield a fault for a wrong transport of the file system, and for a wrong interface count of a type."""
    listed = bundle.setting("LUSTRE_FILE_SYSTEMS")
    rows = [row.split() for row in (listed.value if listed else "").splitlines()]
    transport = next((row[2] for row in rows if row[:1] == [system.name] and len(row) > 2), "no transport")
    if transport != "efa":
        yield f"settings.env has {transport} for this file system, not efa"
    declared = bundle.setting("LUSTRE_EFA_INTERFACES")
    counts = dict(word.partition("=")[::2] for word in (declared.value if declared else "").split())
    for group, _ in clients.groups:
        found, right = counts.get(group.instance.name), group.lustre_interfaces
        if found != str(right):
            yield f"LNet gets {found or 'no'} interfaces on {group.instance.name}, not {right}"


def _order_faults(wanted: Wanted, bundle: Bundle, configured: Place | None) -> Iterator[str]:
    mounted = _step(wanted, bundle, r"^\s*mount_file_systems")
    if configured is None:
        yield "the nodes' script does not configure LNet"
    elif mounted and (mounted.line or 0) < (configured.line or 0):
        yield "the script mounts before LNet has EFA"
    if bundle.first("library.sh", r"lnetctl net add --net efa") is None:
        yield "the library does not add EFA interfaces to LNet"


def entry_of(wanted: Wanted) -> str:
    """Return the script that a node starts first; this script runs the other scripts."""
    entries = {"hyperpod-slurm": "on_init_complete.sh", "hyperpod-eks": "on_create.sh"}
    return entries.get(wanted.orchestrator or "", "prepare.sh")


def _step(wanted: Wanted, bundle: Bundle, pattern: str) -> Place | None:
    """Return the location of a line in the script that nodes start first; None if there is no such line."""
    found = bundle.first(entry_of(wanted), pattern)
    return found.place if found else None


def _permission(clients: Clients, artefacts: Artefacts, made: Maker) -> Link:
    cluster = clients.groups[0][1].resource
    names = {group.name for group, _ in clients.groups}
    roles = {
        artefacts.target(one.get("ExecutionRole"), cluster.stack)
        for one in cluster.items("InstanceGroups")
        if text_of(one.get("InstanceGroupName")) in names
    }
    faults, places = [], list[Place]()
    for key in sorted(roles):
        role = artefacts.named(key)
        found = _statement(role, "fsx:DescribeFileSystems") if role else None
        if found is None:
            faults.append(f"{short(key)} does not have the permission fsx:DescribeFileSystems")
            places.append(role.properties.place if role else cluster.properties.place)
        else:
            places.append(found)
    evidence = f"{' and '.join(short(key) for key in sorted(roles))} can call fsx:DescribeFileSystems"
    return made.judged(PERMISSION, faults, evidence, places)


def _statement(role: Resource, action: str) -> Place | None:
    for policy in role.items("Policies"):
        for one in policy.items("PolicyDocument", "Statement"):
            actions = one.get("Action")
            listed = {
                text_of(each) for each in ([actions] if isinstance(actions, str) else sequence(actions))
            }
            if one.get("Effect") == "Allow" and {action, "fsx:*", "fsx:Describe*", "*"} & listed:
                return one.place
    return None


def _check(wanted: Wanted, clients: Clients, made: Maker) -> Link:
    bundle = clients.bundle
    if bundle is None:
        return made.yours(CHECK, "nodes do not run ultracluster's scripts, so ultracluster does not check")
    faults, places = [], list[Place]()
    if wanted.scheduler is None:
        checked = _step(wanted, bundle, r"^\s*check_storage")
        mounted = _step(wanted, bundle, r"^\s*mount_file_systems")
        if checked is None:
            faults.append("the script does not check after the mount")
        elif mounted and (checked.line or 0) < (mounted.line or 0):
            faults.append("the script checks before the mount")
        evidence = "checked directly after the mount, and every hour"
    else:
        checked = _step(wanted, bundle, r"^\s*step install_units")
        if checked is None:
            faults.append("the script does not install a check")
        evidence = "checked five minutes after boot and every hour, if a pod has mounted the file system"
    places += [checked] if checked else []
    for pattern, fault in (
        (r"ultracluster-storage-check\.timer", "the timer of the check is missing"),
        (r"OVER_EFA < PROBE_MESSAGES", "the check does not count EFA messages"),
    ):
        found = bundle.first("library.sh", pattern)
        if found is None:
            faults.append(fault)
        else:
            places.append(found.place)
    return made.judged(CHECK, faults, evidence, places or [bundle.place("library.sh")])
