"""What FSx for Lustre and S3 refuse."""

from __future__ import annotations

from config.diagnostics import codes_of
from config.rules.deployed.code import refused, unwise

_FSX = "https://docs.aws.amazon.com/fsx/latest/LustreGuide"
_API = "https://docs.aws.amazon.com/fsx/latest/APIReference"
_CREATE = f"{_API}/API_CreateFileSystem.html"
_LUSTRE = f"{_API}/API_CreateFileSystemLustreConfiguration.html"

NO_LEGACY_PATHS = refused(
    "LUS012",
    "a persistent-2 file system is linked by data repository associations",
    "Import and export paths of the file system itself are refused there (STORAGE-11).",
    _LUSTRE,
)
LOGS_GO_TO_FSX_GROUPS = refused(
    "LUS013",
    "Lustre logs go to a log group whose name starts with /aws/fsx",
    "FSx refuses another destination.",
    f"{_API}/API_LustreLogCreateConfiguration.html",
)
OTHER_SIZES = refused(
    "LUS016",
    "a scratch or persistent-1 file system has one of its sizes and tiers",
    "FSx refuses other capacities and throughputs, and a throughput on scratch.",
    _CREATE,
)
LUSTRE_TRAFFIC = refused(
    "LUS018",
    "a file system's security groups let Lustre through between its own servers",
    "FSx refuses the creation when TCP 988 is not open among them, in both directions (STORAGE-18).",
    f"{_FSX}/limit-access-security-groups.html",
)
NODES_HAVE_A_CLIENT = unwise(
    "LUS031",
    "nodes beside a Lustre file system run a system that has its client",
    "AWS's matrix of Lustre clients has no Bottlerocket: the module is missing there, or fails to mount (STORAGE-24).",
    f"{_FSX}/lustre-client-matrix.html",
)
ONE_SUBNET = refused(
    "LUS019",
    "a Lustre file system stands in one subnet",
    "FSx takes exactly one for every Lustre deployment type.",
    _CREATE,
)
LINKED_ONCE = refused(
    "DRA010",
    "a linked file system has no import or export path of its own",
    "FSx refuses either beside a data repository association (STORAGE-11).",
    _LUSTRE,
)
LINKED_BUCKET_STAYS_FULL = unwise(
    "DRA016",
    "a linked bucket is not emptied with its stack",
    "A bucket may go only when no file system is linked to it any more.",
    f"{_FSX}/getting-started.html",
)
BUCKET_NAME = refused(
    "BKT001",
    "a bucket's name is one that S3 gives",
    "Capitals, underscores, two dots in a row, the form of an IP address, and prefixes and suffixes that S3 keeps "
    "for itself are refused.",
    "https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html",
)
NO_NOTIFICATIONS = unwise(
    "DRA014",
    "a bucket that is linked with a file system has no event notifications of its own",
    "FSx keeps its notification in the bucket: the stack's own configuration replaces it, the link becomes MISCONFIGURED "
    "and follows no changes.",
    f"{_FSX}/troubleshooting-misconfigured-data-repository.html",
)
CURRENT_OBJECTS_STAY = unwise(
    "DRA015",
    "the lifecycle of a linked bucket neither expires nor archives current objects",
    "An automatic import does not notice expirations: files stay in listings and cannot be read; objects in Glacier "
    "Flexible Retrieval and Deep Archive cannot be imported.",
    f"{_FSX}/data-repo-event-logs.html",
)
DIRECTORY_BUCKET_NAME = refused(
    "EXB004",
    "a directory bucket's name ends in the id of its zone and --x-s3",
    "CreateBucket refuses other names, longer ones, and dots and capitals in them.",
    "https://docs.aws.amazon.com/AmazonS3/latest/userguide/directory-bucket-naming-rules.html",
)

CODES = codes_of(globals())
