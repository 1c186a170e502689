"""Limits of ParallelCluster's schema and validators; a test compares them with the package.

Source: aws-parallelcluster 3.16.1, pcluster/constants.py, pcluster/schemas/cluster_schema.py and
pcluster/validators (https://github.com/aws/aws-parallelcluster/tree/v3.16.1/cli/src/pcluster).
"""

from __future__ import annotations

VERSION = "3.16.1"
"""ParallelCluster version of the written configurations."""

MAX_NAME_LENGTH = 25
"""Maximum characters of the name of a queue, a compute resource or a login pool."""

MAX_STORAGE_NAME_LENGTH = 30
"""Maximum characters of the name of a shared file system."""

MAX_CLUSTER_NAME_LENGTH = 60

FORBIDDEN_NAME = "default"
"""A name that ParallelCluster does not allow for a queue, a compute resource or a file system."""

MAX_QUEUES = 50
"""Maximum number of queues in a cluster, and maximum number of compute resources."""

MAX_LOGIN_POOLS = 10
"""Maximum login pools."""

MAX_NEW_LUSTRE = 1
"""Maximum FSx file systems that one configuration can create."""

LOG_RETENTION_DAYS = (0, 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1827, 3653)
"""Retention periods of logs in days; 0 retains logs without limit."""

_SYSTEM = (
    "bin",
    "boot",
    "dev",
    "etc",
    "lib",
    "lib64",
    "media",
    "mnt",
    "opt",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "tmp",
    "usr",
    "var",
)
_BELOW_OPT = (
    "parallelcluster",
    "parallelcluster/shared",
    "parallelcluster/shared_login_nodes",
    "slurm",
    "intel",
)
RESERVED_PATHS = frozenset((*(f"/{name}" for name in _SYSTEM), *(f"/opt/{name}" for name in _BELOW_OPT)))
"""Directories that cannot be mount paths."""

LUSTRE_TIERS = {
    ("persistent-1", "ssd"): (50, 100, 200),
    ("persistent-1", "hdd"): (12, 40),
    ("persistent-2", "ssd"): (125, 250, 500, 1000),
}
"""Throughput in MB/s per TiB, for the deployment and storage types that have several tiers."""

SLURM = "25.11"
"""Slurm version of ParallelCluster 3.16.1 (its release notes: 25.11.8)."""

DENIED_OF_CLUSTER = frozenset(
    (
        "epilog", "grestypes", "launchparameters", "prolog", "reconfigflags", "resumefailprogram",
        "resumeprogram", "resumetimeout", "slurmctldhost", "slurmctldlogfile", "slurmctldparameters",
        "slurmdlogfile", "slurmuser", "suspendexcnodes", "suspendprogram", "suspendtime", "taskplugin",
        "treewidth",
    )
)  # fmt: skip
DENIED_OF_QUEUE = frozenset(
    ("nodes", "oversubscribe", "partitionname", "resumetimeout", "state", "suspendtime")
)
DENIED_OF_GROUP = frozenset(("cpus", "gres", "nodeaddr", "nodehostname", "nodename", "state", "weight"))
"""Slurm settings that ParallelCluster sets itself, in lower case (slurm_settings_validator.py)."""

MIN_PRIORITY = 1
"""Minimum of StaticNodePriority and DynamicNodePriority."""
