"""What FSx refuses of OpenZFS file systems."""

from __future__ import annotations

from config.diagnostics import codes_of
from config.rules.deployed.code import refused, unwise

_API = "https://docs.aws.amazon.com/fsx/latest/APIReference"
_CREATE = f"{_API}/API_CreateFileSystem.html"
_OPENZFS = f"{_API}/API_CreateFileSystemOpenZFSConfiguration.html"
_CLIENTS = f"{_API}/API_OpenZFSClientConfiguration.html"

STATES_ITS_SIZE = refused(
    "HOM007",
    "an OpenZFS file system states its throughput and, on SSD, a capacity of at least 64 GiB",
    "CreateFileSystem requires both, which CloudFormation's schema leaves out, and refuses a smaller one.",
    _OPENZFS,
)
SUBNETS_OF_ITS_ZONES = refused(
    "HOM008",
    "an OpenZFS file system stands in one subnet, and one of two zones in two",
    "FSx takes exactly as many subnets as the deployment type has zones.",
    _CREATE,
)
BACKUP_DAYS = refused(
    "HOM009",
    "backups of an OpenZFS file system are kept for 0 to 90 days",
    "FSx refuses more; 0 turns automatic backups off, and where nothing is stated they are kept for 30.",
    _OPENZFS,
)
DISK_IOPS = refused(
    "HOM010",
    "disk IOPS of an OpenZFS file system are at least 3 for each GiB, and not more than its type drives",
    "FSx refuses others, and any beside Mode AUTOMATIC.",
    f"{_API}/API_DiskIopsConfiguration.html",
)
EXPORT_CLIENTS = refused(
    "HOM011",
    "an NFS export names its clients as *, an address or a block",
    "FSx knows no names of hosts there, and the file system or volume fails.",
    _CLIENTS,
)
EXPORT_SYNC = unwise(
    "HOM012",
    "what NFS calls written is on disk",
    "With the option async the server answers before it writes: files are lost when it fails. FSx writes first by "
    "default.",
    _CLIENTS,
)

CODES = codes_of(globals())
