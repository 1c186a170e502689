"""A linked Lustre file system on the embedded cloud, for tests of what is done to it."""

from __future__ import annotations

from typing import Any

from moto.fsx.models import fsx_backends

from scripts.cloud.extensions.storage.fsx_tasks import end, tasks_of
from scripts.cloud.local import LocalCloud
from tests.cloud.examples.deployed import Deployed
from tests.cloud.examples.example import NETWORK, ref, resource

REGION = "us-east-1"
SQUASH, TASK = "Custom::LustreRootSquash", "Custom::LustreImportTask"
PATHS = ["s3://ultracluster-datasets/a", "s3://ultracluster-datasets/b"]
LUSTRE = {
    "FileSystemType": "LUSTRE",
    "StorageCapacity": 2400,
    "SubnetIds": [ref("Subnet")],
    "LustreConfiguration": {"DeploymentType": "PERSISTENT_2", "PerUnitStorageThroughput": 250},
}


class Place:
    """A file system that is linked to two prefixes."""

    def __init__(self, cloud: LocalCloud) -> None:
        self.cloud, self.fsx = cloud, cloud.client("fsx", REGION)
        cloud.client("s3", REGION).create_bucket(Bucket="ultracluster-datasets")
        stack = Deployed(cloud).deploy({**NETWORK, "Subject": resource("AWS::FSx::FileSystem", **LUSTRE)})
        self.id = stack.resources["Subject"].physical_id
        for name, path in zip("ab", PATHS, strict=True):
            self.fsx.create_data_repository_association(
                FileSystemId=self.id, FileSystemPath=f"/{name}", DataRepositoryPath=path
            )

    def squash(self) -> dict[str, Any]:
        (system,) = self.fsx.describe_file_systems(FileSystemIds=[self.id])["FileSystems"]
        found: dict[str, Any] = system["LustreConfiguration"].get("RootSquashConfiguration", {})
        return found

    def tasks(self) -> list[tuple[list[str], str]]:
        found = self.fsx.describe_data_repository_tasks()["DataRepositoryTasks"]
        return [(task["Paths"], task["Lifecycle"]) for task in found]

    def end_task(self, task_id: str) -> None:
        """Let a task be over, as no time does here."""
        (task,) = [
            task
            for task in tasks_of(fsx_backends[self.cloud.account][REGION], self.id)
            if task["TaskId"] == task_id
        ]
        end(task, "SUCCEEDED")

    def end(self) -> None:
        (task,) = self.fsx.describe_data_repository_tasks(
            Filters=[{"Name": "task-lifecycle", "Values": ["PENDING", "EXECUTING"]}]
        )["DataRepositoryTasks"]
        self.end_task(task["TaskId"])
