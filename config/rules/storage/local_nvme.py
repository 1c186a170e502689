"""Rule for the instance store volumes of the nodes."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.model import Design
from config.rules.registry import ERROR, Finding, rule


@rule(
    "NVM001", ERROR, "`local_nvme` is set only if nodes have instance store volumes",
    why="`local_nvme` has no effect on instance types without instance store volumes.",
    source="https://docs.aws.amazon.com/ec2/latest/instancetypes/ac.html", reads="storage compute",
    where="local-nvme",
)  # fmt: skip
def local_nvme_exists(design: Design) -> Iterator[Finding]:
    """Check that at least one group has instance store volumes."""
    asked = design.profile.storage and design.profile.storage.local_nvme
    declared = design.profile.compute.groups if design.profile.compute else ()
    if len(design.groups) < len(declared):
        return  # an unknown instance type may have disks
    if asked and design.groups and not any(group.instance_type.local_nvme for group in design.groups):
        yield Finding(
            at=("storage", "local_nvme"),
            message="no node group has an instance type with local NVMe disks",
            hint="set `local_nvme: null`",
        )
