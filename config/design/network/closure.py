"""Downloads in a text: hosts, buckets, images, charts and packages, and whether they are pinned."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import dropwhile
from typing import Literal

Kind = Literal["host", "bucket", "image", "chart", "package"]

_URL = re.compile(
    r"\b(?P<scheme>https?|s3|oci|git|ssh|ftp)://(?P<host>[A-Za-z0-9.-]+)(?P<path>/[^\s\"'`|;)]*)?"
)
_MOVING_PATH = re.compile(r"(?<![A-Za-z0-9])(main|master|HEAD|latest|nightly|trunk)(?![A-Za-z0-9])")
_COMMAND = re.compile(r"[^\n;&|()]+")
_BEFORE = {"sudo", "then", "do", "else", "if", "exec", "time", "nohup", "env", "-E", "!"}
_PACKAGES = {
    "apt": ("apt", "apt-get"),
    "dnf": ("dnf", "yum", "microdnf"),
    "pip": ("pip", "pip3", "uv"),
    "npm": ("npm",),
    "conda": ("conda", "mamba"),
}
_PIN = {"apt": "=", "dnf": "-", "pip": "==", "npm": "@", "conda": "="}
_RUNNERS = ("docker", "podman", "nerdctl", "ctr", "crictl", "enroot")
_VALUED = (
    "-c",
    "-f",
    "-n",
    "-o",
    "-p",
    "-r",
    "-t",
    "-v",
    "-e",
    "--name",
    "--output",
    "--index-url",
    "--version",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Something that a text downloads. `moving` is True if the download is not pinned to a version."""

    kind: Kind
    name: str
    moving: bool


def mentions(text: str) -> tuple[Mention, ...]:
    """Return everything that the text downloads, without duplicates, in order; comments are ignored."""
    code = "\n".join(line for line in text.splitlines() if not re.match(r"\s*#(?!!)", line))
    return tuple(dict.fromkeys((*_urls(code), *_commands(code))))


def _urls(text: str) -> Iterator[Mention]:
    for match in _URL.finditer(text):
        host, path = match["host"].rstrip("."), match["path"] or ""
        if match["scheme"] == "s3":
            yield Mention(kind="bucket", name=host, moving=bool(_MOVING_PATH.search(path)))
        elif match["scheme"] == "oci":
            yield Mention(kind="chart", name=f"{host}{path}", moving="--version" not in text)
        elif "." in host:
            # the address of the instance metadata service contains `latest`
            moving = bool(_MOVING_PATH.search(path)) and not host.startswith("169.254.")
            yield Mention(kind="host", name=host, moving=moving)


def _commands(text: str) -> Iterator[Mention]:
    for match in _COMMAND.finditer(text):
        tokens = list(dropwhile(lambda token: token in _BEFORE or re.match(r"\w+=", token), match[0].split()))
        program = tokens[0].rpartition("/")[2] if tokens else ""
        manager = next((name for name, programs in _PACKAGES.items() if program in programs), None)
        if manager and ("install" in tokens or "add" in tokens):
            yield from _installed(manager, tokens)
        elif program in _RUNNERS and {"pull", "run", "import"} & set(tokens):
            yield from _image(tokens)
        elif program == "helm" and {"install", "upgrade", "pull"} & set(tokens):
            yield from _chart(tokens)
        elif program == "git" and "clone" in tokens:
            moving = "--branch" not in tokens and "-b" not in tokens
            yield from (
                Mention(kind="host", name=_host_of(token), moving=moving)
                for token in tokens
                if "@" in token or "://" in token
            )


def _arguments(tokens: list[str], *verbs: str) -> list[str]:
    """Return the arguments after a verb, without options and their values."""
    start = next(i for i, token in enumerate(tokens) if token in verbs) + 1
    found, skip = [], False
    for token in tokens[start:]:
        if skip:
            skip = False
        elif token.startswith("-"):
            skip = token in _VALUED
        else:
            found.append(token.strip("\"'"))
    return found


def _installed(manager: str, tokens: list[str]) -> Iterator[Mention]:
    for name in _arguments(tokens, "install", "add"):
        if not name.startswith(("/", "./", "$", "http")):
            pinned = _PIN[manager] in name and any(letter.isdigit() for letter in name)
            yield Mention(kind="package", name=f"{manager} {name}", moving=not pinned)


def _image(tokens: list[str]) -> Iterator[Mention]:
    for name in _arguments(tokens, "pull", "run", "import")[:1]:
        image = name.partition("://")[2].replace("#", "/") or name
        tag = image.rpartition("/")[2].partition(":")[2]
        pinned = "@sha256:" in image or (tag and tag not in ("latest", "main", "nightly"))
        yield Mention(kind="image", name=image, moving=not pinned)


def _chart(tokens: list[str]) -> Iterator[Mention]:
    names = _arguments(tokens, "install", "upgrade", "pull")
    pinned = any(token.startswith("--version") for token in tokens)
    for name in names[-1:]:
        if "://" not in name and not name.startswith((".", "/")):
            yield Mention(kind="chart", name=name, moving=not pinned)


def _host_of(token: str) -> str:
    """Return the host of a URL or of `user@host:path`."""
    return re.split(r"[:/]", token.partition("://")[2] or token.partition("@")[2])[0]
