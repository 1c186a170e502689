"""YAML reader that keeps the line of every key. It uses PyYAML's parser with the YAML 1.2 core schema.

PyYAML reads YAML 1.1, where `no` is a boolean, `1:30` is a number in base 60 and `405e9` is a string. A profile
is read as YAML 1.2, as in editors with the JSON Schema of a profile.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from config.diagnostics import Path

_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_CONSTANTS: dict[str, Any] = {"": None, "~": None, "null": None, "Null": None, "NULL": None} | {
    word: value for value in (True, False) for word in (str(value), str(value).lower(), str(value).upper())
}
_LINE_END = re.compile(r"\r\n|[\r\n\x85\u2028\u2029]")
_MAX_DEPTH = 64
_MAX_VALUES = 20_000
"""Maximum number of values, because a few aliases can expand to more values than fit in memory. The limit is
far above any profile: 100 groups have 3,000 values."""

_PLAIN_TAGS = ("str", "int", "float", "bool", "null", "timestamp", "merge", "value", "map", "seq")


@dataclass(frozen=True, slots=True)
class YamlProblem:
    """A part of a YAML file that cannot be read as a profile."""

    message: str
    line: int
    path: Path = ()
    hint: str = "correct the YAML at this line: indent with spaces, and write a colon and a space after a key"


@dataclass(slots=True)
class YamlDocument:
    """The data of one YAML file, the line (1-based) of each key, and its problems."""

    data: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    problems: list[YamlProblem] = field(default_factory=list)
    values: int = 0


class _RefusedError(Exception):
    """Error that stops the reading of a document."""

    def __init__(self, problem: YamlProblem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def read_yaml(text: str) -> YamlDocument:
    """Parse one YAML document; an invalid file does not raise an error, but has problems and no data."""
    document = YamlDocument()
    loader_class = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        loader = loader_class(text)
        try:
            node = loader.get_single_node()
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        document.problems.append(_parse_problem(error, last_line=len(_LINE_END.findall(text)) + 1))
        return document
    except (ValueError, RecursionError) as error:  # a character that YAML does not allow; unlimited nesting
        document.problems.append(YamlProblem(str(error), 1))
        return document
    try:
        document.data = None if node is None else _value(node, (), document)
    except _RefusedError as refused:
        document.problems.append(refused.problem)
    return document


def _parse_problem(error: yaml.YAMLError, last_line: int) -> YamlProblem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = (
        min(mark.line + 1, last_line) if mark else 1
    )  # the mark of the end of a file is after its last line
    said = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    if said == "but found another document":
        return YamlProblem(
            "a second document starts here", line, hint="keep one document, and remove the line `---`"
        )
    context = getattr(error, "context", None)
    return YamlProblem(f"{said}, {context}" if context else str(said), line)


def _value(node: yaml.Node, path: Path, document: YamlDocument) -> Any:
    line = node.start_mark.line + 1
    document.lines.setdefault(path, line)
    document.values += 1
    _refuse_excess(len(path), line, path[:1], document)
    if not node.tag.startswith("!"):
        known = node.tag.removeprefix("tag:yaml.org,2002:") in _PLAIN_TAGS
    else:
        known = node.tag == "!"
    if not known:
        document.problems.append(
            YamlProblem(f"the tag {node.tag} is not supported", line, path, "remove the tag")
        )
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, document)
    if isinstance(node, yaml.SequenceNode):
        return [_value(child, (*path, index), document) for index, child in enumerate(node.value)]
    return _scalar(node)


def _refuse_excess(depth: int, line: int, path: Path, document: YamlDocument) -> None:
    if depth > _MAX_DEPTH:
        message = f"the nesting is deeper than {_MAX_DEPTH} levels"
        raise _RefusedError(
            YamlProblem(message, line, path, "a profile has at most 8 levels; check the aliases (*)")
        )
    if document.values > _MAX_VALUES:
        message = f"the file has more than {_MAX_VALUES:,} values, including expanded aliases (*)"
        raise _RefusedError(YamlProblem(message, line, path, "remove aliases or values"))


def _mapping(node: yaml.MappingNode, path: Path, document: YamlDocument) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        key = key_node.value
        if not isinstance(key_node, yaml.ScalarNode):
            document.problems.append(
                YamlProblem("a key must be a plain text", line, path, "write `key: value`")
            )
        elif key_node.tag == "tag:yaml.org,2002:merge":
            document.problems.append(
                YamlProblem(
                    "merge keys (<<) are not supported", line, path, "use `extends` for a base profile"
                )
            )
        elif key in data:
            first = document.lines[(*path, key)]
            document.problems.append(
                YamlProblem(
                    f"duplicate key `{key}`, first set on line {first}",
                    line,
                    (*path, key),
                    "remove one of the two",
                )
            )
        else:
            document.lines[(*path, key)] = line
            data[key] = _value(value_node, (*path, key), document)
    return data


def _scalar(node: yaml.Node) -> Any:
    text = str(node.value)
    if getattr(node, "style", None) in ("'", '"', "|", ">") or node.tag == "!":
        return text
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INT.fullmatch(text):
        return int(text) if len(text) < 32 else text
    if _FLOAT.fullmatch(text):
        return float(text)
    return text
