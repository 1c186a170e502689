"""Programs that nodes run for metrics: archives and images, pinned by version and checksum."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from config.catalog.files import Row, named, read_one

MACHINES: Mapping[str, str] = MappingProxyType({"x86_64": "amd64", "aarch64": "arm64"})
"""Maps the architecture that `uname` prints to the CPU architecture in the names of releases."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """A release archive with one `program` that nodes run.

    ``sha256``: checksum of the archive by CPU architecture (``amd64``, ``arm64``); None if it is not locked
    yet.
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
        """Return the name of the archive for a CPU architecture."""
        return self.file.format(version=self.version, machine=machine)

    def address_of(self, machine: str, downloads: str | None = None) -> str:
        """Return the URL of the archive: below `downloads` if it is set, else the project's own URL."""
        file = self.file_of(machine)
        if downloads is not None:
            return f"{downloads.rstrip('/')}/{file}"
        return self.address.format(version=self.version, file=file)

    @property
    def locked(self) -> bool:
        """Return whether the archive has a checksum for each CPU architecture."""
        return all(self.sha256.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A container image that nodes run; `digest` is the digest of the image index, None if not locked."""

    name: str
    tag: str
    digest: str | None
    licence: str
    sources: tuple[str, ...]
    note: str = ""

    @property
    def reference(self) -> str:
        """Return the image reference for Docker, with the digest if it is known."""
        return f"{self.name}:{self.tag}" + (f"@{self.digest}" if self.digest else "")

    def file_of(self, machine: str) -> str:
        """Return the file name of the image as an archive of `docker save`."""
        return f"{self.name.rpartition('/')[2]}-{self.tag}.linux-{machine}.tar.gz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Artefacts:
    """All archives and images by name."""

    archives: Mapping[str, Archive] = field(hash=False)
    images: Mapping[str, Image] = field(hash=False)


@cache
def artefacts() -> Artefacts:
    """Return the pinned programs, which are read at the first call."""
    return read_artefacts(read_one("artefacts"))


def read_artefacts(document: Row) -> Artefacts:
    """Return the programs in a parsed data file."""
    return Artefacts(
        archives=named(Archive, document["archives"].items()),
        images=MappingProxyType({name: Image(**row) for name, row in document["images"].items()}),
    )
