"""What ParallelCluster's own schema and validators allow: a test compares this with the package itself.

Source: aws-parallelcluster 3.16.1, pcluster/constants.py, pcluster/schemas/cluster_schema.py and
pcluster/validators (https://github.com/aws/aws-parallelcluster/tree/v3.16.1/cli/src/pcluster).
"""

from __future__ import annotations

VERSION = "3.16.1"
"""The release that the files are written for."""

LONGEST_NAME = 25
"""Letters of a queue, a compute resource or a pool of login nodes."""

LONGEST_STORAGE_NAME = 30
"""Letters of a shared file system's name."""

LONGEST_CLUSTER_NAME = 60

FORBIDDEN_NAME = "default"
"""A name that no queue, compute resource or file system can have."""

MOST_QUEUES = 50
"""Queues of a cluster, and as many compute resources."""

MOST_POOLS = 10
"""Pools of login nodes."""

MOST_NEW_LUSTRE = 1
"""File systems of FSx that one file can make."""

LOG_DAYS = (0, 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1827, 3653)
"""Days that logs can be kept; 0 is for ever."""

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
TAKEN_PATHS = frozenset((*(f"/{name}" for name in _SYSTEM), *(f"/opt/{name}" for name in _BELOW_OPT)))
"""Directories that nothing can be mounted at."""

LUSTRE_TIERS = {
    ("persistent-1", "ssd"): (50, 100, 200),
    ("persistent-1", "hdd"): (12, 40),
    ("persistent-2", "ssd"): (125, 250, 500, 1000),
}
"""Throughput in MB/s per TiB of the kinds that have a choice."""

SLURM = "25.11"
"""The Slurm that ParallelCluster 3.16.1 brings (its release notes: 25.11.8)."""

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
"""Settings of Slurm that ParallelCluster keeps for itself, in lower case (slurm_settings_validator.py)."""

LEAST_PRIORITY = 1
"""The least of StaticNodePriority and DynamicNodePriority."""
