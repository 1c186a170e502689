"""Disks of the nodes."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.model import Design
from config.rules.registry import ERROR, Finding, rule


@rule(
    "NVM001", ERROR, "local NVMe is asked for where nodes have it",
    why="On types without instance store the setting would do nothing.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html", reads="storage compute",
    where="local-nvme",
)  # fmt: skip
def local_nvme_exists(design: Design) -> Iterator[Finding]:
    """At least one group has local disks."""
    asked = design.profile.storage and design.profile.storage.local_nvme
    stated = design.profile.compute.groups if design.profile.compute else ()
    if len(design.groups) < len(stated):
        return  # a type that is not known may have disks
    if asked and design.groups and not any(group.instance_type.local_nvme for group in design.groups):
        yield Finding(
            at=("storage", "local_nvme"),
            message="no group has local NVMe disks",
            hint="write `local_nvme: null`",
        )
