"""Dependencies between resources, and the resulting order."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any

from .document import Template
from .errors import RequestRefusedError

_VARIABLE = re.compile(r"\$\{([^!{}][^{}]*)\}")


def references(value: Any) -> Iterator[str]:
    """Yield each name that a value refers to: parameters, pseudo parameters and resources."""
    try:
        yield from _references(value)
    except (AttributeError, IndexError, TypeError, ValueError) as error:
        shown = json.dumps(value, default=str)[:200]
        raise RequestRefusedError(
            f"Template format error: invalid arguments of a function: {shown} ({error})"
        ) from None


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _references(item)
    elif isinstance(value, dict):
        for name, argument in value.items():
            if name == "Ref" and isinstance(argument, str):
                yield argument
            elif name == "Fn::GetAtt":
                yield argument.split(".", 1)[0] if isinstance(argument, str) else argument[0]
                if not isinstance(argument, str):
                    yield from _references(argument[1:])
            elif name == "Fn::Sub":
                yield from _substituted(argument)
            else:
                yield from _references(argument)


def _substituted(argument: Any) -> Iterator[str]:
    text, local = (argument, {}) if isinstance(argument, str) else argument
    yield from _references(list(local.values()))
    for name in _VARIABLE.findall(text):
        if name.strip() not in local:
            yield name.strip().split(".", 1)[0]


def dependencies(template: Template) -> Mapping[str, frozenset[str]]:
    """Return the dependencies of each resource; raises RequestRefusedError for unknown names."""
    known = set(template.resources) | set(template.section("Parameters"))
    result = {}
    for logical_id, resource in template.resources.items():
        after = resource.get("DependsOn", [])
        named = set(references(resource.get("Properties", {}))) | set(
            [after] if isinstance(after, str) else after
        )
        missing = sorted(name for name in named - known if not name.startswith("AWS::"))
        if missing:
            raise RequestRefusedError(
                f"Template format error: Unresolved resource dependencies [{', '.join(missing)}] "
                "in the Resources block of the template"
            )
        result[logical_id] = frozenset(named & set(template.resources))
    for name, output in template.section("Outputs").items():
        missing = sorted(n for n in set(references(output)) - known if not n.startswith("AWS::"))
        if missing:
            raise RequestRefusedError(
                f"Template format error: Unresolved resource dependencies [{', '.join(missing)}] "
                f"in the Outputs block of the template ({name})"
            )
    return result


def in_order(graph: Mapping[str, Collection[str]]) -> list[str]:
    """Return the resources in an order where each one follows its dependencies."""
    sorter = TopologicalSorter({node: [d for d in needs if d in graph] for node, needs in graph.items()})
    try:
        return list(sorter.static_order())
    except CycleError as error:
        cycle = ", ".join(sorted(set(error.args[1])))
        raise RequestRefusedError(f"Circular dependency between resources: [{cycle}]") from None
