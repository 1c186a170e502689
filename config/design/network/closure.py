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
    """Something that a text downloads. `moving` is True if it is not pinned to a version."""

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
        words = list(dropwhile(lambda word: word in _BEFORE or re.match(r"\w+=", word), match[0].split()))
        program = words[0].rpartition("/")[2] if words else ""
        manager = next((name for name, programs in _PACKAGES.items() if program in programs), None)
        if manager and ("install" in words or "add" in words):
            yield from _installed(manager, words)
        elif program in _RUNNERS and {"pull", "run", "import"} & set(words):
            yield from _image(words)
        elif program == "helm" and {"install", "upgrade", "pull"} & set(words):
            yield from _chart(words)
        elif program == "git" and "clone" in words:
            moving = "--branch" not in words and "-b" not in words
            yield from (
                Mention(kind="host", name=_host_of(word), moving=moving)
                for word in words
                if "@" in word or "://" in word
            )


def _arguments(words: list[str], *verbs: str) -> list[str]:
    """Return the arguments after a verb, without options and their values."""
    start = next(i for i, word in enumerate(words) if word in verbs) + 1
    found, skip = [], False
    for word in words[start:]:
        if skip:
            skip = False
        elif word.startswith("-"):
            skip = word in _VALUED
        else:
            found.append(word.strip("\"'"))
    return found


def _installed(manager: str, words: list[str]) -> Iterator[Mention]:
    for name in _arguments(words, "install", "add"):
        if not name.startswith(("/", "./", "$", "http")):
            pinned = _PIN[manager] in name and any(letter.isdigit() for letter in name)
            yield Mention(kind="package", name=f"{manager} {name}", moving=not pinned)


def _image(words: list[str]) -> Iterator[Mention]:
    for name in _arguments(words, "pull", "run", "import")[:1]:
        image = name.partition("://")[2].replace("#", "/") or name
        tag = image.rpartition("/")[2].partition(":")[2]
        pinned = "@sha256:" in image or (tag and tag not in ("latest", "main", "nightly"))
        yield Mention(kind="image", name=image, moving=not pinned)


def _chart(words: list[str]) -> Iterator[Mention]:
    names = _arguments(words, "install", "upgrade", "pull")
    pinned = any(word.startswith("--version") for word in words)
    for name in names[-1:]:
        if "://" not in name and not name.startswith((".", "/")):
            yield Mention(kind="chart", name=name, moving=not pinned)


def _host_of(word: str) -> str:
    """Return the host of a URL or of `user@host:path`."""
    return re.split(r"[:/]", word.partition("://")[2] or word.partition("@")[2])[0]
