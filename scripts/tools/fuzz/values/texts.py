"""YAML texts: data in the styles of users and tools, and damaged texts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import yaml
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from config.profile.source.yaml_source import read_yaml
from config.profile.source.yaml_writer import as_yaml

Data = dict[str, Any]


def block(data: Any) -> str:
    """Return data in indented YAML style; a text that YAML 1.2 reads as another type is quoted."""
    return str(yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=1000))


def flow(data: Any) -> str:
    """Return data in the YAML style with brackets."""
    dumped = yaml.dump(data, Dumper=_Dumper, sort_keys=False, default_flow_style=True, width=1000)
    return str(dumped)


class _Dumper(yaml.SafeDumper):
    """YAML writer without aliases; a text that can be read as another type is quoted."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    plain = text.replace("-", "").replace("/", "").replace("_", "").isalpha() and text.isascii()
    is_word = text.lower() in ("true", "false", "null", "yes", "no", "on", "off", "y", "n")
    return dumper.represent_scalar(
        "tag:yaml.org,2002:str", text, style=None if plain and not is_word else '"'
    )


_Dumper.add_representer(str, _text)


def written(data: Data) -> st.SearchStrategy[str]:
    """Generate the text of the data in any style; the loader reads the same data from each style."""
    ways: list[Callable[[Any], str]] = [block, block, flow, as_json, short]
    return st.sampled_from(ways).map(lambda way: way(data)).map(lambda text: text if text.strip() else "{}\n")


def as_json(data: Any) -> str:
    """Return data as JSON; if a YAML parser would read other data, return the text of `block`."""
    for escaped in (False, True):
        text = json.dumps(data, indent=1, ensure_ascii=escaped) + "\n"
        if read_yaml(text).data == data:
            return text
    return block(data)


def short(data: Any) -> str:
    """Return data in the product's YAML style with short lines; if this fails, the text of `block`."""
    try:
        text = as_yaml(data)
    except (RecursionError, yaml.YAMLError):
        return block(data)
    return text if read_yaml(text).data == data else block(data)


@st.composite
def damaged(draw: DrawFn, text: str) -> tuple[bytes, str]:
    """Generate a damaged text and the name of the damage."""
    name = draw(st.sampled_from(sorted(_DAMAGE)))
    return _DAMAGE[name](draw, text), name


def _line(draw: DrawFn, text: str, change: Callable[[str], str]) -> bytes:
    lines = text.split("\n")
    number = draw(st.integers(0, len(lines) - 1))
    lines[number] = change(lines[number])
    return "\n".join(lines).encode()


def _anywhere(draw: DrawFn, text: str, inserted: bytes) -> bytes:
    raw = text.encode()
    at = draw(st.integers(0, len(raw)))
    return raw[:at] + inserted + raw[at:]


_LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefg", "bcdefgh", strict=True)
)
_JUNK = st.text(alphabet="abc:-[]{}&*!|>'\"#%@`, \n\t?<0123456789", max_size=60)

_DAMAGE: dict[str, Callable[[DrawFn, str], bytes]] = {
    "an empty file": lambda _draw, _text: b"",
    "a file of comments": lambda _draw, _text: b"# a comment\n---\n",
    "a null document": lambda _draw, _text: b"null\n",
    "a list": lambda _draw, text: b"- a\n- b\n",
    "a scalar": lambda draw, _text: draw(
        st.sampled_from([b"42\n", b"p6-b200\n", b"''\n", b"\xef\xbb\xbf", b"...\n"])
    ),
    "a second document": lambda _draw, text: (text + "---\nname: other\n").encode(),
    "cut off": lambda draw, text: text.encode()[: draw(st.integers(0, len(text.encode())))],
    "a tab": lambda draw, text: _line(draw, text, lambda line: "\t" + line),
    "indented": lambda draw, text: _line(draw, text, lambda line: " " + line),
    "a line twice": lambda draw, text: _line(draw, text, lambda line: f"{line}\n{line}"),
    "a line lost": lambda draw, text: _line(draw, text, lambda _line: ""),
    "a bracket": lambda draw, text: _anywhere(
        draw, text, draw(st.sampled_from([b"[", b"]", b"{", b"}", b"'", b'"']))
    ),
    "bytes that are not text": lambda draw, text: _anywhere(
        draw, text, draw(st.binary(min_size=1, max_size=4))
    ),
    "a control character": lambda draw, text: _anywhere(
        draw, text, draw(st.sampled_from([b"\x00", b"\x1b", b"\x07"]))
    ),
    "a byte order mark": lambda _draw, text: b"\xef\xbb\xbf" + text.encode(),
    "another encoding": lambda draw, text: text.encode(
        draw(st.sampled_from(["utf-16", "utf-32", "utf-16-be"]))
    ),
    "line ends of Windows": lambda _draw, text: text.replace("\n", "\r\n").encode(),
    "line ends of Unicode": lambda _draw, text: text.replace("\n", "\u2028").encode(),
    "an anchor": lambda draw, text: _line(draw, text, lambda line: line.replace(": ", ": &a ", 1)),
    "an alias without its anchor": lambda _draw, text: (text + "workload: *missing\n").encode(),
    "an alias to itself": lambda _draw, _text: b"name: mine\nnetwork: &a {kind: *a}\nstorage: &b [*b]\n",
    "a merge key": lambda _draw, text: ("x-base: &base {name: mine}\n<<: *base\n" + text).encode(),
    "a tag": lambda draw, text: _line(
        draw,
        text,
        lambda line: line.replace(
            ": ", draw(st.sampled_from([": !!str ", ": !!python/name:os.system ", ": !x "])), 1
        ),
    ),
    "a key of brackets": lambda _draw, text: (text + "? [a, b]\n: c\n? {a: b}\n: d\n").encode(),
    "a key that is not text": lambda _draw, text: (text + "1: a\nnull: b\ntrue: c\n1.5: d\n~: e\n").encode(),
    "a key twice": lambda _draw, text: (text + "name: again\nname: once-more\n").encode(),
    "a billion laughs": lambda _draw, _text: (_LAUGHS).encode(),
    "brackets without end": lambda draw, _text: b"name: " + b"[" * draw(st.sampled_from([10, 5000])),
    "a very large file": lambda _draw, text: (text + "# " + "x" * 1_000_001).encode(),
    "a directive": lambda _draw, text: ("%YAML 1.1\n%TAG ! tag:x,2000:\n---\n" + text).encode(),
    "junk": lambda draw, _text: draw(_JUNK).encode(),
}
