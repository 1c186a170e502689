"""Series and labels of a PromQL query, from a parser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import promql_parser


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A series with the labels of its matchers and of its aggregations."""

    name: str
    matched: frozenset[str]


def asked(expression: str) -> list[Asked]:
    """Return all series of a query."""
    found: list[Asked] = []
    _walk(promql_parser.parse(expression), found)
    return found


def grouped(expression: str) -> list[tuple[frozenset[str], frozenset[str]]]:
    """Return the grouping labels and the series of each aggregation."""
    found = []
    for node in _nodes(promql_parser.parse(expression)):
        if isinstance(node, promql_parser.AggregateExpr) and node.modifier is not None:
            inside: list[Asked] = []
            _walk(node.expr, inside)
            found.append((frozenset(node.modifier.labels), frozenset(one.name for one in inside)))
    return found


def _walk(root: object, found: list[Asked]) -> None:
    for node in _nodes(root):
        if isinstance(node, promql_parser.VectorSelector):
            matchers = node.matchers.matchers
            found.append(Asked(name=str(node.name), matched=frozenset(one.name for one in matchers)))


def _nodes(node: object) -> Iterator[object]:
    yield node
    for name in ("expr", "lhs", "rhs", "param", "vector_selector", "args"):
        child = getattr(node, name, None)
        for one in child if isinstance(child, list | tuple) else (child,):
            if one is not None:
                yield from _nodes(one)
