"""What a machine must be to mount FSx for Lustre: its kernel, EFA, and AWS's values for large ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from config.catalog.files import read_one
from config.catalog.hardware import Sources

Measure = Literal["always", "cpus", "memory_gib"]


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


@cache
def lustre_clients() -> LustreClients:
    """The facts, read on the first call."""
    document = read_one("lustre-clients")
    return LustreClients(
        kernels=tuple(
            KernelRow(
                from_kernel=row.get("from"),
                until_kernel=row.get("until"),
                file_systems=row["file_systems"],
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
        images=document["images"],
        sources=document["sources"],
    )
