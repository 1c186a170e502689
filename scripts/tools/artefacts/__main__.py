"""`python -m scripts.tools.artefacts lock | fetch FOLDER`: release archives of the metrics programs."""

from __future__ import annotations

import argparse
import hashlib
import re
import shutil
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.error import URLError

from config.catalog.observability.artefacts import Archive, read_artefacts

from .lock_file import LOCK, read_lock, write_lock


class ArtefactError(Exception):
    """The hash of an archive differs from the lock file."""


def main(arguments: Sequence[str] | None = None, lock: Path = LOCK) -> int:
    """Process all archives; return exit status 1 if one is missing or differs from the lock file."""
    options = _parser().parse_args(arguments)
    failed = 0
    for archive in read_artefacts(read_lock(lock)).archives.values():
        for machine in archive.sha256:
            with tempfile.TemporaryDirectory(prefix="artefact-") as folder:
                try:
                    result = _work(options, lock)(archive, machine, Path(folder))
                    print(f"{archive.file_of(machine)}: {result}")
                except (ArtefactError, URLError, OSError) as error:
                    failed = 1
                    print(f"error: {archive.file_of(machine)}: {error}", file=sys.stderr)
    return failed


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scripts.tools.artefacts", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("lock", help="write the SHA-256 of every archive into the lock file")
    fetch = commands.add_parser("fetch", help="fill a folder for `collection.downloads`")
    fetch.add_argument("target", metavar="FOLDER")
    return parser


def _work(options: argparse.Namespace, lock: Path) -> Callable[[Archive, str, Path], str]:
    if options.command == "lock":
        return lambda archive, machine, folder: _lock(archive, machine, folder, lock)
    target = Path(options.target)
    return lambda archive, machine, folder: _fetch(archive, machine, folder, target)


def _download(archive: Archive, machine: str, folder: Path) -> tuple[Path, str]:
    """Download the archive; return it with its SHA-256. Raises `ArtefactError` if its hash is not locked."""
    file = folder / archive.file_of(machine)
    with urllib.request.urlopen(archive.address_of(machine)) as found, file.open("wb") as into:
        shutil.copyfileobj(found, into)
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    locked = archive.sha256[machine]
    if locked not in (None, sha256):
        raise ArtefactError(f"its SHA-256 is {sha256}, but {locked} is locked")
    return file, sha256


def _lock(archive: Archive, machine: str, folder: Path, lock: Path) -> str:
    _, sha256 = _download(archive, machine, folder)
    published = published_sum(archive, machine)
    if published not in (None, sha256):
        raise ArtefactError(f"its SHA-256 is {sha256}, but its project publishes {published}")
    document = read_lock(lock)
    document["archives"][archive.name]["sha256"][machine] = sha256
    write_lock(document, lock)
    return sha256 + (", as published" if published else "")


def _fetch(archive: Archive, machine: str, folder: Path, target: Path) -> str:
    file, _ = _download(archive, machine, folder)
    target.mkdir(parents=True, exist_ok=True)
    shutil.move(file, target / file.name)
    return f"in {target}"


def published_sum(archive: Archive, machine: str) -> str | None:
    """Return the hash that the project publishes with the archive; None if there is no published hash."""
    folder = archive.address_of(machine).rpartition("/")[0]
    for address in _sums(archive, folder):
        try:
            with urllib.request.urlopen(address) as found:
                text = found.read().decode()
        except URLError:
            continue
        if line := re.search(rf"^([0-9a-f]{{64}})\s+\*?{re.escape(archive.file_of(machine))}$", text, re.M):
            return line[1]
    return None


def _sums(archive: Archive, folder: str) -> Iterator[str]:
    """Yield the URLs where projects usually publish the hashes of a release."""
    yield f"{folder}/sha256sums.txt"
    yield f"{folder}/{archive.program}_checksums.txt"


if __name__ == "__main__":
    sys.exit(main())
