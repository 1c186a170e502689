"""Groups of nodes in the diagram: one square for each node, and one node in detail."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from config.catalog.hardware import LocalNvme
from config.design.capacity.groups import GroupPlan
from scripts.cli.plan.diagram.boxes import (
    GAP,
    PAD,
    Box,
    Cell,
    Column,
    centred,
    columns,
    framed,
    rect,
    rows_of,
)
from scripts.cli.plan.document import amount

_MOST_SQUARES = 64
_MOST_UNITS = 4
_MOST_GROUPS = 24
_SQUARE, _APART = 11.0, 3.0
_CARD_LEAST, _CARD_MOST = 9.0, 90.0
_CARDS_IN_A_ROW = 17
_WIDE_LEAST, _SMALL_LEAST = 300.0, 190.0


def drawn_groups(groups: tuple[GroupPlan, ...], width: float) -> Iterator[Box]:
    """Yield rows of groups, GPU groups first; the details of an instance type are shown only once."""
    with_gpus = [group for group in groups if group.gpus]
    opened = {_machine(group): group.name for group in reversed(with_gpus)}
    large = [group for group in with_gpus if opened[_machine(group)] == group.name]
    small = [group for group in groups if group not in large]
    if large:
        number, each = columns(width, _WIDE_LEAST, len(large), gap=GAP)
        cells = [_group(group, each, opened=True) for group in large[:_MOST_GROUPS]]
        yield rows_of(cells, number)
    if small:
        number, each = columns(width, _SMALL_LEAST, max(len(small), 2), gap=GAP)
        cells = [_group(group, each, like=opened.get(_machine(group))) for group in small[:_MOST_GROUPS]]
        yield rows_of(cells, number)
    left = max(0, len(large) - _MOST_GROUPS) + max(0, len(small) - _MOST_GROUPS)
    if left:
        column = Column(width)
        column.text(f"and {left:,} more groups; the tables below list all of them", "small")
        yield column.box()


def _machine(group: GroupPlan) -> tuple[str, str | None]:
    return group.instance_type.name, group.layout.name if group.layout else None


def _group(group: GroupPlan, width: float, *, opened: bool = False, like: str | None = None) -> Cell:
    column = Column(width - 2 * PAD)
    column.pair(group.name, group.role)
    column.text(f"{group.count:,} x {group.instance_type.name}")
    sold = group.capacity.kind.replace("-", " ")
    column.text(f"{amount(group.gpus, 'GPU')}, {sold}" if group.gpus else sold, "small")
    column.space(6)
    column.add(_units(group, column.width) if group.unit else _squares(group.count, column.width))
    if opened:
        column.space(8)
        column.add(_node(group, column.width))
    elif like and like != group.name:
        column.space(4)
        column.text(f"same node type as {like}", "small")
    kind = "gpu-group" if group.gpus else "group"
    return Cell(inner=column.box(), kind=kind, name=f"group {group.name}")


def _squares(count: int, width: float, kind: str = "node") -> Box:
    """Return one square for each node; for many nodes, one square represents several, with a note."""
    each = ceil(count / _MOST_SQUARES)
    number, in_a_row = ceil(count / each) if count else 0, int((width + _APART) // (_SQUARE + _APART))
    column = Column(width)
    rows = ceil(number / in_a_row) if number else 0
    step = _SQUARE + _APART
    svg = "".join(
        rect(i % in_a_row * step, i // in_a_row * step, _SQUARE, _SQUARE, kind) for i in range(number)
    )
    column.add(Box(width=width, height=max(0.0, rows * step - _APART), svg=svg))
    if each > 1:
        column.space(2)
        column.text(f"1 square = {each:,} nodes", "small")
    return column.box()


def _units(group: GroupPlan, width: float) -> Box:
    """Return the UltraServers, each one NVLink domain; spare nodes are hollow squares."""
    unit = group.unit
    assert unit is not None
    column = Column(width)
    inner = width - 16
    for number in range(min(group.ultraservers, _MOST_UNITS)):
        used = min(unit.instances, group.count - number * unit.instances)
        one = Column(inner)
        one.text(f"{unit.name}: one NVLink domain of {unit.nvlink_domain_gpus} GPUs", "small")
        one.space(4)
        in_a_row = int((inner + _APART) // (_SQUARE + _APART))
        step = _SQUARE + _APART
        svg = "".join(
            rect(i % in_a_row * step, i // in_a_row * step, _SQUARE, _SQUARE, "node" if i < used else "spare")
            for i in range(unit.instances)
        )
        one.add(Box(width=inner, height=ceil(unit.instances / in_a_row) * step - _APART, svg=svg))
        spare = unit.instances - used
        one.space(2)
        one.text(amount(used, "node") + (f", {amount(spare, 'spare node')}" if spare else ""), "small")
        column.add(framed(one.box(), "nvlink", pad=8))
        column.space(6)
    left = group.ultraservers - _MOST_UNITS
    if left > 0:
        column.text(f"and {left:,} more UltraServers, {group.ultraservers:,} in total", "small")
    return column.box()


def _node(group: GroupPlan, width: float) -> Box:
    machine = group.instance_type
    column = Column(width - 16)
    column.text("one node", "small")
    column.space(4)
    column.add(_gpus(group, column.width))
    if machine.cards:
        column.space(8)
        column.add(_cards(group, column.width))
    if machine.local_nvme:
        column.space(8)
        column.add(_disks(machine.local_nvme, column.width))
    return framed(column.box(), "one-node", pad=8)


def _gpus(group: GroupPlan, width: float) -> Box:
    fit = group.instance_type.gpu
    assert fit is not None
    linked = group.nvlink_domain_gpus > 1
    column = Column(width - (12 if linked else 0))
    step = (column.width + 4) / max(fit.count, 4)
    size, height = step - 4, 24.0
    svg = "".join(
        rect(i * step, 0, size, height, "gpu", 3)
        + centred("GPU", i * step + size / 2, 16, size, "on-gpu small")
        for i in range(fit.count)
    )
    column.add(Box(width=column.width, height=height, svg=svg))
    column.space(3)
    count = f"{fit.count} x " if fit.count > 1 else ""
    column.text(f"{count}{fit.gpu.model}, {fit.memory_gib_each:,g} GiB each", "small")
    if not linked:
        return column.box()
    domain = group.nvlink_domain_gpus
    part = f"{fit.count} of the {domain} GPUs" if domain > fit.count else f"all {domain} GPUs"
    column.text(f"NVLink domain: {part}", "small")
    return framed(column.box(), "nvlink", pad=6)


def _cards(group: GroupPlan, width: float) -> Box:
    """Return the network cards with their interfaces; HyperPod attaches all supported interfaces itself."""
    machine, layout = group.instance_type, group.layout
    kinds = [_card(group, card.index) for card in machine.cards]
    rows = ceil(len(kinds) / max(1, min(int(width // (_CARD_LEAST + 3)), _CARDS_IN_A_ROW)))
    in_a_row = ceil(len(kinds) / rows)
    size = min(_CARD_MOST, (width + 3) / in_a_row - 3)
    svg = "".join(
        rect(
            i % in_a_row * (size + 3),
            i // in_a_row * 15,
            size,
            12,
            f"card {kind}",
            2,
            f"network card {i}: {interfaces}",
        )
        for i, (kind, interfaces) in enumerate(kinds)
    )
    column = Column(width)
    column.add(Box(width=width, height=rows * 15 - 3, svg=svg))
    column.space(3)
    number = "1 network card" if len(kinds) == 1 else f"{len(kinds)} network cards"
    efa = (
        f": {group.efa_per_node} x EFA {machine.efa_generation}, {group.efa_gbps:,g} Gbps"
        if group.efa_gbps
        else ""
    )
    column.text(f"{number}{efa}", "small")
    laid = f"layout {layout.name}" if layout else "interface layout chosen by the control plane"
    column.text(laid, "small")
    return column.box()


def _card(group: GroupPlan, index: int) -> tuple[str, str]:
    layout = group.layout
    if layout is None:
        card = next(card for card in group.instance_type.cards if card.index == index)
        efa = group.efa_per_node and any(kind.has_efa for kind in card.supports)
        return ("efa", "EFA") if efa else ("ena", "ENA")
    attached = [i.interface_type for i in layout.interfaces if i.network_card_index == index]
    names = " and ".join(kind.value for kind in attached)
    if not attached:
        return "unused", "without an interface"
    if any(kind.has_efa for kind in attached):
        return ("both" if any(kind.has_address for kind in attached) else "efa"), names
    return "ena", names


def _disks(disks: LocalNvme, width: float) -> Box:
    number, gap = disks.count, 3.0
    size = min(_CARD_MOST, (width + gap) / number - gap)
    svg = "".join(rect(i * (size + gap), 0, size, 8, "disk", 2) for i in range(number))
    column = Column(width)
    column.add(Box(width=width, height=8, svg=svg))
    column.space(2)
    column.text(f"local NVMe: {number} x {disks.gb_each:,} GB", "small")
    return column.box()
