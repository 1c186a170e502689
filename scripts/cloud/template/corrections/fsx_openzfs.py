"""Corrections for FSx for OpenZFS: a change of the root volume replaces the file system."""

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
    """Yield properties that require a new file system or that UpdateFileSystem does not support."""
    for name in _REPLACING:
        if change.differs(_ZFS, name):
            reason = "set at creation; another value requires a new file system"
            yield Correction((_ZFS, name), Effect.REPLACEMENT, reason, _TEMPLATE)
    path = (_ZFS, "RootVolumeConfiguration")
    if change.differs(*path):
        reason = "the root volume is created with the file system; a change requires a new file system"
        hint = "keep the root volume, and set exports and quotas on another volume (AWS::FSx::Volume)"
        yield Correction(path, Effect.REPLACEMENT, reason, _ROOT, hint)
    if change.differs(_ZFS, "EndpointIpAddressRange"):
        reason = "set at creation; UpdateFileSystem has no such parameter"
        yield Correction((_ZFS, "EndpointIpAddressRange"), Effect.REFUSED, reason, _UPDATE)
    if change.differs("StorageType"):
        reason = "UpdateFileSystem does not support this parameter for OpenZFS"
        yield Correction(("StorageType",), Effect.REFUSED, reason, _UPDATE)


def capacity(change: Change) -> Iterator[Correction]:
    """Yield the effect of a capacity change: capacity only grows, by at least 10 percent."""
    path = ("StorageCapacity",)
    was, will = change.sides(*path)
    if lowered := change.lowered(*path):
        reason = f"storage capacity cannot be decreased from {lowered[0]:g} GiB to {lowered[1]:g} GiB"
        hint = "keep the capacity, or create a second file system and copy the files"
        yield Correction(path, Effect.REFUSED, reason, _UPDATE, hint)
    elif isinstance(was, int) and isinstance(will, int) and will > was and will * 10 < was * 11:
        least = -(-was * 11 // 10)
        reason = f"storage capacity must grow by at least 10 percent, not from {was} GiB to {will} GiB"
        # a profile sets users, not a capacity: this is the smallest total of the home directories that needs
        # the capacity
        users_gib = math.floor((least - 1) * FILLED) + 1
        hint = (
            f"use {least} GiB or more: increase `users` or `gib_per_user` until the home directories "
            f"total {users_gib} GiB; a fifth of the file system remains free"
        )
        yield Correction(path, Effect.REFUSED, reason, _GROWTH, hint)
    elif was != will:
        reason = "grows without an interruption; the next increase must wait 6 hours"
        yield Correction(path, Effect.IN_PLACE, reason, _GROWTH)


def throughput(change: Change) -> Iterator[Correction]:
    """Yield the effect of a throughput change, which replaces the file server."""
    path = (_ZFS, "ThroughputCapacity")
    if change.differs(*path):
        if change.sides(_ZFS, "DeploymentType")[0] in _HIGHLY_AVAILABLE:
            reason = "FSx replaces the file servers; the file system fails over to the second server and back"
        else:
            reason = "FSx replaces the file server; the file system is unavailable for some minutes"
        yield Correction(path, Effect.INTERRUPTION, reason, _THROUGHPUT)


def volume(change: Change) -> Iterator[Correction]:
    """Yield the properties that UpdateVolume does not support."""
    path = (_ZFS, "CopyTagsToSnapshots")
    if change.differs(*path):
        reason = "set at creation; UpdateVolume has no such parameter"
        yield Correction(path, Effect.REFUSED, reason, _UPDATE_VOLUME)
