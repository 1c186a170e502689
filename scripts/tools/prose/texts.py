"""Texts of the product for readers, each with its file, line and type.

- `docs`: Markdown that is not generated, strings under `scripts/tools/docs` (they become pages), and
  comments of built-in profiles.
- `strings`: prose in strings and f-strings of the product, and in values of data files.
- `docstrings`: docstrings and comments.

A string is prose if it has at least three lower-case tokens, at least 70 % plain tokens, and no program
syntax. A token such as `--flag`, `$NAME`, `rate(x[5m])` or `[a-z]+` is not plain. Before the search, code in
backticks, addresses, HTML comments and code blocks are replaced with `0` characters of the same length.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import yaml

Kind = Literal["docs", "strings", "docstrings"]
KINDS: tuple[Kind, ...] = get_args(Kind)
GAP = "…"
"""The placeholder of an f-string."""

_TOP = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "app.py")
_FOLDERS = ("config", "constructs", "docs", "scripts", "stacks")
_SUFFIXES = (".py", ".md", ".yaml", ".json")
_GENERATED = re.compile(r"<!-- (?:Generated|written) by ", re.IGNORECASE)

_PLAIN = re.compile(r"[\"'(]*(?:[A-Za-z]+(?:['/-][A-Za-z]+)*|0+s?|[\d.,]+%?|…)[\"')]*[.,;:!?…)]*")
_PROGRAM = re.compile(r"^(?:SELECT|INSERT|CREATE|GRANT|ALTER|#!)\b|&&|\|\||\$\(|\$\{|^\.\w+\[", re.MULTILINE)
_CODE = re.compile(
    r"^ *```.*?^ *```$|<!--.*?-->|``.+?``|`[^`]+`|https?://[^\s)>\]]+|(?<=\])\([^)\s]*\)|<[a-z/][^>\n]*>",
    re.MULTILINE | re.DOTALL,
)
_BLOCK = re.compile(r"(?:\n[ \t]*){2,}|\n(?=[ \t]*(?:[-*+]|\d+\.|#+)[ ])|\|", re.MULTILINE)
_MARK = re.compile(r"\s*(?:(?:[-*+]|\d+\.|#+)\s+)?")
_SENTENCE = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_`]*[A-Z0-9`…])|\n(?=\s*\w+:$)|(?<=:)\n\s*\n")
_JSON = re.compile(r'(?:"(?P<key>\w+)":\s*)?"(?P<text>(?:[^"\\\n]|\\.)*)"(?!\s*:)')
_NOT_TEXTS = frozenset({"says", "source", "sources", "at", "profile", "url", "expr", "license"})
"""Keys of data files whose values are not checked, such as addresses, queries and example profiles."""


class Text(NamedTuple):
    """One text; `line` is the file's line (1-based) of its first character.

    If the string is a keyword argument of a call, `label` is the argument's name. If it is a positional
    argument of a rule, `label` is the rule's code.
    """

    kind: Kind
    file: str
    line: int
    text: str
    label: str = ""

    @property
    def plain(self) -> str:
        """The text without code; each character keeps its position."""
        return _CODE.sub(lambda m: re.sub(r"\S", "0", m[0]), self.text)

    @property
    def area(self) -> str:
        """The first three folders of the file."""
        return "/".join(self.file.split("/")[:-1][:3]) or "."

    def sentences(self) -> Iterator[tuple[int, str]]:
        """Yield each sentence without code, with the position of its first character."""
        plain, start = self.plain, 0
        for end in [*(m.end() for m in _SENTENCE.finditer(plain)), len(plain)]:
            if plain[start:end].strip():
                yield start, plain[start:end].rstrip()
            start = end


def files(root: Path, paths: Iterable[str] = ()) -> Iterator[Path]:
    """Yield the files that have texts, in order. If no path is given, yield those of the whole product."""
    tops = [root / path for path in paths] or [root / name for name in (*_TOP, *_FOLDERS)]
    for top in tops:
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            if path.suffix in _SUFFIXES and path.is_file():
                yield path


def texts_of(root: Path, path: Path) -> Iterator[Text]:
    """Yield the texts of one file."""
    name = path.relative_to(root).as_posix()
    content = path.read_text(encoding="utf-8")
    if _GENERATED.match(content) or name.endswith(".schema.json") or name == "scripts/tools/prose/words.yaml":
        return
    if path.suffix == ".md":
        yield from _markdown(name, content)
    elif path.suffix == ".py":
        yield from _python(name, content)
    elif path.suffix == ".json":
        yield from _json(name, content)
    else:
        yield from _yaml(name, content)


def is_prose(text: str) -> bool:
    """Return whether a string is prose; the module's docstring defines it."""
    plain = Text("strings", "", 0, text).plain
    tokens = plain.split()
    words = [token for token in tokens if _PLAIN.fullmatch(token)]
    lower = [word for word in words if re.search(r"[a-z]{2}", word) and not re.search(r"[a-z][A-Z]", word)]
    return len(lower) >= 3 and len(words) >= 0.7 * len(tokens) and not _PROGRAM.search(plain)


def _blocks(kind: Kind, name: str, line: int, content: str) -> Iterator[Text]:
    """Yield the paragraphs, list items and table cells of a text."""
    plain = Text(kind, name, line, content).plain
    start = 0
    for end, after in [*((m.start(), m.end()) for m in _BLOCK.finditer(plain)), (len(plain), len(plain))]:
        mark = _MARK.match(content, start, end)
        first = mark.end() if mark else start
        text = content[first:end].rstrip()
        if re.search(r"[A-Za-z]{2}", plain[first:end]) and not re.match(r" *```", text):
            yield Text(kind, name, line + content.count("\n", 0, first), text)
        start = after


def _markdown(name: str, content: str) -> Iterator[Text]:
    yield from _blocks("docs", name, 1, content)


def _python(name: str, content: str) -> Iterator[Text]:
    lines, in_strings = content.split("\n"), set()
    strings: Kind = "docs" if name.startswith("scripts/tools/docs/") else "strings"
    queue: list[tuple[str, ast.AST]] = [("", ast.parse(content))]
    while queue:
        label, node = queue.pop()
        parts = _constants(node.value) if isinstance(node, ast.Expr) else _constants(node)
        children = sorted(ast.iter_child_nodes(node), key=lambda child: -getattr(child, "lineno", 0))
        if parts is None or not isinstance(node, ast.expr | ast.Expr):
            queue += [(_label(node, child, label), child) for child in children]
            continue
        in_strings |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        if isinstance(node, ast.Expr):
            yield from _blocks("docstrings", name, node.lineno, parts)
        else:
            yield from _string(strings, name, node.lineno, parts, label)
            queue += [(label, child.value) for child in children if isinstance(child, ast.FormattedValue)]
    yield from _comments("docstrings", name, lines, in_strings)


def _constants(node: ast.AST) -> str | None:
    """Return the text of a string or f-string; None if the node is another expression."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(n.value) if isinstance(n, ast.Constant) else GAP for n in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _label(node: ast.AST, child: ast.AST, label: str) -> str:
    if isinstance(node, ast.keyword):
        return node.arg or ""
    if isinstance(node, ast.Call):
        code = _constants(node.args[0]) if node.args else None
        return code if code and re.fullmatch(r"[A-Z]{3}\d{3}", code) and child in node.args else ""
    return label


def _string(kind: Kind, name: str, line: int, text: str, label: str = "") -> Iterator[Text]:
    if is_prose(text) and kind == "docs":
        yield from _blocks(kind, name, line, text)
    elif is_prose(text):
        yield Text(kind, name, line, text, label)


def _comments(kind: Kind, name: str, lines: list[str], skipped: set[int]) -> Iterator[Text]:
    """Yield each run of comment lines as one text, and each comment that follows code on its line."""
    run: list[str] = []
    for number, line in enumerate([*lines, ""], start=1):
        whole = re.match(r"\s*#:? (.*)", line)
        behind = None if whole else re.search(r"\S  # ([^'\"]*)$", line)
        if whole and number not in skipped:
            run.append(whole[1])
            continue
        if run:
            yield Text(kind, name, number - len(run), "\n".join(run))
            run = []
        if behind and not re.match(r"type: ignore|noqa|fmt:|pragma", behind[1]):
            yield Text(kind, name, number, behind[1])


def _json(name: str, content: str) -> Iterator[Text]:
    for number, line in enumerate(content.split("\n"), start=1):
        for found in _JSON.finditer(line):
            if found["key"] not in _NOT_TEXTS and " " in found["text"]:
                yield from _string("strings", name, number, str(json.loads(f'"{found["text"]}"')))


def _yaml(name: str, content: str) -> Iterator[Text]:
    profile = name.startswith("config/profiles/")
    yield from _comments("docs" if profile else "docstrings", name, content.split("\n"), set())
    queue: list[tuple[str, yaml.Node | None]] = [("", yaml.compose(content, Loader=yaml.CSafeLoader))]
    while queue:
        key, node = queue.pop()
        if isinstance(node, yaml.MappingNode):
            queue += [(str(k.value), v) for k, v in node.value if str(k.value) not in _NOT_TEXTS]
        elif isinstance(node, yaml.SequenceNode):
            queue += [(key, item) for item in node.value]
        elif isinstance(node, yaml.ScalarNode):
            yield from _string("strings", name, node.start_mark.line + 1, node.value)
