"""FSx for OpenZFS: the schema calls all of the root volume mutable; to change it makes a new file system."""

from __future__ import annotations

import math
from collections.abc import Iterator

from config.design.storage.home import FILLED
from scripts.cloud.template.effects import Effect

from .model import Change, Correction

_UPDATE = "https://docs.aws.amazon.com/fsx/latest/APIReference/API_UpdateFileSystem.html"
_UPDATE_VOLUME = (
    "https://docs.aws.amazon.com/fsx/latest/APIReference/API_UpdateOpenZFSVolumeConfiguration.html"
)
_THROUGHPUT = "https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/managing-throughput-capacity.html"
_GROWTH = "https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/managing-storage-capacity.html"
_REFERENCE = "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/"
_TEMPLATE = f"{_REFERENCE}aws-properties-fsx-filesystem-openzfsconfiguration.html"
_ROOT = f"{_REFERENCE}aws-properties-fsx-filesystem-rootvolumeconfiguration.html"
_ZFS = "OpenZFSConfiguration"
_REPLACING = ("DeploymentType", "PreferredSubnetId")
_HIGHLY_AVAILABLE = ("SINGLE_AZ_HA_1", "SINGLE_AZ_HA_2", "MULTI_AZ_1")


def fixed(change: Change) -> Iterator[Correction]:
    """What another value of is another file system, and what UpdateFileSystem does not take."""
    for name in _REPLACING:
        if change.differs(_ZFS, name):
            reason = "fixed at creation: another value is another file system"
            yield Correction((_ZFS, name), Effect.REPLACEMENT, reason, _TEMPLATE)
    path = (_ZFS, "RootVolumeConfiguration")
    if change.differs(*path):
        reason = "the root volume is made with the file system: another one is another file system"
        hint = "keep it as it is, and set exports and quotas on a volume below it (AWS::FSx::Volume)"
        yield Correction(path, Effect.REPLACEMENT, reason, _ROOT, hint)
    if change.differs(_ZFS, "EndpointIpAddressRange"):
        reason = "set at creation: UpdateFileSystem has no such parameter"
        yield Correction((_ZFS, "EndpointIpAddressRange"), Effect.REFUSED, reason, _UPDATE)
    if change.differs("StorageType"):
        reason = "UpdateFileSystem takes it for other file systems, not for OpenZFS"
        yield Correction(("StorageType",), Effect.REFUSED, reason, _UPDATE)


def capacity(change: Change) -> Iterator[Correction]:
    """Storage capacity grows, by a tenth at least."""
    path = ("StorageCapacity",)
    was, will = change.sides(*path)
    if told := change.lowered(*path):
        reason = f"storage capacity cannot be decreased: {told[0]:g} GiB to {told[1]:g} GiB"
        hint = "keep the capacity, or make a second file system and copy"
        yield Correction(path, Effect.REFUSED, reason, _UPDATE, hint)
    elif isinstance(was, int) and isinstance(will, int) and will > was and will * 10 < was * 11:
        least = -(-was * 11 // 10)
        reason = f"storage capacity grows by 10 percent at least: {was} GiB to {will} GiB"
        # the profile states users, not a capacity: the fewest GiB of theirs that give as much
        users_gib = math.floor((least - 1) * FILLED) + 1
        hint = (
            f"use {least} GiB or more: raise `users` or `gib_per_user` until they make {users_gib} GiB, "
            "beside which a fifth stays free"
        )
        yield Correction(path, Effect.REFUSED, reason, _GROWTH, hint)
    elif was != will:
        reason = "grows without an interruption; the next increase must wait 6 hours"
        yield Correction(path, Effect.IN_PLACE, reason, _GROWTH)


def throughput(change: Change) -> Iterator[Correction]:
    """Throughput capacity goes up and down, by another file server."""
    path = (_ZFS, "ThroughputCapacity")
    if change.differs(*path):
        if change.sides(_ZFS, "DeploymentType")[0] in _HIGHLY_AVAILABLE:
            reason = "the file servers are exchanged: the file system fails over to the second one and back"
        else:
            reason = "the file server is exchanged: the file system is unavailable for some minutes"
        yield Correction(path, Effect.INTERRUPTION, reason, _THROUGHPUT)


def volume(change: Change) -> Iterator[Correction]:
    """What UpdateVolume does not take."""
    path = (_ZFS, "CopyTagsToSnapshots")
    if change.differs(*path):
        reason = "set at creation: UpdateVolume has no such parameter"
        yield Correction(path, Effect.REFUSED, reason, _UPDATE_VOLUME)
