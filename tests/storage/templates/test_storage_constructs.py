"""Keys, buckets and Lustre file systems."""

from dataclasses import replace
from typing import Any

import pytest
from aws_cdk import Stack
from constructs import Construct

from tests.stack.library import library_set
from tests.stack.library.support import Synthesized, depends_on, lint_findings, synthesize
from ultracluster.retention import Retention
from ultracluster.storage import (
    DailyBackups,
    DataBucket,
    DataBucketProps,
    DataRepository,
    LustreFileSystem,
    LustreFileSystemProps,
    StorageKey,
    StorageKeyProps,
)

pytestmark = pytest.mark.synth

TCP_PORTS = {("tcp", 988, 988), ("tcp", 1018, 1023)}
PLAIN = LustreFileSystemProps(
    name="plain",
    vpc_id="vpc-0123456789abcdef0",
    subnet_id="subnet-0123456789abcdef0",
    client_security_group_id="sg-0123456789abcdef0",
    storage_capacity_gib=2400,
    throughput_mbps_per_tib=125,
    efa_enabled=False,
    weekly_maintenance_start_time="7:03:00",
    log_retention_days=30,
    retention=Retention.RETAIN,
    metadata_mode="USER_PROVISIONED",
    metadata_iops=6000,
    backups=DailyBackups(retention_days=7, start_time="05:00"),
)
REPOSITORY = DataRepository(name="data", file_system_path="/data", data_repository_path="s3://bucket/data")


@pytest.fixture(scope="module")
def storage() -> Synthesized:
    def build(stack: Stack) -> None:
        network, nodes = library_set.add_network(Construct(stack, "Network"), Retention.RETAIN)
        library_set.add_storage(Construct(stack, "Storage"), network, nodes, Retention.RETAIN)

    return synthesize(build)


@pytest.fixture(scope="module")
def plain() -> Synthesized:
    def build(stack: Stack) -> None:
        LustreFileSystem(stack, "lustre", PLAIN)
        LustreFileSystem(stack, "silent", replace(PLAIN, name="silent", log_level="DISABLED"))
        StorageKey(
            stack,
            "logs",
            StorageKeyProps(
                alias="demo/logs",
                description="Logs",
                retention=Retention.DISPOSABLE,
                log_group_name_prefix="/ultracluster/demo/",
            ),
        )
        DataBucket(
            stack,
            "plain",
            DataBucketProps(
                name="plain",
                noncurrent_version_expiration_days=7,
                access_log_bucket_name="logs",
                retention=Retention.DISPOSABLE,
            ),
        )

    return synthesize(build)


@pytest.mark.long
def test_templates_lint_clean(plain: Synthesized) -> None:
    assert lint_findings(plain.template) == []


def test_storage_18_file_system_comes_after_every_rule(storage: Synthesized) -> None:
    rules = [
        key for key, value in storage.resources.items() if value["Type"].startswith("AWS::EC2::SecurityGroup")
    ]
    rules = [key for key in rules if storage.resources[key]["Type"] != "AWS::EC2::SecurityGroup"]
    assert len(rules) == 6  # the clients' two, the file system's two, and two between them
    assert sorted(depends_on(storage.named("AWS::FSx::FileSystem")[1])) == sorted(rules)


def test_storage_18_plain_file_system_comes_after_every_rule(plain: Synthesized) -> None:
    _, file_system = plain.named("AWS::FSx::FileSystem", "lustre")
    assert len(depends_on(file_system)) == 8


def test_efa_rules_name_groups_and_allow_everything(storage: Synthesized) -> None:
    own_id, own = storage.named("AWS::EC2::SecurityGroup", "Storage")
    nodes_id, _ = storage.named("AWS::EC2::SecurityGroup", "nodes")
    own_group, nodes = ({"Fn::GetAtt": [key, "GroupId"]} for key in (own_id, nodes_id))
    allowed = {(_key(nodes), "in"), (_key(nodes), "out")} if _inline_peers(own) == [nodes, nodes] else set()
    for way, peer_key, name in (("in", "Source", "Ingress"), ("out", "Destination", "Egress")):
        for rule in storage.of_type(f"AWS::EC2::SecurityGroup{name}").values():
            properties = rule["Properties"]
            assert properties["IpProtocol"] == "-1"
            if properties["GroupId"] == own_group:
                allowed.add((_key(properties[f"{peer_key}SecurityGroupId"]), way))
            if properties["GroupId"] == nodes:
                allowed.add((f"client-{_key(properties[f'{peer_key}SecurityGroupId'])}", way))
    assert allowed == {
        (peer, way)
        for peer in (own_id, nodes_id, f"client-{own_id}", f"client-{nodes_id}")
        for way in ("in", "out")
    }


def _key(group_id: dict[str, list[str]]) -> str:
    return group_id["Fn::GetAtt"][0]


def _inline_peers(group: dict[str, Any]) -> list[Any]:
    (ingress,) = group["Properties"]["SecurityGroupIngress"]
    (egress,) = group["Properties"]["SecurityGroupEgress"]
    return [ingress["SourceSecurityGroupId"], egress["DestinationSecurityGroupId"]]


def test_plain_file_system_opens_lustres_ports_only(plain: Synthesized) -> None:
    def ports(rules: list[dict[str, Any]]) -> set[tuple[str, int, int]]:
        return {(rule["IpProtocol"], rule["FromPort"], rule["ToPort"]) for rule in rules}

    group = plain.properties("AWS::EC2::SecurityGroup", "lustre")
    assert ports(group["SecurityGroupIngress"]) == ports(group["SecurityGroupEgress"]) == TCP_PORTS
    for name in ("Ingress", "Egress"):
        for part in ("lustreSelf", "lustreClient"):
            rules = [
                rule["Properties"]
                for key, rule in plain.of_type(f"AWS::EC2::SecurityGroup{name}").items()
                if part in key
            ]
            assert ports(rules) == TCP_PORTS


def test_storage_09_11_a_linked_file_system_has_no_backup_or_legacy_properties(storage: Synthesized) -> None:
    configuration = storage.properties("AWS::FSx::FileSystem")["LustreConfiguration"]
    assert not [key for key in configuration if "Backup" in key or "Import" in key or "Export" in key]


def test_backups_without_repositories_are_rendered(plain: Synthesized) -> None:
    configuration = plain.properties("AWS::FSx::FileSystem", "lustre")["LustreConfiguration"]
    assert configuration["AutomaticBackupRetentionDays"] == 7


def test_storage_12_14_file_system_has_metadata_configuration_and_version_2_15(
    storage: Synthesized, plain: Synthesized
) -> None:
    file_system = storage.properties("AWS::FSx::FileSystem")
    assert file_system["FileSystemTypeVersion"] == "2.15"
    configuration = file_system["LustreConfiguration"]
    assert configuration["DeploymentType"] == "PERSISTENT_2"
    assert configuration["EfaEnabled"] is True
    assert configuration["MetadataConfiguration"] == {"Mode": "AUTOMATIC"}
    provisioned = plain.properties("AWS::FSx::FileSystem", "lustre")["LustreConfiguration"]
    assert provisioned["MetadataConfiguration"] == {"Mode": "USER_PROVISIONED", "Iops": 6000}


def test_storage_04_repositories_are_chained_and_those_that_export_come_first(storage: Synthesized) -> None:
    # nodes wait for the links that carry what they write, and for no other
    first_id, first = storage.named("AWS::FSx::DataRepositoryAssociation", "checkpoints")
    _, second = storage.named("AWS::FSx::DataRepositoryAssociation", "datasets")
    assert depends_on(first) == []
    assert depends_on(second) == [first_id]


def test_repositories_import_and_export_what_is_asked(storage: Synthesized) -> None:
    events = {"Events": ["CHANGED", "DELETED", "NEW"]}
    imported = storage.properties("AWS::FSx::DataRepositoryAssociation", "datasets")
    exported = storage.properties("AWS::FSx::DataRepositoryAssociation", "checkpoints")
    assert imported["S3"] == {"AutoImportPolicy": events}
    assert exported["S3"] == {"AutoExportPolicy": events}
    assert imported["BatchImportMetaDataOnCreate"] is False  # STORAGE-17


def test_log_destination_is_the_group_without_its_streams(storage: Synthesized, plain: Synthesized) -> None:
    configuration = storage.properties("AWS::FSx::FileSystem")["LustreConfiguration"]["LogConfiguration"]
    text, names = configuration["Destination"]["Fn::Sub"]
    assert text.endswith(":log-group:${LogGroup}")
    group = storage.resources[names["LogGroup"]["Ref"]]["Properties"]
    assert group["LogGroupName"].startswith("/aws/fsx/")
    silent = plain.properties("AWS::FSx::FileSystem", "silent")["LustreConfiguration"]["LogConfiguration"]
    assert silent == {"Level": "DISABLED"}


def test_linked_buckets_have_no_notifications_and_only_safe_expirations(storage: Synthesized) -> None:
    bucket = storage.properties("AWS::S3::Bucket", "datasets")
    assert "NotificationConfiguration" not in bucket
    (rule,) = bucket["LifecycleConfiguration"]["Rules"]
    assert rule["NoncurrentVersionExpiration"] == {"NoncurrentDays": 30}
    assert rule["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 7}
    assert not rule.keys() & {"ExpirationInDays", "ExpirationDate", "Transition", "Transitions"}


def test_buckets_are_private_named_by_cloudformation_and_tls_only(storage: Synthesized) -> None:
    buckets = storage.of_type("AWS::S3::Bucket")
    assert len(buckets) == 3
    for logical_id, bucket in buckets.items():
        assert set(bucket["Properties"]["PublicAccessBlockConfiguration"].values()) == {True}
        assert "BucketName" not in bucket["Properties"]
        (policy,) = [
            policy["Properties"]["PolicyDocument"]["Statement"]
            for policy in storage.of_type("AWS::S3::BucketPolicy").values()
            if policy["Properties"]["Bucket"] == {"Ref": logical_id}
        ]
        deny = policy[0]
        assert (deny["Effect"], deny["Condition"]) == ("Deny", {"Bool": {"aws:SecureTransport": "false"}})


def test_data_buckets_use_the_key_with_bucket_keys_and_log_buckets_s3s_own(storage: Synthesized) -> None:
    def rule(part: str) -> dict[str, Any]:
        encryption = storage.properties("AWS::S3::Bucket", part)["BucketEncryption"]
        (found,) = encryption["ServerSideEncryptionConfiguration"]
        return dict(found)

    assert rule("datasets")["BucketKeyEnabled"] is True
    assert rule("datasets")["ServerSideEncryptionByDefault"]["SSEAlgorithm"] == "aws:kms"
    assert rule("accesslogs") == {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}


def test_key_lets_fsx_in_through_s3_of_this_account_only(storage: Synthesized) -> None:
    (statement,) = [
        statement
        for statement in storage.properties("AWS::KMS::Key")["KeyPolicy"]["Statement"]
        if statement["Sid"] == "FsxDataRepositories"
    ]
    assert statement["Condition"]["StringEquals"] == {
        "kms:CallerAccount": {"Ref": "AWS::AccountId"},
        "kms:ViaService": {"Fn::Sub": "s3.${AWS::Region}.amazonaws.com"},
    }
    (principal,) = statement["Condition"]["ArnLike"].values()
    assert "role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/*" in principal["Fn::Sub"]


def test_key_for_logs_is_limited_to_the_prefix(plain: Synthesized) -> None:
    key = plain.properties("AWS::KMS::Key")
    assert [statement["Sid"] for statement in key["KeyPolicy"]["Statement"]] == ["Account", "LogGroups"]
    (context,) = key["KeyPolicy"]["Statement"][1]["Condition"]["ArnLike"].values()
    assert context["Fn::Sub"].endswith(":log-group:/ultracluster/demo/*")
    assert key["EnableKeyRotation"] is True


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"metadata_iops": None}, "set metadata_iops with 'USER_PROVISIONED'"),
        ({"metadata_mode": "AUTOMATIC"}, "and otherwise not"),
        ({"data_repositories": [REPOSITORY]}, "backups for 7 days"),
        (
            {"backups": None, "data_repositories": [REPOSITORY, REPOSITORY]},
            "not unique",
        ),
    ],
)
def test_contradicting_file_system_props_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LustreFileSystem(Stack(), "lustre", replace(PLAIN, **changes))
