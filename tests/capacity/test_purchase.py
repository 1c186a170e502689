"""Only few modules compare `capacity.kind`; the purchase module decides the purchase option."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import pytest

from config.profile.capacity.groups import AnyCapacity, AnyNext

ROOT = Path(__file__).parents[2]
KINDS = get_args(AnyCapacity)
WORDS = {get_args(kind.model_fields["kind"].annotation)[0] for kind in KINDS}
CLASSES = {kind.__name__ for kind in (*KINDS, *get_args(AnyNext))} | {"AnyCapacity", "AnyNext"}

BRANCHING = {
    "config/design/capacity/purchase.py",
    # the library knows no profile: its props name EC2's markets
    "constructs/ultracluster/capacity/efa_node_group.py",
    # the words are EC2's own reservation types
    "scripts/cloud/extensions/capacity/reservations.py",
    # makes up a profile of each kind
    "scripts/tools/fuzz/profiles/groups.py",
}


def words_of(node: ast.AST, constants: Mapping[str, set[str]]) -> set[str]:
    """Return the capacity kinds in an operand: a literal, a collection, or a constant of the module."""
    match node:
        case ast.Constant():
            return {str(node.value)} & WORDS
        case ast.Name():
            return constants.get(node.id, set())
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return {word for part in parts for word in words_of(part, constants)}
        case ast.Call(func=ast.Name(id="frozenset" | "set" | "tuple"), args=[part]):
            return words_of(part, constants)
    return set()


def constants_of(tree: ast.Module) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.expr() as value):
                found[name] = words_of(value, found)
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                found[name] = words_of(value, found)
    return found


def names_a_class(node: ast.AST) -> bool:
    parts = list(ast.walk(node))
    return bool({getattr(part, "id", None) or getattr(part, "attr", None) for part in parts} & CLASSES)


def is_kind(node: ast.AST) -> bool:
    """Return whether a node is an access to `capacity.kind`."""
    value = getattr(node, "value", None)
    return getattr(node, "attr", None) == "kind" and "capacity" in (
        getattr(value, "attr", None),
        getattr(value, "id", None),
    )


def is_branch(node: ast.AST, constants: Mapping[str, set[str]]) -> bool:
    """Return whether a node compares, matches or looks up a capacity kind."""
    match node:
        case ast.Compare():
            return any(words_of(one, constants) for one in (node.left, *node.comparators))
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, classes]):
            return names_a_class(classes)
        case ast.Call(func=ast.Attribute(attr="get"), args=[key, *_]) | ast.Subscript(slice=key):
            return is_kind(key)
        case ast.MatchValue(value=value):
            return bool(words_of(value, constants))
        case ast.MatchClass(cls=classes):
            return names_a_class(classes)
    return False


def branches(source: str) -> list[int]:
    """Return the lines that branch on a capacity kind."""
    if not any(word in source for word in (*WORDS, *CLASSES, "capacity.kind")):
        return []
    tree = ast.parse(source)
    constants = constants_of(tree)
    return [getattr(node, "lineno", 0) for node in ast.walk(tree) if is_branch(node, constants)]


def test_at_most_four_modules_branch_on_a_capacity_kind() -> None:
    layers = (ROOT / layer for layer in ("config", "constructs", "stacks", "scripts"))
    files = (ROOT / "app.py", *(path for layer in layers for path in layer.rglob("*.py")))
    lines = {str(path.relative_to(ROOT)): branches(path.read_text("utf-8")) for path in files}
    found = {name: at for name, at in lines.items() if at}
    beyond = {name: at for name, at in found.items() if name not in BRANCHING}
    assert not beyond, "read the group's purchase instead (config/design/capacity/purchase.py)"
    assert set(found) == BRANCHING


@pytest.mark.parametrize(
    "source",
    [
        "group.capacity.kind == 'spot'",
        "'odcr' != kind",
        "kind in ('on-demand', 'spot')",
        "kind not in frozenset({'training-plan'})",
        "BOTH = ('capacity-block', 'training-plan')\nkind in BOTH",
        "MARKET: str = 'capacity-block'\nmarket == MARKET",
        "isinstance(capacity, CapacityBlock | TrainingPlan)",
        "isinstance(following, groups.NextPlan)",
        "WORDS[group.capacity.kind]",
        "WORDS.get(capacity.kind, 'ONDEMAND')",
        "match kind:\n    case 'spot': pass",
        "match capacity:\n    case Spot(): pass",
    ],
)
def test_a_branch_is_seen(source: str) -> None:
    assert len(branches(source)) == 1


def test_reading_a_purchase_is_no_branch() -> None:
    assert not branches("x = group.purchase.block if group.capacity.reserved else {'kind': 'spot'}")
