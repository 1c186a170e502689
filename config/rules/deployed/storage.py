"""What FSx for Lustre and S3 refuse."""

from __future__ import annotations

from config.rules.deployed.code import refused

_FSX = "https://docs.aws.amazon.com/fsx/latest/LustreGuide"
_API = "https://docs.aws.amazon.com/fsx/latest/APIReference"
_CREATE = f"{_API}/API_CreateFileSystem.html"
_LUSTRE = f"{_API}/API_CreateFileSystemLustreConfiguration.html"

EFA_WANTS_METADATA = refused(
    "LUS010",
    "a file system with EFA is a persistent-2 one with a metadata configuration, Lustre 2.15",
    "FSx refuses EFA on any other file system, and neither can be added later (STORAGE-13, STORAGE-14).",
    f"{_FSX}/efa-file-systems.html",
)
NO_BACKUPS_WHEN_LINKED = refused(
    "LUS011",
    "a file system with data repository associations takes no backups",
    "FSx refuses backups of a file system that is linked to S3 (STORAGE-09).",
    f"{_FSX}/using-backups-fsx.html",
)
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
INTELLIGENT_TIERING = refused(
    "LUS014",
    "an Intelligent-Tiering file system states its throughput and its read cache, and no capacity",
    "It grows by itself: FSx refuses a capacity or a tier, a throughput that is no multiple of 4000 MB/s, and "
    "AUTOMATIC metadata.",
    _LUSTRE,
)
VERSION_FITS = refused(
    "LUS015",
    "a file system runs a Lustre version that its deployment type takes",
    "Persistent-2 takes no 2.10, and no 2.12 beside a metadata configuration; 2.10 is still the default elsewhere "
    "(STORAGE-12).",
    _CREATE,
    ages="the Lustre versions that each deployment type takes",
)
OTHER_SIZES = refused(
    "LUS016",
    "a scratch or persistent-1 file system has one of its sizes and tiers",
    "FSx refuses other capacities and throughputs, and a throughput on scratch.",
    _CREATE,
)
DRIVE_CACHE = refused(
    "LUS017",
    "a file system on hard disks is a persistent-1 one with a drive cache stated",
    "FSx has HDD storage for persistent-1 alone, and requires DriveCacheType with it.",
    _LUSTRE,
)
LUSTRE_TRAFFIC = refused(
    "LUS018",
    "a file system's security groups let Lustre through between its own servers",
    "FSx refuses the creation when TCP 988 is not open among them, in both directions (STORAGE-18).",
    f"{_FSX}/limit-access-security-groups.html",
)
ONE_SUBNET = refused(
    "LUS019",
    "a Lustre file system stands in one subnet",
    "FSx takes exactly one for every Lustre deployment type.",
    _CREATE,
)
SCRATCH_IS_PLAIN = refused(
    "LUS020",
    "a scratch file system takes no backups",
    "FSx makes backups of persistent file systems alone.",
    f"{_FSX}/using-backups-fsx.html",
)
LINKABLE = refused(
    "DRA009",
    "a linked file system is one that takes data repository associations",
    "Scratch-1, Intelligent-Tiering and Lustre 2.10, the default before persistent-2, take none.",
    f"{_API}/API_DataRepositoryAssociation.html",
)
LINKED_ONCE = refused(
    "DRA010",
    "a linked file system has no import or export path of its own",
    "FSx refuses either beside a data repository association (STORAGE-11).",
    _LUSTRE,
)
BUCKET_NAME = refused(
    "BKT001",
    "a bucket's name is one that S3 gives",
    "Capitals, underscores, two dots in a row, the form of an IP address, and prefixes and suffixes that S3 keeps "
    "for itself are refused.",
    "https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html",
)

CODES = (
    EFA_WANTS_METADATA,
    NO_BACKUPS_WHEN_LINKED,
    NO_LEGACY_PATHS,
    LOGS_GO_TO_FSX_GROUPS,
    INTELLIGENT_TIERING,
    VERSION_FITS,
    OTHER_SIZES,
    DRIVE_CACHE,
    LUSTRE_TRAFFIC,
    ONE_SUBNET,
    SCRATCH_IS_PLAIN,
    LINKABLE,
    LINKED_ONCE,
    BUCKET_NAME,
)
