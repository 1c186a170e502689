"""A Lambda function for operations on Lustre file systems that CloudFormation does not support."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from constructs import Construct, IDependable

from ultracluster.cfn import (
    Tagged,
    add_log_group,
    add_resource,
    add_service_role,
    attribute,
    statement,
    sub,
    tag_list,
)

_CODE = Path(__file__).with_name("lustre_operations_handler.py")
_RUNTIME = "python3.14"
#: Maximum timeout of Lambda. The function reserves some seconds of it to answer.
_TIMEOUT_S = 900
#: Time after which CloudFormation stops waiting for a function that does not answer; the default is an hour.
_SERVICE_TIMEOUT_S = 960
_LARGEST_ID = 4294967294
_MOST_NIDS = 64
_MOST_PATHS = 100
# pattern from
# https://docs.aws.amazon.com/fsx/latest/APIReference/API_LustreRootSquashConfiguration.html
_NID = re.compile(r"([0-9\[\]\-]*\.){3}([0-9\[\]\-]*)@tcp")


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreOperationsProps(Tagged):
    """The function for all Lustre file systems of a stack.

    Attributes:
        name: Part of the log group's name (`/ultracluster/<name>/lustre-operations`).
        file_system_ids: File systems that the function can change.
        log_retention_days: Retention of its log in days.
        log_key_arn: KMS key of the log group. None: a CloudWatch-owned key.
    """

    name: str
    file_system_ids: Sequence[str]
    log_retention_days: int
    log_key_arn: str | None = None


class LustreOperations(Construct):
    """A Lambda function that sets root squash and imports from S3; its role allows only these actions.

    The function is not in the VPC. The function calls the FSx API, answers CloudFormation at a public S3
    address, and does not access data. A closed network therefore needs no endpoint for it. Function, role and
    log group are deleted with the stack; a retained file system does not need them.

    The template contains the code of `lustre_operations_handler.py`, so that reviewers can read it, and no
    bucket is needed. Requests and answers:
    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/crpg-ref.html

    Attributes:
        function_arn: The function, for `RootSquash` and `ImportTask`.
    """

    def __init__(self, scope: Construct, construct_id: str, props: LustreOperationsProps) -> None:
        """Create the function, its role and its log group."""
        super().__init__(scope, construct_id)
        log_group = add_log_group(
            self,
            "LogGroup",
            name=f"/ultracluster/{props.name}/lustre-operations",
            retention_days=props.log_retention_days,
            key_arn=props.log_key_arn,
            tags=props.tags,
        )
        role = add_service_role(
            self,
            "Role",
            service="lambda.amazonaws.com",
            description=f"Sets root squash on, and imports into, the Lustre file systems of {props.name}",
            statements=_statements(props.file_system_ids, attribute(log_group, "Arn")),
            tags=props.tags,
            source_account_condition=False,
        )
        function = add_resource(
            self,
            "Function",
            "AWS::Lambda::Function",
            {
                "Description": f"Root squash and import tasks of the Lustre file systems of {props.name}",
                "Runtime": _RUNTIME,
                "Handler": "index.handler",
                "Code": {"ZipFile": _CODE.read_text(encoding="utf-8")},
                "Timeout": _TIMEOUT_S,
                "MemorySize": 256,
                "Role": attribute(role, "Arn"),
                # not Lambda's default group, which does not expire and is not deleted
                "LoggingConfig": {"LogGroup": log_group.ref},
                "Tags": tag_list(props.tags),
            },
        )
        self.function_arn = attribute(function, "Arn")


@dataclass(frozen=True, slots=True, kw_only=True)
class RootSquashProps:
    """Root squash of a Lustre file system.

    Attributes:
        function_arn: The function of `LustreOperations`.
        file_system_id: The file system. The file system must not have backups, which root squash does not
            support: https://docs.aws.amazon.com/fsx/latest/LustreGuide/root-squash.html
        uid: User ID for root, 1 to 4294967294. 65534 (`nobody`) by default.
        gid: Group ID for root, with the same range and default.
        no_squash_nids: Clients that are exempt: addresses or ranges (`10.0.1.6@tcp`,
            `10.0.[2-10].[1-255]@tcp`), at most 64. None by default.
        keep_on_delete: Whether root squash remains when this resource or its stack is deleted. True by
            default, so that a retained file system does not become less secure. Use False for a file system
            that is deleted with its stack.
        after: Dependencies, such as associations.
    """

    function_arn: str
    file_system_id: str
    uid: int = 65534
    gid: int = 65534
    no_squash_nids: Sequence[str] = ()
    keep_on_delete: bool = True
    after: Sequence[IDependable] = ()


class RootSquash(Construct):
    """Root squash of one file system, active when the resource is complete.

    The resource waits up to 15 minutes for other updates of the file system, and for its own update. With
    `keep_on_delete`, neither a deletion nor the rollback of a deployment turns root squash off. To turn it
    off, run `aws fsx update-file-system --file-system-id ID --lustre-configuration
    'RootSquashConfiguration={RootSquash=0:0}'`. Without `keep_on_delete`, deletion turns root squash off. If
    FSx rejects that, the function logs a warning, and the stack is deleted.

    Attributes:
        resource: The custom resource, for dependencies.
    """

    def __init__(self, scope: Construct, construct_id: str, props: RootSquashProps) -> None:
        """Set root squash; raises ValueError for values that FSx rejects."""
        super().__init__(scope, construct_id)
        _check_root_squash(props)
        properties = {
            "FileSystemId": props.file_system_id,
            "RootSquash": f"{props.uid}:{props.gid}",
            "NoSquashNids": sorted(props.no_squash_nids),
            "KeepOnDelete": props.keep_on_delete,
        }
        self.resource = _add_custom_resource(
            self, "Custom::LustreRootSquash", props.function_arn, properties, props.after
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportTaskProps:
    """The import of metadata into a Lustre file system after its associations exist.

    Attributes:
        function_arn: The function of `LustreOperations`.
        file_system_id: The file system.
        paths: `s3://bucket/prefix` of associated prefixes, at most 100. One task imports all paths, because
            FSx runs one task per file system at a time.
        links: Associations that must be available first.
    """

    function_arn: str
    file_system_id: str
    paths: Sequence[str]
    links: Sequence[IDependable]


class ImportTask(Construct):
    """An import of metadata for large prefixes; the stack starts the import and does not wait (STORAGE-17).

    A path that is added later starts another task. The same paths do not start a second task. The function
    tags its tasks. The function cancels a running task when the task's paths are removed or the stack is
    deleted, because FSx does not delete a file system with a running task. The function does not change other
    tasks. If another task runs for 15 minutes, the maximum duration of a function, the deployment continues
    without the import. The log then contains the command that starts the import manually. Do not add
    dependencies on this resource: nodes start earlier, and files become visible during the import.
    """

    def __init__(self, scope: Construct, construct_id: str, props: ImportTaskProps) -> None:
        """Start the task; raises ValueError if there are no paths, or more paths than one task accepts."""
        super().__init__(scope, construct_id)
        if not 0 < len(props.paths) <= _MOST_PATHS:
            raise ValueError(f"{len(props.paths)} paths: an import task accepts 1 to {_MOST_PATHS}")
        properties = {"FileSystemId": props.file_system_id, "Paths": list(props.paths)}
        _add_custom_resource(self, "Custom::LustreImportTask", props.function_arn, properties, props.links)


def _add_custom_resource(
    scope: Construct,
    resource_type: str,
    function_arn: str,
    properties: Mapping[str, Any],
    after: Sequence[IDependable],
) -> IDependable:
    shared = {"ServiceToken": function_arn, "ServiceTimeout": _SERVICE_TIMEOUT_S}
    return add_resource(scope, "Resource", resource_type, {**shared, **properties}, depends_on=after)


def _statements(file_system_ids: Sequence[str], log_group_arn: str) -> list[dict[str, Any]]:
    """Return the IAM statements of the function.

    Resources of each action:
    https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonfsx.html
    """
    place = "arn:${AWS::Partition}:fsx:${AWS::Region}:${AWS::AccountId}"
    file_systems = [
        {"Fn::Sub": [f"{place}:file-system/${{Id}}", {"Id": file_system_id}]}
        for file_system_id in file_system_ids
    ]
    tasks = sub(f"{place}:task/*")  # FSx generates their IDs
    return [
        statement(["fsx:UpdateFileSystem"], file_systems, sid="RootSquash"),
        statement(["fsx:CreateDataRepositoryTask"], [*file_systems, tasks], sid="StartImport"),
        # IAM requires this action to create a task with tags; by them the function identifies its tasks
        # (https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-tags-fsx.html)
        statement(["fsx:TagResource"], tasks, sid="TagImport"),
        statement(["fsx:CancelDataRepositoryTask"], tasks, sid="CancelImport"),
        statement(["fsx:DescribeDataRepositoryTasks", "fsx:DescribeFileSystems"], "*", sid="Watch"),
        statement(["logs:CreateLogStream", "logs:PutLogEvents"], log_group_arn, sid="Log"),
    ]


def _check_root_squash(props: RootSquashProps) -> None:
    for name, number in (("uid", props.uid), ("gid", props.gid)):
        if not 0 < number <= _LARGEST_ID:
            raise ValueError(f"{name} {number}: the value must be 1 to {_LARGEST_ID}")
    if len(props.no_squash_nids) > _MOST_NIDS:
        raise ValueError(
            f"{len(props.no_squash_nids)} no_squash_nids: FSx accepts at most {_MOST_NIDS}, use ranges"
        )
    bad = sorted(nid for nid in props.no_squash_nids if not _NID.fullmatch(nid))
    if bad:
        raise ValueError(f"no_squash_nids {bad}: write an address or a range, such as '10.0.1.6@tcp'")
