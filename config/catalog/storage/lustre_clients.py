"""What a machine must be to mount FSx for Lustre: its kernel, EFA, and AWS's values for large ones."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Literal

from config.catalog.files import read_one
from config.catalog.hardware import Sources

Measure = Literal["always", "cpus", "memory_gib"]


def parts_of(version: str) -> tuple[int, ...]:
    """The numbers of a version, for comparing: `6.8.0-1024` comes after `6.8.0-999`."""
    return tuple(int(number) for number in re.findall(r"\d+", version))


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelRow:
    """One row of AWS's matrix. `series` is the kernel's beginning (`6.8.0`), `any` where the row names none.

    `from_kernel` and `until_kernel` are included; None: no bound.
    """

    os: str
    version: str
    series: str
    from_kernel: str | None
    until_kernel: str | None
    client: str
    file_systems: tuple[str, ...]

    def covers(self, kernel: str) -> bool:
        """Whether a kernel (`6.8.0-1024`, without words at its end) is one of the row."""
        if self.series != "any" and not re.match(re.escape(self.series) + r"[.-]", kernel):
            return False
        if self.from_kernel and parts_of(kernel) < parts_of(self.from_kernel):
            return False
        return not (self.until_kernel and parts_of(kernel) > parts_of(self.until_kernel))


@dataclass(frozen=True, slots=True, kw_only=True)
class EfaSystem:
    """An operating system that reaches a file system over EFA, from this version and kernel on."""

    os: str
    version: str
    kernel: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """One of AWS's values: a `module` option, there before the module loads, or a `parameter` of each mount.

    It holds for machines with more than `above` of what `measure` names. A value `cpus*100` grows with them.
    """

    measure: Measure
    above: int
    kind: Literal["module", "parameter"]
    name: str
    value: str

    def applies(self, cpus: int, memory_gib: int) -> bool:
        """Whether a machine of this size takes the value."""
        return {"always": 1, "cpus": cpus, "memory_gib": memory_gib}[self.measure] > self.above

    def value_for(self, cpus: int) -> str:
        """The value as it is written."""
        factor = self.value.removeprefix("cpus*")
        return self.value if factor == self.value else str(int(factor) * cpus)


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreClients:
    """The matrix, the systems with EFA, the values, and what the nodes of each control plane run.

    Operating systems are named as in /etc/os-release, id and version: `ubuntu 22.04`.
    """

    kernels: tuple[KernelRow, ...]
    efa: tuple[EfaSystem, ...]
    tunings: tuple[Tuning, ...]
    images: Mapping[str, tuple[str, ...]] = field(hash=False)
    sources: Sources = field(hash=False)

    def versions_of(self, system: str) -> tuple[str, ...]:
        """File system versions that some kernel of an operating system mounts; none: it has no client."""
        found = {version for row in self.rows_of(system) for version in row.file_systems}
        return tuple(sorted(found, key=parts_of))

    def rows_of(self, system: str) -> tuple[KernelRow, ...]:
        """The rows of an operating system; `rhel 9.5` has those of 9."""
        name, _, version = system.partition(" ")
        return tuple(
            row for row in self.kernels if row.os == name and f"{version}.".startswith(f"{row.version}.")
        )

    def reaches_over_efa(self, system: str) -> bool:
        """Whether an operating system can reach a file system over EFA, on a kernel that is new enough."""
        name, _, version = system.partition(" ")
        return any(row.os == name and parts_of(version) >= parts_of(row.version) for row in self.efa)


@cache
def lustre_clients() -> LustreClients:
    """The facts, read on the first call."""
    document = read_one("lustre-clients")
    return LustreClients(
        kernels=tuple(
            KernelRow(
                from_kernel=row.get("from"),
                until_kernel=row.get("until"),
                file_systems=tuple(row["file_systems"]),
                **{key: row[key] for key in ("os", "version", "series", "client")},
            )
            for row in document["kernels"]
        ),
        efa=tuple(
            EfaSystem(os=row["os"], version=row["version"], kernel=row.get("kernel"))
            for row in document["efa"]
        ),
        tunings=tuple(
            Tuning(measure=measure, above=above, kind=kind, name=name, value=value)
            for measure, above, kind, name, value in document["tunings"]
        ),
        images=MappingProxyType({kind: tuple(systems) for kind, systems in document["images"].items()}),
        sources=MappingProxyType({name: tuple(keys) for name, keys in document["sources"].items()}),
    )
