"""Every kind of Lustre file system that the rules accept is what FSx then has, changes in place and stays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from config.catalog import catalog
from config.design.storage.lustre import LustrePlan
from scripts.cloud.local import local_cloud
from tests.cloud.sandbox import REGION, Sandbox
from tests.storage.deploy.matrix import BUCKET, FACTORS, FRAMING, lustre_of, matrix
from tests.storage.deploy.pairwise import Row, Sample, pairs_of

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

NEUTRAL = {name: values[0] for name, values in FACTORS.items()}
FILE_SYSTEM = "AWS::FSx::FileSystem"


def row(**values: str) -> Row:
    return {**NEUTRAL, **values}


# one of each kind; every pair in `make test-all`
QUICK = {
    "scratch-2 on ssd": row(links="by-task", logs="disabled"),
    "persistent-1 on ssd": row(deployment="persistent-1", throughput="100", backups="daily", size="step"),
    "persistent-1 on hdd": row(
        deployment="persistent-1", storage="hdd", throughput="12", cache="drive", links="existing-bucket"
    ),
    "persistent-2 on ssd": row(
        deployment="persistent-2", throughput="500", efa="true", links="whole", root_squash="squashed"
    ),
    "persistent-2 on intelligent-tiering": row(
        deployment="persistent-2",
        storage="intelligent-tiering",
        throughput="mbps",
        cache="user-provisioned",
        efa="true",
        metadata="stated",
        key="stated",
    ),
}


@pytest.mark.parametrize(
    "kind",
    [
        kind.name if kind.efa else pytest.param(kind.name, marks=pytest.mark.long)
        for kind in catalog().lustre.kinds
    ],
)
def test_a_file_system_of_each_kind_lives_a_whole_life(kind: str, tmp_path: Path) -> None:
    live(QUICK[kind], tmp_path)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Sample:
    return matrix(tmp_path_factory.mktemp("matrix")).sample()


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_every_pair_of_settings_that_the_rules_accept_deploys_changes_in_place_and_stays(
    sample: Sample, tmp_path: Path, subtests: pytest.Subtests, record_property: Any
) -> None:
    assert {pair for row in sample.rows for pair in pairs_of(row)} >= sample.covered
    for name, values in FACTORS.items():
        assert {row[name] for row in sample.rows} == set(values)
    for name, count in (("deployments", len(sample.rows)), ("pairs", len(sample.covered))):
        record_property(name, count)
    for number, row in enumerate(sample.rows):
        reported = {name: value for name, value in row.items() if value != NEUTRAL[name]}
        with subtests.test(number=number, row=json.dumps(reported)):
            live(row, tmp_path / str(number))


# beside the kinds and what frames them: the value, and all that it is not accepted with
REFUSED = {
    ("backups", "daily"): {
        "links": set(FACTORS["links"]) - {"none"},
        "root_squash": {"squashed"},
        "deployment": {"scratch-2"},
        "throughput": {"none"},
    },
    ("key", "stated"): {"deployment": {"scratch-2"}, "throughput": {"none"}},
    ("version", "2.12"): {
        "efa": {"true"},
        "metadata": {"stated"},
        "storage": {"intelligent-tiering"},
        "throughput": {"mbps"},
        "cache": {"proportional", "user-provisioned", "none"},
    },
}


@pytest.mark.long
def test_the_sample_leaves_out_only_pairs_that_the_service_refuses(sample: Sample) -> None:
    refused = sample.refused
    for setting, beside in REFUSED.items():
        found: dict[str, set[str]] = {}
        for name, value in (next(iter(pair - {setting})) for pair in refused if setting in pair):
            found.setdefault(name, set()).add(value)
        assert found == beside, setting
    free = {"compression", "logs", "size"}
    assert not [pair for pair in refused if free & {name for name, _ in pair}]
    assert sum({name for name, _ in pair} <= set(FRAMING) for pair in refused) > len(FRAMING)


def live(row: Row, folder: Path) -> None:
    """Deploy a row, look at it, grow it, change its compression, and delete its stack."""
    folder.mkdir(exist_ok=True)
    with local_cloud() as cloud:
        sandbox = Sandbox(cloud, folder)
        place = {"CreateBucketConfiguration": {"LocationConstraint": REGION}}
        sandbox.client("s3").create_bucket(Bucket=BUCKET, **place)
        key_arn = sandbox.client("kms").create_key()["KeyMetadata"]["Arn"]
        compression = "none" if row["compression"] == "lz4" else "lz4"
        states = [
            lustre_of(row, key_arn=key_arn),
            lustre_of(row, key_arn=key_arn, grown=True),
            lustre_of(row, key_arn=key_arn, grown=True) | {"compression": compression},
        ]
        seen: set[tuple[str, ...]] = set()
        for lustre in states:
            seen.add(deployed_as_designed(sandbox, lustre))
        assert len(seen) == 1  # nothing was made anew
        stays(sandbox, *seen.pop())


def deployed_as_designed(sandbox: Sandbox, lustre: Mapping[str, Any]) -> tuple[str, ...]:
    """Deploy the file system, compare it with its design; gives what it is known by."""
    empty = {"capacity_gib": None, "throughput_mbps_per_tib": None}
    profile = {"extends": "p6-b200-data", "name": "sample", "storage": {"lustre": {**empty, **lustre}}}
    plan = sandbox.load(profile).design.lustre  # type: ignore[union-attr]  # load has a design
    assert plan is not None
    sandbox.deploy(profile)
    (system_id,) = sandbox.ids("sample", FILE_SYSTEM).values()
    (system,) = sandbox.client("fsx").describe_file_systems(FileSystemIds=[system_id])["FileSystems"]
    assert reported(system) == wanted(plan)
    assert_key(sandbox, plan, system)
    links = assert_links(sandbox, plan, system_id)
    assert_tasks(sandbox, plan, system_id)
    logs = system["LustreConfiguration"]["LogConfiguration"]
    assert ("Destination" in logs) is (plan.settings is not None and plan.settings.logs != "disabled")
    return (system_id, system["DNSName"], system["LustreConfiguration"]["MountName"], *links)


def reported(system: Mapping[str, Any]) -> dict[str, Any]:
    """A file system as FSx describes it."""
    lustre = system["LustreConfiguration"]
    squash = lustre.get("RootSquashConfiguration", {})
    names = (
        "DeploymentType", "PerUnitStorageThroughput", "ThroughputCapacity", "DriveCacheType",
        "DataReadCacheConfiguration", "DataCompressionType", "MetadataConfiguration",
        "AutomaticBackupRetentionDays", "DailyAutomaticBackupStartTime", "CopyTagsToBackups",
        "WeeklyMaintenanceStartTime",
    )  # fmt: skip
    return {
        "StorageCapacity": system.get("StorageCapacity") or None,
        "StorageType": system["StorageType"],
        "FileSystemTypeVersion": system["FileSystemTypeVersion"],
        "EfaEnabled": lustre.get("EfaEnabled", False),
        "LogLevel": lustre["LogConfiguration"]["Level"],
        "RootSquash": (squash.get("RootSquash"), *squash.get("NoSquashNids", [])),
        **{name: lustre[name] for name in names if name in lustre},
    }


def wanted(plan: LustrePlan) -> dict[str, Any]:
    """The same of its design."""
    settings, kind = plan.settings, plan.kind
    assert settings is not None
    expected: dict[str, Any] = {
        "StorageCapacity": plan.capacity_gib,
        "StorageType": constant(kind.storage),
        "FileSystemTypeVersion": plan.version,
        "EfaEnabled": plan.efa,
        "DeploymentType": constant(kind.deployment),
        "DataCompressionType": constant(settings.compression),
        "WeeklyMaintenanceStartTime": settings.weekly_maintenance_start,
        "LogLevel": constant(settings.logs),
        "RootSquash": (None,),
    }
    if settings.root_squash:
        squash = settings.root_squash
        expected["RootSquash"] = (f"{squash.uid}:{squash.gid}", *squash.except_clients)
    if kind.states_tier:
        expected["PerUnitStorageThroughput"] = plan.throughput_mbps_per_tib
    if plan.elastic:
        expected["ThroughputCapacity"] = plan.throughput_mbps
    if settings.drive_cache is not None:
        expected["DriveCacheType"] = "READ" if settings.drive_cache else "NONE"
    if settings.read_cache:
        sizing = {"none": "NO_CACHE", "proportional": "PROPORTIONAL_TO_THROUGHPUT_CAPACITY"}
        cache: dict[str, Any] = {"SizingMode": sizing.get(settings.read_cache.sizing, "USER_PROVISIONED")}
        size = settings.read_cache.size_gib
        expected["DataReadCacheConfiguration"] = cache | ({"SizeGiB": size} if size else {})
    if plan.metadata_iops is not None:
        automatic = {"Mode": "AUTOMATIC"}
        declared = {"Mode": "USER_PROVISIONED", "Iops": plan.metadata_iops}
        expected["MetadataConfiguration"] = automatic if plan.metadata_automatic else declared
    if settings.backups:
        expected["AutomaticBackupRetentionDays"] = settings.backups.retention_days
        expected["DailyAutomaticBackupStartTime"] = settings.backups.daily_start
        assert settings.backups.copy_tags
        expected["CopyTagsToBackups"] = True
    return expected


def constant(word: str) -> str:
    return word.replace("-", "_").upper()


def assert_key(sandbox: Sandbox, plan: LustrePlan, system: Mapping[str, Any]) -> None:
    """The key that the profile states, else the stack's own, else (scratch) none."""
    assert plan.settings is not None
    own = list(sandbox.ids("sample", "AWS::KMS::Key").values())
    if not plan.kind.kms_key:
        assert "KmsKeyId" not in system
    elif plan.settings.key_arn:
        assert system["KmsKeyId"] == plan.settings.key_arn
    else:
        assert system["KmsKeyId"].rpartition("/")[2] == own[0]
    assert (not own) is (
        (plan.settings.key_arn is not None or not plan.kind.kms_key)
        and all(link.bucket for link in plan.repositories)
    )


def assert_links(sandbox: Sandbox, plan: LustrePlan, system_id: str) -> list[str]:
    """The links to S3, with their events; gives their ids."""
    filters = [{"Name": "file-system-id", "Values": [system_id]}]
    found = sandbox.client("fsx").describe_data_repository_associations(Filters=filters)["Associations"]
    by_path = {link["FileSystemPath"]: link for link in found}
    assert set(by_path) == {repository.path for repository in plan.repositories}
    made = set(sandbox.ids("sample", "AWS::S3::Bucket").values())
    for repository in plan.repositories:
        link = by_path[repository.path]
        bucket, _, prefix = link["DataRepositoryPath"].removeprefix("s3://").partition("/")
        assert (bucket in made) if repository.bucket is None else (bucket == repository.bucket)
        assert prefix == repository.prefix
        assert link["ImportedFileChunkSize"] == repository.imported_chunk_mib
        assert link.get("BatchImportMetaDataOnCreate", False) is repository.import_metadata_on_create
        policies = link.get("S3", {})
        assert events(policies, "AutoImportPolicy") == upper(repository.import_events)
        assert events(policies, "AutoExportPolicy") == upper(repository.export_events)
    return sorted(link["AssociationId"] for link in found)


def assert_tasks(sandbox: Sandbox, plan: LustrePlan, system_id: str) -> None:
    """One import of the metadata of all buckets that are listed by a task, started once."""
    tasks = sandbox.client("fsx").describe_data_repository_tasks()["DataRepositoryTasks"]
    by_task = [repository for repository in plan.repositories if repository.import_by_task]
    found = [(task["FileSystemId"], task["Type"], len(task["Paths"])) for task in tasks]
    kind = "IMPORT_METADATA_FROM_REPOSITORY"
    assert found == ([(system_id, kind, len(by_task))] if by_task else [])


def events(policies: Mapping[str, Any], name: str) -> list[str]:
    return sorted(policies.get(name, {}).get("Events", []))


def upper(texts: tuple[str, ...]) -> list[str]:
    return sorted(text.upper() for text in texts)


def stays(sandbox: Sandbox, system_id: str, *_: str) -> None:
    """After the deletion of its stack, the file system, its buckets and its key are there; links are not."""
    buckets = list(sandbox.ids("sample", "AWS::S3::Bucket").values())
    keys = sandbox.ids("sample", "AWS::KMS::Key").values()
    s3, fsx, kms = (sandbox.client(name) for name in ("s3", "fsx", "kms"))
    for bucket in buckets:
        s3.put_object(Bucket=bucket, Key="checkpoint", Body=b"weights")
    sandbox.delete("sample")
    assert [s["FileSystemId"] for s in fsx.describe_file_systems()["FileSystems"]] == [system_id]
    assert fsx.describe_data_repository_associations()["Associations"] == []
    for bucket in buckets:
        assert s3.get_object(Bucket=bucket, Key="checkpoint")["Body"].read() == b"weights"
    for key in keys:
        assert kms.describe_key(KeyId=key)["KeyMetadata"]["KeyState"] == "Enabled"
