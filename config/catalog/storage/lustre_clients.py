"""Requirements of FSx for Lustre clients: kernels, EFA support and tuning values."""

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
    """A row of AWS's client matrix. `series` is the kernel prefix (`6.8.0`), `any` if the row has none.

    `from_kernel` and `until_kernel` are inclusive; None means no limit.
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
    """An operating system that supports EFA clients, with its minimum version and kernel."""

    os: str
    version: str
    kernel: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """A tuning value of AWS: a `module` option, set before the module loads, or a `parameter` of each mount.

    The value applies to nodes whose `measure` is greater than `above`. The value `cpus*100` depends on the
    CPU count.
    """

    measure: Measure
    above: int
    kind: Literal["module", "parameter"]
    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreClients:
    """Client matrix, EFA support, tuning values, and the operating systems of each control plane's nodes.

    Operating systems have the ID and version of /etc/os-release: `ubuntu 22.04`.
    """

    kernels: tuple[KernelRow, ...]
    efa: tuple[EfaSystem, ...]
    tunings: tuple[Tuning, ...]
    images: Mapping[str, tuple[str, ...]] = field(hash=False)
    sources: Sources = field(hash=False)


@cache
def lustre_clients() -> LustreClients:
    """Return the facts; the file is read on the first call."""
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
