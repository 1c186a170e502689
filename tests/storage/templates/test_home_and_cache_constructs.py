"""OpenZFS file systems for home directories, and directory buckets."""

from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack
from constructs import Construct

from tests.stack.library import library_set
from tests.stack.library.support import Synthesized, depends_on, lint_findings, synthesize
from ultracluster.retention import Retention
from ultracluster.storage import (
    DirectoryBucket,
    DirectoryBucketProps,
    OpenZfsFileSystem,
    OpenZfsFileSystemProps,
)

pytestmark = pytest.mark.synth

PLAIN = OpenZfsFileSystemProps(
    name="plain",
    vpc_id="vpc-0123456789abcdef0",
    subnet_ids=["subnet-0123456789abcdef0"],
    client_security_group_id="sg-0123456789abcdef0",
    capacity_gib=64,
    throughput_mbps=64,
    deployment_type="SINGLE_AZ_1",
    weekly_maintenance_start_time="7:03:00",
    backup_retention_days=0,
    retention=Retention.DISPOSABLE,
)
BUCKET = DirectoryBucketProps(
    name="cache", zone_id="use1-az4", retention=Retention.RETAIN, base_name="demo-cache"
)
PORTS = {(protocol, *ports) for protocol in ("tcp", "udp") for ports in ((111,) * 2, (2049,) * 2)} | {
    (protocol, 20001, 20003) for protocol in ("tcp", "udp")
}


@pytest.fixture(scope="module")
def home() -> Synthesized:
    def build(stack: Stack) -> None:
        network, nodes = library_set.add_network(Construct(stack, "Network"), Retention.RETAIN)
        props = library_set.home_props(network, nodes, Retention.RETAIN)
        OpenZfsFileSystem(Construct(stack, "Storage"), "home", props)

    return synthesize(build)


@pytest.fixture(scope="module")
def plain() -> Synthesized:
    def build(stack: Stack) -> None:
        OpenZfsFileSystem(stack, "plain", PLAIN)
        across = replace(
            PLAIN,
            deployment_type="MULTI_AZ_1",
            throughput_mbps=160,
            subnet_ids=["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
            route_table_ids=["rtb-0123456789abcdef0"],
            client_cidrs=["10.1.0.0/16", "10.0.0.0/16"],
        )
        OpenZfsFileSystem(stack, "across", across)
        key = "arn:aws:kms:us-east-1:123456789012:key/00000000-0000-0000-0000-000000000000"
        DirectoryBucket(stack, "bucket", replace(BUCKET, key_arn=key, expiration_days=30))
        DirectoryBucket(stack, "local", replace(BUCKET, zone_id="usw2-lax1-az1", base_name=None))

    return synthesize(build)


@pytest.mark.long
def test_templates_lint_clean(plain: Synthesized) -> None:
    assert lint_findings(plain.template) == []


def _ports(rules: list[dict[str, Any]]) -> set[tuple[str, int, int]]:
    return {(rule["IpProtocol"], rule["FromPort"], rule["ToPort"]) for rule in rules}


def test_the_ports_of_nfs_are_open_between_clients_and_file_system(home: Synthesized) -> None:
    group = home.properties("AWS::EC2::SecurityGroup", "home")
    assert _ports(group["SecurityGroupIngress"]) == _ports(group["SecurityGroupEgress"]) == PORTS
    rules = [rule["Properties"] for rule in _client_rules(home).values()]
    assert _ports(rules) == PORTS
    nodes, _ = home.named("AWS::EC2::SecurityGroup", "nodes")
    assert {rule["GroupId"]["Fn::GetAtt"][0] for rule in rules} == {nodes}


def _client_rules(home: Synthesized) -> dict[str, dict[str, Any]]:
    rules = home.of_type("AWS::EC2::SecurityGroupEgress")
    return {key: value for key, value in rules.items() if "homeClient" in key}


def test_the_file_system_comes_after_every_rule(home: Synthesized) -> None:
    _, file_system = home.named("AWS::FSx::FileSystem")
    own = [key for key in home.of_type("AWS::EC2::SecurityGroupEgress") if "nodes" in key]
    own += [key for key in home.of_type("AWS::EC2::SecurityGroupIngress") if "nodes" in key]
    assert sorted(depends_on(file_system)) == sorted([*_client_rules(home), *own])


def test_what_changes_stands_on_a_volume_and_the_root_volume_stays_as_it_is(home: Synthesized) -> None:
    logical_id, file_system = home.named("AWS::FSx::FileSystem")
    root = file_system["Properties"]["OpenZFSConfiguration"]["RootVolumeConfiguration"]
    assert "UserAndGroupQuotas" not in root
    assert root["NfsExports"] == [{"ClientConfigurations": [{"Clients": "*", "Options": ["ro", "crossmnt"]}]}]
    volume = home.properties("AWS::FSx::Volume")
    assert volume["Name"] == "home"
    settings = volume["OpenZFSConfiguration"]
    assert settings["ParentVolumeId"] == {"Fn::GetAtt": [logical_id, "RootVolumeId"]}
    assert settings["UserAndGroupQuotas"] == [
        {"Type": "USER", "Id": 1001, "StorageCapacityQuotaGiB": 100},
        {"Type": "USER", "Id": 1002, "StorageCapacityQuotaGiB": 50},
    ]
    (export,) = settings["NfsExports"][0]["ClientConfigurations"]
    assert export == {"Clients": "*", "Options": ["rw", "crossmnt", "sync", "no_root_squash"]}


def test_backups_are_rendered_with_their_time_and_tags(home: Synthesized, plain: Synthesized) -> None:
    configuration = home.properties("AWS::FSx::FileSystem")["OpenZFSConfiguration"]
    assert configuration["AutomaticBackupRetentionDays"] == 7
    assert configuration["DailyAutomaticBackupStartTime"] == "02:00"
    assert configuration["CopyTagsToBackups"] is True
    assert "Options" not in configuration  # what is kept deletes nothing along
    without = plain.properties("AWS::FSx::FileSystem", "plain")["OpenZFSConfiguration"]
    assert without["AutomaticBackupRetentionDays"] == 0  # FSx would keep them 30 days
    assert without["Options"] == ["DELETE_CHILD_VOLUMES_AND_SNAPSHOTS"]


def test_without_a_volume_clients_mount_the_root_volume(plain: Synthesized) -> None:
    assert plain.of_type("AWS::FSx::Volume") == {}
    stack = Stack()
    assert OpenZfsFileSystem(stack, "root", PLAIN).mount_path == "/fsx"
    named = OpenZfsFileSystem(stack, "named", replace(PLAIN, volume_name="home"))
    assert named.mount_path == "/fsx/home"
    assert len(named.mount_ready) == len(PORTS) + 1


def test_a_file_system_across_zones_prefers_the_first_subnet(plain: Synthesized) -> None:
    across = plain.properties("AWS::FSx::FileSystem", "across")
    configuration = across["OpenZFSConfiguration"]
    assert configuration["PreferredSubnetId"] == across["SubnetIds"][0]
    assert configuration["RouteTableIds"] == ["rtb-0123456789abcdef0"]
    (export,) = configuration["RootVolumeConfiguration"]["NfsExports"]
    clients = [client["Clients"] for client in export["ClientConfigurations"]]
    assert clients == ["10.0.0.0/16", "10.1.0.0/16"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"deployment_type": "MULTI_AZ_1"}, "1 subnet_ids with 'MULTI_AZ_1': set 2"),
        ({"subnet_ids": ["subnet-1", "subnet-2"]}, "2 subnet_ids with 'SINGLE_AZ_1': set 1"),
        ({"user_quotas_gib": {1001: 100}}, "set a volume_name"),
        ({"backup_start_time": "02:00"}, "remove it, because backups are off"),
        ({"route_table_ids": ["rtb-1"]}, "only 'MULTI_AZ_1' supports them"),
    ],
)
def test_contradicting_file_system_props_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OpenZfsFileSystem(Stack(), "home", replace(PLAIN, **changes))


def test_a_directory_bucket_is_named_after_account_and_zone(plain: Synthesized) -> None:
    bucket = plain.properties("AWS::S3Express::DirectoryBucket", "bucket")
    assert bucket["BucketName"] == {"Fn::Sub": "demo-cache-${AWS::AccountId}--use1-az4--x-s3"}
    assert (bucket["LocationName"], bucket["DataRedundancy"]) == ("use1-az4", "SingleAvailabilityZone")
    local = plain.properties("AWS::S3Express::DirectoryBucket", "local")
    assert (local["LocationName"], local["DataRedundancy"]) == ("usw2-lax1-az1", "SingleLocalZone")
    assert "BucketName" not in local


def test_a_directory_bucket_cleans_up_and_its_lifecycle_may(plain: Synthesized) -> None:
    logical_id, bucket = plain.named("AWS::S3Express::DirectoryBucket", "bucket")
    (rule,) = bucket["Properties"]["LifecycleConfiguration"]["Rules"]
    assert rule["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 7}
    assert rule["ExpirationInDays"] == 30
    (forever,) = plain.properties("AWS::S3Express::DirectoryBucket", "local")["LifecycleConfiguration"][
        "Rules"
    ]
    assert "ExpirationInDays" not in forever
    tls, lifecycle = plain.properties("AWS::S3Express::BucketPolicy", "bucket")["PolicyDocument"]["Statement"]
    assert (tls["Effect"], tls["Condition"]) == ("Deny", {"Bool": {"aws:SecureTransport": "false"}})
    assert lifecycle["Principal"] == {"Service": "lifecycle.s3.amazonaws.com"}
    assert lifecycle["Resource"] == {"Fn::GetAtt": [logical_id, "Arn"]}


def test_a_directory_bucket_uses_the_key_it_is_given(plain: Synthesized) -> None:
    def rule(part: str) -> dict[str, Any]:
        encryption = plain.properties("AWS::S3Express::DirectoryBucket", part)["BucketEncryption"]
        (found,) = encryption["ServerSideEncryptionConfiguration"]
        return dict(found)

    assert rule("bucket")["ServerSideEncryptionByDefault"]["SSEAlgorithm"] == "aws:kms"
    assert rule("bucket")["BucketKeyEnabled"] is True
    assert rule("local") == {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}


@pytest.mark.parametrize(
    ("base", "message"),
    [
        ("Cache", "use lowercase letters"),
        ("cache-", "use lowercase letters"),
        ("c" * 36, "allows at most 34"),
    ],
)
def test_a_name_that_s3_refuses_is_refused(base: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DirectoryBucket(Stack(), "cache", replace(BUCKET, base_name=base))
