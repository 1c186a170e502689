"""Which functions, classes and methods of the product have no caller outside the tests.

The program starts at the entry points and follows names and attributes through the syntax trees. Code that
only dead code calls is dead too. Types are unknown: a method has a caller when live code names it anywhere.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

FOLDERS = ("app.py", "config", "constructs", "stacks", "scripts")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
USES = (ast.Name, ast.Attribute, ast.Import, ast.ImportFrom)


class Unit(NamedTuple):
    """A function, a class, a method (`Class.method`) or a constant; without a name: the code of an import."""

    module: str
    name: str


class Entry(NamedTuple):
    """Code that is called by its name, its base class or its decorator, and what calls it.

    A `package` is one whose modules are imported by their names.
    """

    kind: Literal["program", "function", "package", "decorator", "base"]
    name: str
    dispatcher: str


@dataclass
class Module:
    """One file: its definitions, its imports, and the names and attributes that each definition uses."""

    name: str
    package: str
    path: str
    bodies: dict[str, list[ast.AST]] = field(default_factory=lambda: defaultdict(list))
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)
    lines: dict[str, int] = field(default_factory=dict)


def _module_name(path: Path) -> str:
    parts = path.with_suffix("").parts
    parts = parts[1:] if parts[0] == "constructs" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _names(target: ast.AST) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]


def _add_class(module: Module, node: ast.ClassDef) -> None:
    module.bodies[node.name] += [*node.bases, *node.keywords, *node.decorator_list]
    for item in node.body:
        if isinstance(item, FUNCTIONS):
            name = f"{node.name}.{item.name}"
            module.bodies[name].append(item)
            module.lines.setdefault(name, item.lineno)
        else:
            module.bodies[node.name].append(item)


def _add(module: Module, statements: Iterable[ast.stmt]) -> None:
    for node in statements:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            module.lines.setdefault(node.name, node.lineno)
            if isinstance(node, ast.ClassDef):
                _add_class(module, node)
            else:
                module.bodies[node.name].append(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [name for target in targets for name in _names(target)]
            if names == ["__all__"]:
                module.exported.update(ast.literal_eval(node.value))
            simple = all(isinstance(target, ast.Name | ast.Tuple) for target in targets)
            for name in names if simple else [""]:
                module.bodies[name].append(node)
        elif isinstance(node, ast.If) and "__name__" in _names(node.test):
            module.bodies["__main__"] += node.body
        elif isinstance(node, ast.If | ast.Try | ast.With):
            parts = [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]
            module.bodies[""] += [part for part in parts if not isinstance(part, ast.ExceptHandler)]
            _add(module, node.body)
            _add(module, getattr(node, "orelse", []))
            for handler in getattr(node, "handlers", []):
                _add(module, handler.body)
        else:
            module.bodies[""].append(node)


def _imported(module: Module, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, tuple[str, str]]]:
    """Each local name of an import, and the module and the name that it binds."""
    for alias in node.names:
        if isinstance(node, ast.Import):
            yield (
                (alias.asname or alias.name.split(".")[0]),
                (
                    alias.name if alias.asname else alias.name.split(".")[0],
                    "",
                ),
            )
        else:
            base = node.module or ""
            if node.level:
                up = module.package.split(".")
                base = ".".join([*up[: len(up) - node.level + 1], *([base] if base else [])])
            yield alias.asname or alias.name, (base, alias.name)


class Product:
    """The syntax trees of the product, and what reaches what in them."""

    def __init__(self, root: Path, folders: Iterable[str] = FOLDERS) -> None:
        """Read every Python file under the folders."""
        self.modules: dict[str, Module] = {}
        self.nodes: dict[Unit, list[ast.AST]] = {}
        for folder in folders:
            top = root / folder
            for path in [top] if top.is_file() else sorted(top.rglob("*.py")):
                self._read(path, path.relative_to(root))
        self.uses = {unit: self._uses_of(unit) for unit in self.nodes}
        self.marks = {unit: self._marks(unit) for unit in self.nodes}
        # the methods of a class, the functions of a module (its holder is called `*`), and both by their name
        self.members: dict[Unit, list[Unit]] = defaultdict(list)
        self.by_name: dict[str, list[tuple[Unit, Unit]]] = defaultdict(list)
        for unit in self.nodes:
            owner, _, name = unit.name.rpartition(".")
            holder = Unit(unit.module, owner or "*")
            self.members[holder].append(unit)
            self.by_name[name].append((holder, unit))

    def _read(self, path: Path, place: Path) -> None:
        name = _module_name(place)
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        module = self.modules[name] = Module(name, package, str(place))
        _add(module, ast.parse(path.read_bytes()).body)
        for unit, bodies in module.bodies.items():
            found: list[ast.AST] = [
                node for body in bodies for node in ast.walk(body) if isinstance(node, USES)
            ]
            self.nodes[Unit(name, unit)] = found
            for node in found:
                if isinstance(node, ast.Import | ast.ImportFrom):
                    module.imports.update(_imported(module, node))

    def resolve(self, module: str, name: str) -> Unit | None:
        """The definition that a name of a module means; a module without a name where it means a module."""
        if module not in self.modules:
            return None
        if name in self.modules[module].bodies:
            return Unit(module, name)
        if name in self.modules[module].imports:
            base, wanted = self.modules[module].imports[name]
            found = self.resolve(base, wanted) if wanted and (base, wanted) != (module, name) else None
            return found or self._module(f"{base}.{wanted}" if wanted else base)
        return self._module(f"{module}.{name}")

    def _module(self, name: str) -> Unit | None:
        return Unit(name, "") if name in self.modules else None

    def _value(self, module: str, node: ast.expr) -> Unit | None:
        if isinstance(node, ast.Name):
            return self.resolve(module, node.id)
        if isinstance(node, ast.Attribute):
            owner = self._value(module, node.value)
            if owner is not None and not owner.name:
                return self.resolve(owner.module, node.attr)
        return None

    def _uses_of(self, unit: Unit) -> tuple[set[Unit], set[str]]:
        """The definitions and the attributes that a definition names."""
        units: set[Unit] = set()
        attributes: set[str] = set()
        owners = {id(node.value) for node in self.nodes[unit] if isinstance(node, ast.Attribute)}
        for node in self.nodes[unit]:
            found: Unit | None = None
            if isinstance(node, ast.Name):
                found = self.resolve(unit.module, node.id)
            elif isinstance(node, ast.Attribute):
                found = self._value(unit.module, node)
                attributes.add(node.attr)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                for _, (base, wanted) in _imported(self.modules[unit.module], node):
                    for name in (base, f"{base}.{wanted}"):
                        units.update(filter(None, [self._module(name)]))
            if found is not None and not found.name and id(node) not in owners:
                found = Unit(
                    found.module, "*"
                )  # a module in a table: its functions are called as methods are
            if found is not None and found != unit:
                units.add(found)
        return units, attributes

    @cache  # noqa: B019 - one product is read in a test run
    def bases(self, unit: Unit) -> frozenset[str]:
        """The names of a class's bases, and of theirs."""
        found = set()
        for node in self._heads(unit):
            base = node.func if isinstance(node, ast.Call) else node
            inner = self._value(unit.module, base) if isinstance(base, ast.expr) else None
            found.add(ast.unparse(base).rpartition(".")[2])
            if inner is not None and inner != unit and inner in self.nodes:
                found |= self.bases(inner)
        return frozenset(found)

    def _heads(self, unit: Unit) -> list[ast.AST]:
        bodies = self.modules[unit.module].bodies[unit.name]
        return [node for node in bodies if isinstance(node, ast.expr)]

    def _decorators(self, unit: Unit) -> Iterator[str]:
        for body in self.modules[unit.module].bodies[unit.name]:
            for decorator in getattr(body, "decorator_list", []):
                call = decorator.func if isinstance(decorator, ast.Call) else decorator
                yield ast.unparse(call).rpartition(".")[2]

    def _marks(self, unit: Unit) -> set[tuple[str, str]]:
        """By which entries of a table a definition is called: its decorators, and bases with its own name."""
        owner, _, method = unit.name.rpartition(".")
        bases = self.bases(Unit(unit.module, owner) if owner else unit)
        found = {("base", name) for base in bases for name in (base, f"{base}.{method}")}
        if method.startswith("__") and method.endswith("__"):
            found.add(("python", ""))
        return found | {("decorator", name) for name in self._decorators(unit)}

    def _roots(self, entries: Iterable[Entry]) -> list[Unit]:
        """The programs and functions of the table, and the names that the construct library exports."""
        roots = []
        for entry in entries:
            if entry.kind == "program":
                roots.append(Unit(entry.name, "__main__"))
            elif entry.kind == "function":
                roots.append(Unit(*entry.name.rsplit(".", 1)))
            elif entry.kind == "package":
                roots += [Unit(name, "*") for name in self.modules if name.startswith(f"{entry.name}.")]
        for module in self.modules.values():
            if module.name.split(".")[0] == "ultracluster":
                roots += filter(None, (self.resolve(module.name, name) for name in module.exported))
        return roots

    def live(self, entries: Iterable[Entry]) -> set[Unit]:
        """Every definition that the entries reach."""
        entries = tuple(entries)
        called = {("python", ""), *((entry.kind, entry.name) for entry in entries)}
        live: set[Unit] = set()
        attributes: set[str] = set()
        waiting = self._roots(entries)
        while waiting:
            unit = waiting.pop()
            if unit in live or unit.module not in self.modules:
                continue
            live.add(unit)
            units, names = self.uses.get(unit, (set(), set()))
            waiting += units
            # the import of a module runs its packages first
            waiting += [Unit(unit.module, ""), Unit(unit.module.rpartition(".")[0], "")]
            for name in names - attributes:
                waiting += [one for holder, one in self.by_name[name] if holder in live]
            attributes |= names
            for inner in self.members[unit if unit.name else Unit(unit.module, "*")]:
                by_attribute = unit.name and inner.name.rpartition(".")[2] in attributes
                if by_attribute or not called.isdisjoint(self.marks[inner]):
                    waiting.append(inner)
        return live

    def dead(self, entries: Iterable[Entry]) -> list[str]:
        """Each function, class and method without a caller, as `path:line name`, in order."""
        live = self.live(entries)
        found = []
        for module in self.modules.values():
            for name, line in module.lines.items():
                owner = name.rpartition(".")[0]
                if Unit(module.name, name) not in live and (not owner or Unit(module.name, owner) in live):
                    found.append(f"{module.path}:{line} {name}")
        return found
