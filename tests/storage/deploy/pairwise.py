"""A small sample of a large matrix: every pair of values of an accepted row is in one of its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

Row = Mapping[str, str]
Pair = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Sample:
    """Rows that hold every pair; `refused` are the pairs that no accepted row holds."""

    rows: tuple[Row, ...]
    covered: frozenset[Pair]
    refused: frozenset[Pair]


@dataclass
class Matrix:
    """Factors with their values, the neutral one first, and who says which rows are accepted.

    What is refused beside neutral values is taken to be refused beside all: `framing` names the factors for
    which that does not hold, since one value asks for another there (a kind for its throughput). Those are
    tried in every combination.
    """

    factors: Mapping[str, Sequence[str]]
    framing: Sequence[str]
    accepts: Callable[[Row], bool]
    _asked: dict[tuple[str, ...], bool] = field(default_factory=dict)

    def sample(self) -> Sample:
        """The rows, the same in every run: greedy, from the pairs that are hardest to place."""
        frames = self._frames()
        frame_of: dict[Pair, Row] = {}
        for pair in self._pairs():
            found = next((row for row in frames if self._takes({**row, **dict(pair)})), None)
            if found is not None:
                frame_of[pair] = {**found, **dict(pair)}
        rows: list[Row] = []
        missing = dict.fromkeys(frame_of)
        while missing:
            row = self._filled(frame_of[next(iter(missing))], missing)
            rows.append(row)
            for pair in pairs_of(row):
                missing.pop(pair, None)
        every = frozenset(self._pairs())
        return Sample(rows=tuple(rows), covered=frozenset(frame_of), refused=every - frozenset(frame_of))

    def _filled(self, row: Row, missing: Mapping[Pair, None]) -> Row:
        """The row with each factor at the accepted value that brings the most missing pairs."""
        first = frozenset(row.items())
        kept = {pair for pair in missing if pair <= first}
        for name, values in self.factors.items():
            scored = sorted(values, key=lambda value: -_new({**row, name: value}, missing))
            row = next(
                (
                    changed
                    for value in scored
                    if kept & set(pairs_of(changed := {**row, name: value})) == kept and self._takes(changed)
                ),
                row,
            )
        return row

    def _frames(self) -> list[Row]:
        """Every accepted row that is neutral but for the framing factors."""
        neutral = {name: values[0] for name, values in self.factors.items()}
        rows = (
            {**neutral, **dict(zip(self.framing, values, strict=True))}
            for values in product(*(self.factors[name] for name in self.framing))
        )
        return [row for row in rows if self._takes(row)]

    def _pairs(self) -> Iterator[Pair]:
        for one, other in combinations(self.factors, 2):
            for pair in product(self.factors[one], self.factors[other]):
                yield frozenset({(one, pair[0]), (other, pair[1])})

    def _takes(self, row: Row) -> bool:
        key = tuple(row[name] for name in self.factors)
        if key not in self._asked:
            self._asked[key] = self.accepts(row)
        return self._asked[key]

    @property
    def asked(self) -> int:
        """How many rows were judged."""
        return len(self._asked)


def pairs_of(row: Row) -> list[Pair]:
    """Every pair of values that a row holds."""
    return [frozenset(pair) for pair in combinations(row.items(), 2)]


def _new(row: Row, missing: Mapping[Pair, None]) -> int:
    return sum(pair in missing for pair in pairs_of(row))
