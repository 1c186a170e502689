"""What nodes run for their metrics: archives and images, pinned by version and by content where locked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from config.catalog.files import Row, named, read_one

MACHINES: Mapping[str, str] = MappingProxyType({"x86_64": "amd64", "aarch64": "arm64"})
"""How releases call machines, by what `uname` calls them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """A release archive with one `program` that nodes run.

    ``sha256`` is that of the archive by machine (``amd64``, ``arm64``); None: nobody has locked it yet.
    """

    name: str
    version: str
    program: str
    file: str
    address: str
    licence: str
    sha256: Mapping[str, str | None] = field(hash=False)
    sources: tuple[str, ...]
    note: str = ""

    def file_of(self, machine: str) -> str:
        """The archive's name for a machine."""
        return self.file.format(version=self.version, machine=machine)

    def address_of(self, machine: str, downloads: str | None = None) -> str:
        """Where the archive is: at its project, or in a place of one's own under its own name."""
        file = self.file_of(machine)
        if downloads is not None:
            return f"{downloads.rstrip('/')}/{file}"
        return self.address.format(version=self.version, file=file)

    @property
    def locked(self) -> bool:
        """Whether every machine's archive is known by its content."""
        return all(self.sha256.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A container image that nodes run; `digest` is that of its list for all machines, None: not locked."""

    name: str
    tag: str
    digest: str | None
    licence: str
    sources: tuple[str, ...]
    note: str = ""

    @property
    def reference(self) -> str:
        """What Docker is told: by digest where it is known."""
        return f"{self.name}:{self.tag}" + (f"@{self.digest}" if self.digest else "")

    def file_of(self, machine: str) -> str:
        """What the image is called as an archive of `docker save`."""
        return f"{self.name.rpartition('/')[2]}-{self.tag}.linux-{machine}.tar.gz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Artefacts:
    """All of them, by name."""

    archives: Mapping[str, Archive] = field(hash=False)
    images: Mapping[str, Image] = field(hash=False)


@cache
def artefacts() -> Artefacts:
    """What is pinned, read on the first call."""
    return read_artefacts(read_one("artefacts"))


def read_artefacts(document: Row) -> Artefacts:
    """Build them from their data file."""
    return Artefacts(
        archives=named(Archive, document["archives"].items()),
        images=MappingProxyType({name: Image(**row) for name, row in document["images"].items()}),
    )
