"""What CloudFormation cannot do to a Lustre file system, done by a function of the stack."""

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
#: Lambda's longest, which the function keeps back some seconds of to answer.
_TIMEOUT_S = 900
#: When CloudFormation gives up on a function that could not answer at all, which takes an hour otherwise.
_SERVICE_TIMEOUT_S = 960
_LARGEST_ID = 4294967294
_MOST_NIDS = 64
_MOST_PATHS = 100
# the pattern of
# https://docs.aws.amazon.com/fsx/latest/APIReference/API_LustreRootSquashConfiguration.html
_NID = re.compile(r"([0-9\[\]\-]*\.){3}([0-9\[\]\-]*)@tcp")


@dataclass(frozen=True, slots=True, kw_only=True)
class LustreOperationsProps(Tagged):
    """The function for all of a stack's Lustre file systems.

    Attributes:
        name: Part of the log group's name (`/ultracluster/<name>/lustre-operations`).
        file_system_ids: The file systems that it may change.
        log_retention_days: How long CloudWatch keeps its log.
        log_key_arn: KMS key of the log group. None: the key that CloudWatch owns.
    """

    name: str
    file_system_ids: Sequence[str]
    log_retention_days: int
    log_key_arn: str | None = None


class LustreOperations(Construct):
    """A Lambda function that sets root squash and imports from S3, with a role that can do nothing else.

    It is not in the VPC: it calls the API of FSx and answers CloudFormation at a public address of S3, and
    never touches data. So it works for a closed network as well, and needs no endpoint there. Function, role
    and log group go with the stack; a retained file system does not need them.

    Its code stands in the template, as in `lustre_operations_handler.py`: what a deployment would run can be
    read there, and no bucket is involved. How it is asked and answers:
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
                # not Lambda's own group, which never expires and stays behind
                "LoggingConfig": {"LogGroup": log_group.ref},
                "Tags": tag_list(props.tags),
            },
        )
        self.function_arn = attribute(function, "Arn")


@dataclass(frozen=True, slots=True, kw_only=True)
class RootSquashProps:
    """Whom a client's root user becomes on a Lustre file system.

    Attributes:
        function_arn: The function of `LustreOperations`.
        file_system_id: The file system. It must have no backups, which root squash rules out:
            https://docs.aws.amazon.com/fsx/latest/LustreGuide/root-squash.html
        uid: The user, 1 to 4294967294. 65534 by default, which Linux calls nobody.
        gid: The group, likewise.
        no_squash_nids: Clients whose root stays root: addresses or ranges (`10.0.1.6@tcp`,
            `10.0.[2-10].[1-255]@tcp`), 64 at most. None by default.
        keep_on_delete: Whether the file system keeps its root squash when this resource is taken out or its
            stack is deleted. True by default: a file system that outlives its stack stays as closed as it
            was. False, for a file system that goes with its stack: root gets its rights back.
        after: What must be there first, such as links to S3.
    """

    function_arn: str
    file_system_id: str
    uid: int = 65534
    gid: int = 65534
    no_squash_nids: Sequence[str] = ()
    keep_on_delete: bool = True
    after: Sequence[IDependable] = ()


class RootSquash(Construct):
    """Root squash of one file system, in force when the resource is complete.

    It waits for other updates of the file system, and for its own, a quarter of an hour at most. Deleting it
    never gives root its rights back by itself where `keep_on_delete` is set, nor does a deployment that adds
    it and is rolled back. Whoever wants root back there says so:
    `aws fsx update-file-system --file-system-id ID --lustre-configuration
    'RootSquashConfiguration={RootSquash=0:0}'`. Without `keep_on_delete` deleting it turns root squash off;
    what FSx refuses then is a warning in the function's log, and never holds a stack up.

    Attributes:
        resource: The custom resource, for whoever must not start before it.
    """

    def __init__(self, scope: Construct, construct_id: str, props: RootSquashProps) -> None:
        """Set root squash; raises ValueError for what FSx refuses."""
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
    """What to import into a Lustre file system once it is linked.

    Attributes:
        function_arn: The function of `LustreOperations`.
        file_system_id: The file system.
        paths: `s3://bucket/prefix` of linked prefixes, 100 at most. One task imports them all, since FSx
            works on one task of a file system at a time.
        links: The links to S3 that must be available first.
    """

    function_arn: str
    file_system_id: str
    paths: Sequence[str]
    links: Sequence[IDependable]


class ImportTask(Construct):
    """An import of the metadata of huge prefixes, which the stack starts and does not wait for (STORAGE-17).

    A path that is added later starts another task for it; the same paths never start a second one. A task
    that it started (it tags them) and that is still running when its paths are taken out, or when the stack
    is deleted, is cancelled, since FSx does not delete a file system with one; tasks of anybody else are
    left alone. Where one of those runs for the whole quarter of an hour that a function has, the deployment
    goes on without the import, and the function's log says so and how to start it by hand. Nothing
    should depend on this: nodes start meanwhile, and see the files as they come.
    """

    def __init__(self, scope: Construct, construct_id: str, props: ImportTaskProps) -> None:
        """Start the task; raises ValueError where there is nothing to import, or too much for one task."""
        super().__init__(scope, construct_id)
        if not 0 < len(props.paths) <= _MOST_PATHS:
            raise ValueError(f"{len(props.paths)} paths: one import task takes 1 to {_MOST_PATHS}")
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
    """What the function may do.

    What each action is granted on: https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonfsx.html
    """
    place = "arn:${AWS::Partition}:fsx:${AWS::Region}:${AWS::AccountId}"
    file_systems = [
        {"Fn::Sub": [f"{place}:file-system/${{Id}}", {"Id": file_system_id}]}
        for file_system_id in file_system_ids
    ]
    tasks = sub(f"{place}:task/*")  # FSx makes up their ids
    return [
        statement(["fsx:UpdateFileSystem"], file_systems, sid="RootSquash"),
        statement(["fsx:CreateDataRepositoryTask"], [*file_systems, tasks], sid="StartImport"),
        # a task that is made with tags, by which the function knows it again: IAM asks for this as well
        # (https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-tags-fsx.html)
        statement(["fsx:TagResource"], tasks, sid="TagImport"),
        statement(["fsx:CancelDataRepositoryTask"], tasks, sid="CancelImport"),
        statement(["fsx:DescribeDataRepositoryTasks", "fsx:DescribeFileSystems"], "*", sid="Watch"),
        statement(["logs:CreateLogStream", "logs:PutLogEvents"], log_group_arn, sid="Log"),
    ]


def _check_root_squash(props: RootSquashProps) -> None:
    for name, number in (("uid", props.uid), ("gid", props.gid)):
        if not 0 < number <= _LARGEST_ID:
            raise ValueError(f"{name} {number}: root becomes a user and group of 1 to {_LARGEST_ID}")
    if len(props.no_squash_nids) > _MOST_NIDS:
        raise ValueError(f"{len(props.no_squash_nids)} no_squash_nids: FSx takes {_MOST_NIDS}, use ranges")
    bad = sorted(nid for nid in props.no_squash_nids if not _NID.fullmatch(nid))
    if bad:
        raise ValueError(f"no_squash_nids {bad}: write an address or a range, such as '10.0.1.6@tcp'")
