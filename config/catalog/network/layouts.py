"""Check of interface layouts against EC2's published rules for network cards."""

from collections import Counter
from collections.abc import Iterator

from config.catalog.hardware import Interface, InterfaceType, NetworkCard

_LAST_EFA_DEVICE = 1
"""An EFA interface must have device index 0 or 1 on its card (EFAACC; EC2-03, EKS-01)."""


def layout_faults(
    cards: tuple[NetworkCard, ...], interfaces: tuple[Interface, ...], max_efa: int
) -> Iterator[str]:
    """Yield a sentence for each reason why EC2 would reject a layout.

    Sources: EFAACC (primary interface, interface types of each card), EFA (one EFA per card), EC2-03 of the
    public failure reports (device index).
    """
    yield from _primary_faults(interfaces)
    by_index = {card.index: card for card in cards}
    for interface in interfaces:
        card = by_index.get(interface.network_card_index)
        if card is None:
            yield f"network card {interface.network_card_index} does not exist (0 to {len(cards) - 1})"
        else:
            yield from _interface_faults(interface, card)
    yield from _card_faults(by_index, interfaces)
    efas = sum(i.interface_type.has_efa for i in interfaces)
    if efas > max_efa:
        yield f"{efas} EFA interfaces, but the instance type supports {max_efa}"


def _primary_faults(interfaces: tuple[Interface, ...]) -> Iterator[str]:
    primary = [i for i in interfaces if (i.network_card_index, i.device_index) == (0, 0)]
    if len(primary) != 1:
        yield f"{len(primary)} interfaces at card 0 device 0, which must have exactly one"
    elif primary[0].interface_type is InterfaceType.EFA_ONLY:
        yield "the primary interface (card 0 device 0) is efa-only, which has no address"


def _interface_faults(interface: Interface, card: NetworkCard) -> Iterator[str]:
    if interface.interface_type not in card.supports:
        allowed = ", ".join(sorted(card.supports))
        yield f"card {card.index} does not support {interface.interface_type} (it supports {allowed})"
    top = card.max_interfaces - 1
    if not 0 <= interface.device_index <= top:
        yield f"device index {interface.device_index} on card {card.index} is above {top}"
    elif interface.interface_type.has_efa and interface.device_index > _LAST_EFA_DEVICE:
        yield f"an EFA interface at device index {interface.device_index} of card {card.index}, not at 0 or 1"


def _card_faults(by_index: dict[int, NetworkCard], interfaces: tuple[Interface, ...]) -> Iterator[str]:
    places = Counter((i.network_card_index, i.device_index) for i in interfaces)
    for (index, device), count in places.items():
        if count > 1:
            yield f"{count} interfaces at card {index} device {device}"
    totals = Counter(i.network_card_index for i in interfaces)
    efas = Counter(i.network_card_index for i in interfaces if i.interface_type.has_efa)
    for index, card in by_index.items():
        if totals[index] > card.max_interfaces:
            yield f"{totals[index]} interfaces on card {index}, which supports {card.max_interfaces}"
        if efas[index] > 1:
            yield f"{efas[index]} EFA interfaces on card {index}, which supports only one"
