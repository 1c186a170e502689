"""Network cards, interface types and device indexes, compared with the catalogue's table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from config.catalog import Interface, InterfaceType, Layout
from config.proof import sources
from config.proof.artefacts import Found, text_of
from config.proof.model import Link, Maker, Named, Place
from config.proof.nodes import Nodes
from config.proof.wanted import WantedGroup

CARDS = Named(
    name="network-cards",
    title="interfaces on the right network cards",
    why=(
        "each EFA interface needs its own network card, and the cards that support EFA differ between "
        "instance families"
    ),
    source=sources.LAYOUTS,
)
KINDS = Named(
    name="interface-types",
    title="EFA on the cards that support it",
    why="a plain interface has no EFA, and an efa-only interface has no IP address and cannot be the first",
    source=sources.LAYOUTS,
)
DEVICES = Named(
    name="device-indexes",
    title="device indexes that EC2 accepts",
    why="EC2 rejects a launch if a card has the same index twice, or an index increases with the card number",
    source=sources.DEVICE_INDEX,
)

Table = Mapping[int | str, Sequence[Interface]]
Written = Mapping[int | str, Sequence[Found]]
Fault = tuple[str, Sequence[Place]]


def interface_links(wanted: WantedGroup, nodes: Nodes, made: Maker) -> Iterator[Link]:
    """Yield the proof's links for the cards, types and device indexes of a group's interfaces."""
    if nodes.interfaces is None or wanted.layout is None:
        yield from _of_service(wanted, nodes, made)
        return
    layout, written = wanted.layout, nodes.interfaces
    table, by_card = _by_card(layout), _written_by_card(written)
    at = _listed(nodes)
    efa_cards = sorted(i.network_card_index for i in layout.interfaces if i.interface_type.has_efa)
    count = "one EFA interface" if len(efa_cards) == 1 else f"{len(efa_cards)} EFA interfaces"
    evidence = f"{count} on {spans(efa_cards)}, as in the table {layout.name} of {wanted.instance.name}"
    yield _judged(CARDS, _card_faults(table, by_card), evidence, at, made)
    # an interface on a wrong card is reported only once, by the link of the cards
    whole = {card: by_card[card] for card in table if len(by_card.get(card, ())) == len(table[card])}
    kinds = Counter(str(found.get("InterfaceType")) for found in written)
    evidence = ", ".join(f"{number} x {kind}" for kind, number in sorted(kinds.items()))
    yield _judged(
        KINDS, _kind_faults(table, whole), f"{evidence}; the first interface has an IP address", at, made
    )
    evidence = (
        "the first interface is device 0 of card 0, and no card has an index above 1 or the same index twice"
    )
    yield _judged(DEVICES, _device_faults(table, whole), evidence, at, made)


def _judged(named: Named, found: Iterable[Fault], evidence: str, at: Place, made: Maker) -> Link:
    faults = list(found)
    where = [place for _, places in faults for place in places]
    return made.judged(named, [fault for fault, _ in faults], evidence, where or [at])


def spans(cards: Sequence[int]) -> str:
    """Return `cards 0 to 7`, `cards 1, 5, 9 and 13`, or `card 0`."""
    if len(cards) == 1:
        return f"card {cards[0]}"
    if list(cards) == list(range(cards[0], cards[-1] + 1)):
        return f"cards {cards[0]} to {cards[-1]}"
    return f"cards {', '.join(map(str, cards[:-1]))} and {cards[-1]}"


def _of_service(wanted: WantedGroup, nodes: Nodes, made: Maker) -> Iterator[Link]:
    types = [found.place for found in nodes.types]
    name = wanted.instance.hyperpod_name or wanted.instance.name
    most = "one EFA interface" if wanted.efa == 1 else f"{wanted.efa} EFA interfaces"
    evidence = f"HyperPod attaches the interfaces of {name}; the type supports at most {most}"
    yield made.service(CARDS, evidence, *types, source=sources.HYPERPOD)
    kind = nodes.interface_kind
    if kind is None:
        evidence = "the group does not set an interface type, so HyperPod uses its default"
        yield made.service(KINDS, evidence, *types, source=sources.HYPERPOD_INTERFACE)
    else:
        declared = text_of(kind.value)
        faults = [] if declared in ("efa", "efa-only") else [f"the interface type {declared} has no EFA"]
        evidence = f"{declared} on every card that supports this type"
        yield made.judged(KINDS, faults, evidence, [kind.place], source=sources.HYPERPOD_INTERFACE)
    yield made.service(
        DEVICES, "HyperPod sets the device indexes with the interfaces", *types, source=sources.HYPERPOD
    )


def _listed(nodes: Nodes) -> Place:
    """Return the location of the list of interfaces."""
    if not nodes.interfaces:
        return nodes.place
    first = nodes.interfaces[0].place
    return Place(artefact=first.artefact, at=first.at, path=first.path.rpartition("[")[0])


def _by_card(layout: Layout) -> dict[int | str, list[Interface]]:
    found: dict[int | str, list[Interface]] = {}
    for interface in layout.interfaces:
        found.setdefault(interface.network_card_index, []).append(interface)
    return found


def _written_by_card(written: Sequence[Found]) -> dict[int | str, list[Found]]:
    """Return interfaces by card index; an index that is not a number is converted to text."""
    found: dict[int | str, list[Found]] = {}
    for interface in written:
        index = interface.get("NetworkCardIndex")
        found.setdefault(index if isinstance(index, int) else text_of(index), []).append(interface)
    return found


def _card_faults(table: Table, written: Written) -> Iterator[Fault]:
    if not written:
        yield "the group has no launch template with interfaces", ()
        return
    for card in sorted({*table, *written}, key=str):
        wanted, found = len(table.get(card, ())), written.get(card, ())
        places = [one.place.below("NetworkCardIndex") for one in found]
        if card not in table:
            yield f"{_count(len(found))} on card {card}, but the table has no interface there", places
        elif wanted != len(found):
            yield f"{_count(len(found))} on card {card}, but the table has {wanted}", places


def _count(number: int) -> str:
    return {0: "no interface", 1: "an interface"}.get(number, f"{number} interfaces")


def _kind_faults(table: Table, written: Written) -> Iterator[Fault]:
    for card, found in written.items():
        kinds = sorted(str(one.get("InterfaceType")) for one in found)
        wanted = sorted(one.interface_type.value for one in table[card])
        places = [one.place.below("InterfaceType") for one in found]
        if kinds != wanted:
            yield f"card {card} has {' and '.join(kinds)}, but the table has {' and '.join(wanted)}", places
        elif card == 0 and _first(found) == InterfaceType.EFA_ONLY:
            yield "device 0 of card 0 is efa-only, which has no IP address", places


def _first(found: Sequence[Found]) -> str | None:
    return next((one.get("InterfaceType") for one in found if one.get("DeviceIndex") == 0), None)


def _device_faults(table: Table, written: Written) -> Iterator[Fault]:
    for card, found in written.items():
        indexes = sorted(str(one.get("DeviceIndex")) for one in found)
        wanted = sorted(str(one.device_index) for one in table[card])
        if indexes != wanted:
            evidence = (
                f"card {card} has device {' and '.join(indexes)}, but the table has {' and '.join(wanted)}"
            )
            yield evidence, [one.place.below("DeviceIndex") for one in found]
