"""File systems with their servers, and S3 buckets, in the diagram."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from config.design.model import Design
from config.design.report.storage import FileSystemReport, RepositoryReport, StorageReport
from config.design.report.tiers import HomeReport
from config.design.storage.lustre import MAIN
from config.profile.storage.repository import EVENTS
from scripts.cli.plan.diagram.boxes import PAD, Box, Column, framed, rect

_MOST_SERVERS = 40
_MOST_BUCKETS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket:
    """A bucket in the diagram; `of` is the file system of its data repository association."""

    box: Box
    name: str
    of: str | None
    to_bucket: bool
    from_bucket: bool


def drawn_file_systems(design: Design, storage: StorageReport, width: float) -> Iterator[Box]:
    """Yield the boxes of Lustre file systems and home directories."""
    own = {system.name for system in design.own_file_systems}
    for system in storage.file_systems:
        yield _lustre(system, width, theirs=system.name not in own, data=design.data_profile)
    if storage.home:
        yield _home(storage.home, width)


def _lustre(system: FileSystemReport, width: float, *, theirs: bool, data: object) -> Box:
    column = Column(width - 2 * PAD)
    column.pair(
        "Lustre" if system.name == MAIN else f"Lustre {system.name}", f"mounted at {system.mount_path}"
    )
    size = "elastic capacity" if system.capacity_gib is None else f"{system.capacity_gib:,} GiB"
    tier = f" at {system.throughput_mbps_per_tib:,} MB/s/TiB" if system.throughput_mbps_per_tib else ""
    kind = system.kind.replace("ssd", "SSD").replace("hdd", "HDD")
    column.text(f"{size}{tier}, {kind}, {'with EFA' if system.efa else 'without EFA'}")
    column.space(6)
    column.add(_servers(system, column.width))
    column.space(2)
    column.text(f"write {_gb_per_s(system.write_mbps)}, read {_gb_per_s(system.read_mbps)}", "small")
    if system.existing:
        column.text(f"existing: {system.existing.file_system_id}", "small")
    elif theirs and data is not None:
        column.text("from the data profile", "small")
    return framed(column.box(), "lustre", name=f"lustre {system.name}")


def _servers(system: FileSystemReport, width: float) -> Box:
    """Return one square for each server, metadata servers first."""
    column = Column(width)
    each = ceil((system.object_servers + system.metadata_servers) / _MOST_SERVERS) or 1
    kinds = ["mds"] * ceil(system.metadata_servers / each) + ["oss"] * ceil(system.object_servers / each)
    in_a_row = max(1, int((width + 4) // 22))
    svg = "".join(
        rect(i % in_a_row * 22, i // in_a_row * 18, 18, 14, f"server {kind}", 3)
        for i, kind in enumerate(kinds)
    )
    column.add(Box(width=width, height=ceil(len(kinds) / in_a_row) * 18 - 4 if kinds else 0, svg=svg))
    column.space(3)
    iops = f" ({system.metadata_iops:,} IOPS)" if system.metadata_iops else ""
    description = f"{system.metadata_servers} MDS{iops}, {system.object_servers} OSS"
    column.text(f"{description}; 1 square = {each} servers" if each > 1 else description, "small")
    return column.box()


def _home(home: HomeReport, width: float) -> Box:
    column = Column(width - 2 * PAD)
    column.pair("home directories, OpenZFS", f"mounted at {home.mount_path}")
    if home.capacity_gib is None:
        column.text("existing" + (f": {home.existing.file_system_id}" if home.existing else ""), "small")
    else:
        moves = f", {_gb_per_s(home.disk_mbps)} from disk" if home.disk_mbps else ""
        column.text(f"{home.capacity_gib:,} GiB, {home.deployment}{moves}")
    return framed(column.box(), "home", name="home")


def drawn_buckets(design: Design, storage: StorageReport, width: float) -> Iterator[Bucket]:
    """Yield the buckets of data repository associations, then of pod volumes, then the directory bucket."""
    links = [(system, link) for system in storage.file_systems for link in system.data_repositories]
    for number, (system, link) in enumerate(links[:_MOST_BUCKETS]):
        yield _repository(number, system, link, width)
    if len(links) > _MOST_BUCKETS:
        column = Column(width)
        column.text(f"and {len(links) - _MOST_BUCKETS} more data repository associations", "small")
        yield Bucket(box=column.box(), name="more", of=None, to_bucket=False, from_bucket=False)
    for volume in storage.mountpoints[:_MOST_BUCKETS]:
        if volume.bucket != "new":
            prefix = f"/{volume.prefix}" if volume.prefix else ""
            description = f"pod volume {volume.name}, {'read-only' if volume.read_only else 'read-write'}"
            yield _bucket(f"volume {volume.name}", f"s3://{volume.bucket}{prefix}", description, width)
    if design.express:
        description = f"S3 Express One Zone in {design.express.zone_id}"
        yield _bucket("express", "directory bucket", description, width)


def _repository(number: int, system: FileSystemReport, link: RepositoryReport, width: float) -> Bucket:
    name = "a new bucket" if link.bucket == "new" else f"s3://{link.bucket}/{link.prefix}"
    moves = [
        (way, [event for event in EVENTS if event in events])
        for way, events in (("imports", link.imports), ("exports", link.exports))
    ]
    description = "; ".join(f"{way} {', '.join(events)} files" for way, events in moves if events)
    column = _titled(name, f"data repository of {system.mount_path.rstrip('/')}{link.path}", width)
    column.text(description or "not imported or exported automatically", "small")
    key = f"bucket {number}"
    return Bucket(
        box=framed(column.box(), "bucket", name=key),
        name=key,
        of=system.name,
        to_bucket=bool(link.exports),
        from_bucket=bool(link.imports or link.listed),
    )


def _bucket(key: str, name: str, description: str, width: float) -> Bucket:
    box = framed(_titled(name, description, width).box(), "bucket", name=key)
    return Bucket(box=box, name=key, of=None, to_bucket=False, from_bucket=False)


def _titled(name: str, description: str, width: float) -> Column:
    column = Column(width - 2 * PAD)
    column.text(name, "title", most=2)
    column.text(description, "small")
    return column


def _gb_per_s(mbps: float) -> str:
    return f"{mbps / 1000:,.3g} GB/s" if mbps < 100_000 else f"{mbps / 1000:,.0f} GB/s"
