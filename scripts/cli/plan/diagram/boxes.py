"""Boxes of the diagram: each has a size, its SVG, and the points where lines end.

Lengths are pixels of the page. Colours and fonts are classes, so one SVG serves light, dark and print.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape

from scripts.cli.plan.diagram.text_width import fitted, width_of, wrapped

GAP, PAD = 12.0, 12.0
_LINE = 1.35
_SIZES = {"title": 13.0, "text": 12.0, "small": 11.0}
_MOST_LINES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A part of the diagram; `ends` are the points at which lines to the part end, by name."""

    width: float
    height: float
    svg: str
    ends: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def at(self, x: float, y: float) -> Box:
        """Return the box, moved by `x` and `y`."""
        return replace(
            self,
            svg=f'<g transform="translate({_n(x)} {_n(y)})">{self.svg}</g>',
            ends={name: (left + x, top + y) for name, (left, top) in self.ends.items()},
        )


@dataclass(slots=True)
class Column:
    """Builder of a box with a given width, whose parts are below each other."""

    width: float
    y: float = 0.0
    _svg: list[str] = field(default_factory=list)
    _ends: dict[str, tuple[float, float]] = field(default_factory=dict)

    def text(
        self, text: str, kind: str = "text", *, most: int = _MOST_LINES, room: float | None = None
    ) -> None:
        """Add a text, wrapped; a text that does not fit into `most` lines is shortened and has a tooltip."""
        size, bold = _SIZES[kind], kind == "title"
        lines = wrapped(text, size, room or self.width, most=most, bold=bold)
        whole = f"<title>{escape(text)}</title>" if " ".join(lines) != " ".join(text.split()) else ""
        for number, shown in enumerate(lines):
            self.y += size * _LINE
            self._svg.append(_text(shown, 0, self.y - size * 0.3, kind, title=whole if number == 0 else ""))

    def pair(self, left: str, right: str, kind: str = "title") -> None:
        """Add a text at the left, and a small text at the right of the same line."""
        small = _SIZES["small"]
        right = fitted(right, small, self.width * 0.5)
        room = self.width - width_of(right, small) - GAP
        start = self.y
        self.text(left, kind, most=1, room=room)
        self._svg.append(_text(right, self.width, start + (self.y - start) * 0.78, "small end"))

    def add(self, box: Box, x: float = 0.0) -> None:
        """Add a box below the other parts."""
        moved = box.at(x, self.y)
        self._svg.append(moved.svg)
        self._ends.update(moved.ends)
        self.y += box.height

    def space(self, height: float = GAP) -> None:
        """Add empty space."""
        self.y += height

    def box(self) -> Box:
        """Return the box."""
        return Box(width=self.width, height=self.y, svg="".join(self._svg), ends=self._ends)


def framed(inner: Box, kind: str, *, name: str | None = None, pad: float = PAD, height: float = 0.0) -> Box:
    """Return a box in a frame.

    `height` is the minimum height. Lines to `name` end in the middle of the frame's sides.
    """
    width, height = inner.width + 2 * pad, max(height, inner.height + 2 * pad)
    moved = inner.at(pad, pad)
    ends = dict(moved.ends)
    if name:
        ends |= {
            f"{name}:left": (0.0, height / 2),
            f"{name}:right": (width, height / 2),
            f"{name}:top": (width / 2, 0.0),
            f"{name}:bottom": (width / 2, height),
        }
    frame = rect(0, 0, width, height, f"frame {kind}", 8)
    return Box(width=width, height=height, svg=frame + moved.svg, ends=ends)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A box in a row of frames that have the same height."""

    inner: Box
    kind: str
    name: str


def rows_of(cells: Sequence[Cell], number: int, *, gap: float = GAP) -> Box:
    """Arrange cells in rows of `number` cells."""
    rows = [cells[start : start + number] for start in range(0, len(cells), number)]
    return stacked((_row(row, gap) for row in rows), gap=gap)


def _row(cells: Sequence[Cell], gap: float) -> Box:
    height = max(cell.inner.height for cell in cells) + 2 * PAD
    return beside([framed(c.inner, c.kind, name=c.name, height=height) for c in cells], gap=gap)


def stacked(boxes: Iterable[Box], *, gap: float = GAP) -> Box:
    """Arrange boxes below each other."""
    column = Column(0.0)
    for number, box in enumerate(boxes):
        if number:
            column.space(gap)
        column.add(box)
        column.width = max(column.width, box.width)
    return column.box()


def beside(boxes: Sequence[Box], *, gap: float = GAP) -> Box:
    """Arrange boxes next to each other, aligned at the top."""
    x, svg, height = 0.0, [], 0.0
    ends: dict[str, tuple[float, float]] = {}
    for box in boxes:
        moved = box.at(x, 0)
        svg.append(moved.svg)
        ends.update(moved.ends)
        x, height = x + box.width + gap, max(height, box.height)
    return Box(width=max(0.0, x - gap), height=height, svg="".join(svg), ends=ends)


def columns(width: float, least: float, count: int, *, gap: float = GAP) -> tuple[int, float]:
    """Return the number of boxes that fit in a row, at most `count`, and the width of each box."""
    number = max(1, min(count, int((width + gap) // (least + gap))))
    return number, (width - gap * (number - 1)) / number


def rect(
    x: float, y: float, width: float, height: float, kind: str, radius: float = 2, title: str = ""
) -> str:
    """Return a rectangle; `title` is its tooltip."""
    tooltip = f"<title>{escape(title)}</title>" if title else ""
    return (
        f'<rect class="{kind}" x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" '
        f'rx="{_n(radius)}">{tooltip}</rect>'
    )


def centred(text: str, x: float, y: float, room: float, kind: str = "small") -> str:
    """Return a small centred text; empty if there is not enough room for it."""
    if width_of(text, _SIZES["small"]) > room:
        return ""
    return _text(text, x, y, f"{kind} middle")


def banner(text: str, width: float, kind: str) -> Box:
    """Return a centred text on a coloured stripe."""
    size = _SIZES["small"]
    lines = wrapped(text, size, width - 2 * PAD, most=_MOST_LINES)
    height = len(lines) * size * _LINE + 8
    svg = rect(0, 0, width, height, kind, 11)
    for number, shown in enumerate(lines, 1):
        svg += _text(shown, width / 2, number * size * _LINE + 1, f"on-{kind} small middle")
    return Box(width=width, height=height, svg=svg)


def line(
    start: tuple[float, float],
    end: tuple[float, float],
    kind: str,
    *,
    bend: float | None = None,
    both: bool = False,
) -> str:
    """Return a line with an arrow at its end, or at both ends: straight, or with a step at `bend`."""
    (x0, y0), (x1, y1) = start, end
    way = f"M{_n(x0)} {_n(y0)}"
    if bend is not None and abs(y0 - y1) >= 1:
        way += f"H{_n(bend)}V{_n(y1)}"
    back = ' marker-start="url(#arrow)"' if both else ""
    return f'<path class="line {kind}" d="{way}L{_n(x1)} {_n(y1)}" marker-end="url(#arrow)"{back}/>'


def _text(text: str, x: float, y: float, kind: str, title: str = "") -> str:
    return f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}">{title}{escape(text)}</text>'


def _n(number: float) -> str:
    """Return a number with at most one decimal place."""
    return f"{number:.1f}".removesuffix(".0")
