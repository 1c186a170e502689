"""Codes for file systems, data repository associations and buckets that FSx for Lustre and S3 reject."""

from __future__ import annotations

from config.diagnostics import codes_of
from config.rules.deployed.code import refused, unwise

_FSX = "https://docs.aws.amazon.com/fsx/latest/LustreGuide"
_API = "https://docs.aws.amazon.com/fsx/latest/APIReference"
_CREATE = f"{_API}/API_CreateFileSystem.html"
_LUSTRE = f"{_API}/API_CreateFileSystemLustreConfiguration.html"

NO_LEGACY_PATHS = refused(
    "LUS012",
    "a persistent-2 file system is linked to S3 by data repository associations",
    "FSx rejects import and export paths on a persistent-2 file system (STORAGE-11).",
    _LUSTRE,
)
LOGS_GO_TO_FSX_GROUPS = refused(
    "LUS013",
    "Lustre logs are written to a log group whose name starts with /aws/fsx",
    "FSx rejects any other destination.",
    f"{_API}/API_LustreLogCreateConfiguration.html",
)
OTHER_SIZES = refused(
    "LUS016",
    "a scratch or persistent-1 file system has a supported size and throughput tier",
    "FSx rejects other capacities and throughputs, and a throughput on a scratch file system.",
    _CREATE,
)
LUSTRE_TRAFFIC = refused(
    "LUS018",
    "a file system's security groups allow Lustre traffic between its own servers",
    "FSx rejects the creation if TCP port 988 is not open between its servers in both directions (STORAGE-18).",
    f"{_FSX}/limit-access-security-groups.html",
)
NODES_HAVE_A_CLIENT = unwise(
    "LUS031",
    "nodes that mount a Lustre file system run an operating system with a Lustre client",
    "The AWS Lustre client matrix does not list Bottlerocket: the kernel module is missing, or the mount fails (STORAGE-24).",
    f"{_FSX}/lustre-client-matrix.html",
)
ONE_SUBNET = refused(
    "LUS019",
    "a Lustre file system has one subnet",
    "FSx requires exactly one subnet for every Lustre deployment type.",
    _CREATE,
)
LINKED_ONCE = refused(
    "DRA010",
    "a file system with data repository associations has no import or export path",
    "FSx rejects either path together with a data repository association (STORAGE-11).",
    _LUSTRE,
)
LINKED_BUCKET_STAYS_FULL = unwise(
    "DRA016",
    "a linked bucket is not emptied when its stack is deleted",
    "A bucket must not be deleted while a file system is linked to it.",
    f"{_FSX}/getting-started.html",
)
BUCKET_NAME = refused(
    "BKT001",
    "a bucket's name follows the S3 naming rules",
    "S3 rejects capital letters, underscores, two dots in a row, the form of an IP address, and reserved prefixes and "
    "suffixes.",
    "https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html",
)
NO_NOTIFICATIONS = unwise(
    "DRA014",
    "a bucket that is linked to a file system has no other event notifications",
    "FSx stores its event notification in the bucket. If the stack also configures notifications, FSx's notification is replaced: "
    "the association becomes MISCONFIGURED, and changes in the bucket are no longer imported.",
    f"{_FSX}/troubleshooting-misconfigured-data-repository.html",
)
CURRENT_OBJECTS_STAY = unwise(
    "DRA015",
    "the lifecycle rules of a linked bucket do not expire or archive current objects",
    "An automatic import ignores expired objects, so their files are still listed but cannot be read. Objects in S3 Glacier "
    "Flexible Retrieval and Deep Archive cannot be imported.",
    f"{_FSX}/data-repo-event-logs.html",
)
DIRECTORY_BUCKET_NAME = refused(
    "EXB004",
    "a directory bucket's name ends with its zone id and --x-s3",
    "CreateBucket rejects other names, names that are too long, and names with dots or capital letters.",
    "https://docs.aws.amazon.com/AmazonS3/latest/userguide/directory-bucket-naming-rules.html",
)

CODES = codes_of(globals())
