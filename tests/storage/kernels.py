"""A reader of AWS's matrix of Lustre clients beside the one in scripts/node/lib/kernel.sh."""

from __future__ import annotations

import re

from config.catalog.storage.lustre_clients import KernelRow, lustre_clients


def parts_of(version: str) -> tuple[int, ...]:
    """The numbers of a version, for comparing: `6.8.0-1024` comes after `6.8.0-999`."""
    return tuple(int(number) for number in re.findall(r"\d+", version))


def rows_of(system: str) -> tuple[KernelRow, ...]:
    """The rows of an operating system; `rhel 9.5` has those of 9."""
    name, _, version = system.partition(" ")
    return tuple(
        row
        for row in lustre_clients().kernels
        if row.os == name and f"{version}.".startswith(f"{row.version}.")
    )


def covers(row: KernelRow, kernel: str) -> bool:
    """Whether a kernel (`6.8.0-1024`, without words at its end) is one of the row."""
    if row.series != "any" and not re.match(re.escape(row.series) + r"[.-]", kernel):
        return False
    if row.from_kernel and parts_of(kernel) < parts_of(row.from_kernel):
        return False
    return not (row.until_kernel and parts_of(kernel) > parts_of(row.until_kernel))


def versions_of(system: str) -> tuple[str, ...]:
    """File system versions that some kernel of an operating system mounts; none: it has no client."""
    return tuple(sorted({version for row in rows_of(system) for version in row.file_systems}, key=parts_of))


def reaches_over_efa(system: str) -> bool:
    """Whether an operating system can reach a file system over EFA, on a kernel that is new enough."""
    name, _, version = system.partition(" ")
    return any(row.os == name and parts_of(version) >= parts_of(row.version) for row in lustre_clients().efa)
