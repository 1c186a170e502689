"""Codes for OpenZFS file systems that FSx rejects."""

from __future__ import annotations

from config.diagnostics import codes_of
from config.rules.deployed.code import refused, unwise

_API = "https://docs.aws.amazon.com/fsx/latest/APIReference"
_CREATE = f"{_API}/API_CreateFileSystem.html"
_OPENZFS = f"{_API}/API_CreateFileSystemOpenZFSConfiguration.html"
_CLIENTS = f"{_API}/API_OpenZFSClientConfiguration.html"

STATES_ITS_SIZE = refused(
    "HOM007",
    "an OpenZFS file system sets its throughput and, on SSD, a capacity of at least 64 GiB",
    "CreateFileSystem requires throughput and capacity, and rejects a smaller capacity. CloudFormation's schema does not check "
    "these values.",
    _OPENZFS,
)
SUBNETS_OF_ITS_ZONES = refused(
    "HOM008",
    "an OpenZFS file system has one subnet, or two subnets if it is in two Availability Zones",
    "FSx requires one subnet for each Availability Zone of the deployment type.",
    _CREATE,
)
BACKUP_DAYS = refused(
    "HOM009",
    "backups of an OpenZFS file system are retained for 0 to 90 days",
    "FSx rejects a larger value. 0 turns automatic backups off. The default is 30 days.",
    _OPENZFS,
)
DISK_IOPS = refused(
    "HOM010",
    "disk IOPS of an OpenZFS file system are at least 3 per GiB and at most the maximum of its deployment type",
    "FSx rejects other values, and rejects a value together with Mode AUTOMATIC.",
    f"{_API}/API_DiskIopsConfiguration.html",
)
EXPORT_CLIENTS = refused(
    "HOM011",
    "an NFS export names its clients as *, an IP address or a CIDR block",
    "FSx does not accept host names in exports. The creation of the file system or volume fails.",
    _CLIENTS,
)
EXPORT_SYNC = unwise(
    "HOM012",
    "a write over NFS returns after the data is on disk",
    "With the option async, the server confirms a write before the data is on disk, so files are lost if the server fails. By "
    "default, FSx writes the data to disk before it confirms.",
    _CLIENTS,
)

CODES = codes_of(globals())
