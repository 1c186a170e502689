"""Typical values of keys that are plain texts or numbers in the schema."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from config.catalog import catalog
from config.catalog.slurm.pcs import SettingsOf
from config.design.nodes.repair.policy import default_conditions
from config.design.observability.alerts import by_name
from config.profile.base import LOG_RETENTION_DAYS
from config.profile.source.reference import built_in_names
from config.rules.codes import CODES
from config.rules.profile.consistency import zone_id_prefix

ACCOUNT = "123456789012"
EVENTS = ("new", "changed", "deleted")
REASONS = (
    "the catalogue is out of date",
    "AWS launched it in our Region last week",
    "agreed with our AWS account team",
)
FILE_SYSTEMS = ("fs-0123456789abcdef0", "fs-0a1b2c3d4e5f60718")
SECURITY_GROUPS = ("sg-0123456789abcdef0", "sg-0a1b2c3d4e5f60718")
KEYS = {
    region: f"arn:{'aws-us-gov' if region.startswith('us-gov') else 'aws'}:kms:{region}:{ACCOUNT}:key/mine"
    for region in catalog().regions
}
"""The ARN of a KMS key in each Region."""
_FIRST_DAY = date(2027, 1, 4)


def zone_ids(region: str) -> list[str]:
    """Return zone ids of a Region: az1 to az6, and those of the catalogue."""
    known = catalog().region(region)
    named = [zone.zone_id for zone in known.zones if zone.zone_id] if known else []
    return [*(f"{zone_id_prefix(region)}-az{number}" for number in range(1, 7)), *named]


def zone_names(region: str) -> list[str]:
    """Return zone names of a Region."""
    known = catalog().region(region)
    named = [zone.name for zone in known.zones if zone.name] if known else []
    return [*(f"{region}{letter}" for letter in "abcd"), *named]


@cache
def instance_types() -> SearchStrategy[str]:
    """Generate types of the catalogue; GPU types with EFA are more frequent."""
    every = sorted(catalog().instances)
    gpu = [name for name in every if catalog().instances[name].is_gpu and catalog().instances[name].max_efa]
    return st.sampled_from(gpu) | st.sampled_from(every)


def reservation_ids() -> SearchStrategy[str]:
    """Generate reservation ids; there are few, so that some groups share one."""
    return st.sampled_from(
        ["cr-0123456789abcdef0", "cr-0a1b2c3d4e5f60718", "cr-00000000000000002", "cr-12345678"]
    )


def plan_arns(region: str) -> SearchStrategy[str]:
    """Generate ARNs of training plans in a Region."""
    names = st.sampled_from(["example", "mine", "spring-2027"])
    return names.map(lambda name: f"arn:aws:sagemaker:{region}:{ACCOUNT}:training-plan/{name}")


def slurm_settings(kind: SettingsOf) -> SearchStrategy[dict[str, Any]]:
    """Generate a few Slurm settings for a cluster, a group or a queue; some values are invalid."""
    names = st.sampled_from(sorted(catalog().pcs.settings[kind]))
    values = st.sampled_from(["10", "YES", "/opt/ours.sh", 300, None])
    return st.dictionaries(names, values, max_size=3)


def times() -> SearchStrategy[str]:
    """Generate times in the year of the reservations; most are an end time of Capacity Blocks."""
    days = st.integers(0, 200).map(lambda day: (_FIRST_DAY + timedelta(days=day)).isoformat())
    return st.builds("{}T{}Z".format, days, st.sampled_from(["11:30", "11:30", "11:30", "04:00"]))


def cidr_blocks(low: int, high: int) -> SearchStrategy[str]:
    """Generate private IPv4 CIDR blocks with a prefix length from `low` to `high`."""
    return st.builds(
        lambda second, prefix: f"10.{second}.0.0/{prefix}", st.integers(0, 255), st.integers(low, high)
    )


_SSH_KEYS = (
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@laptop",
    "ssh-dss AAAAB3NzaC1kc3M= old",
)


def _users() -> dict[str, SearchStrategy[Any]]:
    """Return values for users, their groups and their directory."""
    teams = st.lists(st.sampled_from(["research", "ops", "team-a"]), max_size=2)
    return {
        "User.name": st.from_regex(r"[a-z]{3,5}", fullmatch=True) | st.sampled_from(["slurm", "ada", "ada"]),
        "User.group": st.sampled_from(["research", "ops"]),
        "User.groups": teams,
        "User.ssh_keys": st.lists(st.sampled_from(_SSH_KEYS), max_size=2),
        "User.principal": st.sampled_from([f"arn:aws:iam::{ACCOUNT}:role/{name}" for name in ("ada", "bob")]),
        "UserGroup.name": st.sampled_from(["research", "ops", "team-a"]),
        "ClusterAccess.groups": st.just(
            [{"name": "research"}, {"name": "ops", "gid": 30001}, {"name": "team-a"}]
        ),
        "ClusterAccess.users_file": st.sampled_from(["people.yaml", "people.csv"]),
        "Sessions.bucket": st.just({"name": "our-session-logs"}),
        "SharedDirectory.path": st.sampled_from(["/fsx/teams", "/home/teams", "/data/x"]),
        "bind_secret_arn": _ANYWHERE.map(
            lambda region: f"arn:aws:secretsmanager:{region}:{ACCOUNT}:secret:ldap-AbCdEf"
        ),
        "bind_secret_key_arn": st.sampled_from(sorted(KEYS.values())),
        "uris": st.just(["ldaps://ldap.example.com"]),
        "base_dn": st.just("dc=example,dc=com"),
        "bind_dn": st.just("cn=nodes,dc=example,dc=com"),
        "ca_certificate": st.just("-----BEGIN CERTIFICATE-----\nTUlJQg==\n-----END CERTIFICATE-----\n"),
        "run_as": st.sampled_from(["ubuntu", "ada"]),
    }


def _models() -> dict[str, SearchStrategy[Any]]:
    """Return values for models and their parallelism; most combinations are consistent."""
    return {
        "active_parameters": st.sampled_from([5e9, 37e9]),
        "layers": st.sampled_from([32, 61, 80, 126]),
        "hidden_size": st.sampled_from([4096, 8192, 16384]),
        "Workload.heads": st.sampled_from([32, 64, 128]),
        "kv_heads": st.sampled_from([4, 8]),
        "feed_forward_size": st.sampled_from([2048, 14336, 28672]),
        "vocabulary": st.sampled_from([32000, 128256]),
        "Workload.experts": st.sampled_from([0, 8, 64, 256]),
        "experts_per_token": st.sampled_from([1, 2, 8]),
        "sequence_length": st.sampled_from([4096, 8192, 131072]),
        "global_batch_sequences": st.sampled_from([512, 2048, 15360]),
        "global_batch_tokens": st.sampled_from([4e6, 16e6]),
        "micro_batch": st.sampled_from([1, 1, 2]),
        "training_tokens": st.sampled_from([2e12, 15.6e12]),
        "tensor": st.sampled_from([1, 2, 4, 8]),
        "pipeline": st.sampled_from([1, 1, 2, 4]),
        "context": st.sampled_from([1, 1, 1, 2]),
        "Parallelism.data": st.just(None),
        "Parallelism.expert": st.sampled_from([1, 1, 8]),
    }


_REGIONS = sorted(catalog().regions)
_ANYWHERE = st.sampled_from(["us-west-2", "us-east-1", "us-east-2", *_REGIONS])

_ALERTS = st.sampled_from([*by_name(), "AmpDiscardedSamples", "NodeLots"])
_CONDITIONS = st.sampled_from([*default_conditions(), "xid-79", "xid-7", "gpu-mising"])

TYPICAL: dict[str, SearchStrategy[Any]] = {
    "extends": st.sampled_from(built_in_names()),
    "name": st.sampled_from(["mine", "train", "controller", "login", "a", "dev", "pretrain-west"]),
    "description": st.sampled_from(["our first cluster", "größer, schneller", ""]),
    "region": _ANYWHERE,
    "availability_zone": _ANYWHERE.flatmap(lambda region: st.sampled_from(zone_names(region))),
    "availability_zone_id": _ANYWHERE.flatmap(lambda region: st.sampled_from(zone_ids(region))),
    "zone": st.sampled_from(["us-west-2-lax-1a", "usw2-lax1-az1"])
    | _ANYWHERE.flatmap(lambda region: st.sampled_from(zone_ids(region) + zone_names(region))),
    "secondary_zones": _ANYWHERE.flatmap(
        lambda region: st.lists(st.sampled_from(zone_ids(region)), max_size=3)
    ),
    "account": st.just(ACCOUNT),
    "environment": st.sampled_from(["dev", "staging", "prod", "env", "integration1"]),
    "permissions_boundary": st.sampled_from(
        [
            "hpc-boundary",
            "teams/hpc",
            f"arn:aws:iam::{ACCOUNT}:policy/hpc",
            "arn:aws:iam::aws:policy/PowerUserAccess",
        ]
    ),
    "qualifier": st.sampled_from(["acme01", "hnb659fds", "team2"]),
    "vpc_cidr": cidr_blocks(16, 20),
    "cidr": cidr_blocks(17, 28),
    "vpc_secondary_cidrs": st.lists(cidr_blocks(16, 18), max_size=2),
    "flow_log_retention_days": st.sampled_from(LOG_RETENTION_DAYS),
    "log_retention_days": st.sampled_from(LOG_RETENTION_DAYS),
    "instance_type": instance_types(),
    "count": st.integers(0, 20) | st.sampled_from([1, 8, 9, 16, 17, 18, 64, 300]),
    "instances": st.sampled_from([1, 2, 4, 8, 9, 16, 18, 32, 64]),
    "reservation_id": reservation_ids(),
    "arn": _ANYWHERE.flatmap(plan_arns),
    "resource_group_arn": _ANYWHERE.map(
        lambda region: f"arn:aws:resource-groups:{region}:{ACCOUNT}:group/mine"
    ),
    "ami_id": st.sampled_from(["ami-0123456789abcdef0", "ami-12345678"]),
    "root_device": st.sampled_from(["/dev/sda1", "/dev/xvda"]),
    "settings": slurm_settings("cluster") | slurm_settings("queue"),
    "slurm_settings": slurm_settings("group"),
    "accounting_settings": st.just({"PrivateData": "jobs"}),
    "cgroup_settings": st.just({"ConstrainCores": "yes"}),
    "idle_seconds": st.sampled_from([60, 300, 600, 3600]),
    "groups": st.lists(st.sampled_from(["train-0", "train-1", "train"]), max_size=3),
    **_users(),
    "ultraserver": st.sampled_from(sorted(catalog().ultraservers)),
    "start": times(),
    "end": times(),
    "DataReference.profile": st.sampled_from([*built_in_names(), "data.yaml"]),
    "capacity_gib": st.sampled_from([1200, 2400, 4800, 9600, 19200, 38400, 38400, 100800, 201600]),
    "throughput_mbps_per_tib": st.sampled_from(
        sorted({t for kind in catalog().lustre.kinds for t in kind.tiers})
    ),
    "throughput_mbps": st.sampled_from([4000, 8000, 6000, 2000000]),
    "NewHome.throughput_mbps": st.sampled_from([64, 128, 160, 320, 1280, 10240]),
    "size_gib": st.sampled_from([32, 64, 131072, 262144]),
    "NewHome.users": st.sampled_from([1, 5, 20, 50, 200, 1000]),
    "gib_per_user": st.sampled_from([10, 50, 100, 250]),
    "RootSquash.uid": st.sampled_from([65534, 65534, 1, 1000]),
    "RootSquash.gid": st.sampled_from([65534, 65534, 1, 1000]),
    "uid": st.integers(20000, 20040) | st.sampled_from([500, 1000, 65534]),
    "gid": st.integers(30000, 30040) | st.sampled_from([500, 65534]),
    "except_clients": st.lists(st.sampled_from(["10.0.1.6@tcp", "10.0.[2-10].[1-255]@tcp"]), max_size=2),
    "file_system_id": st.sampled_from(FILE_SYSTEMS),
    "security_group_id": st.sampled_from(SECURITY_GROUPS),
    "mount_name": st.sampled_from(["fsx", "abcdefgh"]),
    "subnet_cidr": cidr_blocks(17, 20),
    "key_arn": st.sampled_from(sorted(KEYS.values())),
    "bucket_key_arn": st.sampled_from(sorted(KEYS.values())),
    "bucket_region": _ANYWHERE,
    "bucket_account": st.sampled_from([ACCOUNT, "210987654321"]),
    "NewLustre.name": st.sampled_from(["scratch", "archive", "lustre"]),
    "checkpoint_paths": st.lists(st.sampled_from(["/checkpoints", "/", "/a/b/", "runs"]), max_size=2),
    "Mountpoint.name": st.sampled_from(["datasets", "models"]),
    "Mountpoint.bucket": st.sampled_from(["s3-express", "my-bucket", "data--usw2-az1--x-s3"]),
    "cache_gib": st.sampled_from([0, 0, 100, 500]),
    "metadata_iops": st.sampled_from(sorted(catalog().lustre.allowed_metadata_iops)),
    "mount_path": st.sampled_from(["/fsx", "/shared", "/scratch", "/mnt/fsx", "/home", "/usr", "fsx/"]),
    "path": st.sampled_from(["/datasets", "/checkpoints", "/a", "/a/b", "/"]),
    "partition": st.sampled_from(["gpu", "train", "dev"]),
    "bucket": st.sampled_from(["new", "new", "my-bucket", "our.datasets-2027"]),
    "prefix": st.sampled_from(["", "2027", "a/b"]),
    "emails": st.lists(st.sampled_from(["ml@example.com", "ops@example.com"]), min_size=1, max_size=2),
    "monthly_usd": st.sampled_from([1000, 250_000, 9_000_000, 9_999_999.5]),
    "before_h": st.lists(st.sampled_from([1, 2, 24, 72]), min_size=1, max_size=3),
    "longest_job_h": st.sampled_from([1, 12, 24, 72]),
    "drain_min": st.sampled_from([0, 30, 120]),
    "kubectl_image": st.just("registry.k8s.io/kubectl:v1.35.0"),
    "Reminders.topic_arn": st.just(None),
    "tags": st.dictionaries(
        st.sampled_from(["owner", "cost-centre", "Project", "team:name"]),
        st.sampled_from(["pretraining", "4711", "a/b@example.com", "two words"]),
        max_size=3,
    ),
    "parameters": st.sampled_from([7e9, 70e9, 405e9, 1e12]),
    "bytes_per_parameter": st.sampled_from([2, 14, 16.5]),
    **_models(),
    "RepairOverride.reason": st.sampled_from(["NvidiaXID79Error", "NvidiaXID31Error", "InterfaceNotUp"]),
    "Access.principal": st.sampled_from(
        [
            f"arn:aws:iam::{ACCOUNT}:role/researchers",
            f"arn:aws:iam::{ACCOUNT}:role/team/ops",
            f"arn:aws:iam::{ACCOUNT}:user/ada",
        ]
    ),
    "Access.groups": st.lists(st.sampled_from(["researchers", "on-call"]), max_size=2),
    "Access.namespaces": st.lists(st.sampled_from(["team-a", "team-*"]), max_size=2),
    "PublicEndpoint.cidrs": st.lists(
        st.sampled_from(["203.0.113.0/24", "198.51.100.7/32", "0.0.0.0/0", "10.0.0.0/8"]),
        min_size=1,
        max_size=3,
    ),
    "addon_versions": st.dictionaries(
        st.sampled_from(["coredns", "vpc-cni", "kube-proxy", "core-dns"]),
        st.sampled_from(["v1.14.3-eksbuild.3", "v1.18.3-eksbuild.1", "v1.21.1-eksbuild.7"]),
        max_size=2,
    ),
    "release": st.sampled_from(["1.35.6-20260714", "1.36.2-20260625", "1.58.0-c5c37032"]),
    "Alerts.off": st.lists(_ALERTS, unique=True, max_size=4),
    "Alerts.thresholds": st.dictionaries(
        st.sampled_from(
            ["LustreTargetFull", "CheckpointOld", "IdleGpus", "DiskFull", "NodeLost", "NoSuchAlert"]
        ),
        st.sampled_from([80, 0, 1e-9, -1, 85.5, 1e300, 1234.5678]),
        max_size=3,
    ),
    "Repair.actions": st.dictionaries(
        _CONDITIONS, st.sampled_from(["none", "report", "reboot", "replace"]), max_size=4
    ),
    "ImageRepository.name": st.sampled_from(["train", "team/eval", "serve"]),
    "ImageRepository.existing": st.sampled_from(["platform/train", "old/train"]),
    "ImageCache.prefix": st.sampled_from(["mine/quay", "docker-hub", "k8s"]),
    "moving_tags": st.lists(st.sampled_from(["latest", "dev-*"]), max_size=2),
    "code": st.sampled_from(sorted(CODES)),
    "reason": st.sampled_from(REASONS),
}
"""Values by key, or by `Model.key` if the meaning of a key depends on the model."""
