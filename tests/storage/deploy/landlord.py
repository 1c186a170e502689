"""A data profile and two clusters on it, in a cloud of this process, and what must hold of the data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from scripts.cli.rehearsal.paths import (
    clear_left_paths,
    forget_paths,
    published_root,
    refuse_what_others_stand_on,
)
from tests.cloud.sandbox import Sandbox, explained

DATA = "data"
CLUSTERS = ("alpha", "beta")
ALL = ["new", "changed", "deleted"]
FILE_SYSTEM = "AWS::FSx::FileSystem"
BUCKET = "AWS::S3::Bucket"
DIRECTORY = "AWS::S3Express::DirectoryBucket"
KEY = "AWS::KMS::Key"
PARAMETER = "AWS::SSM::Parameter"
_OBJECT = {"Key": "checkpoint", "Body": b"weights"}
_STEP_GIB = 9600


@dataclass
class Landlord:
    """The data stack, and the clusters on it. `keys` are those of its main file system, the last one now.

    `steps` is its capacity, `further` whether there is another beside it, `network` the second byte of the
    VPC's block. `kept` has every id that was ever data: by type, and paths with their values.
    """

    sandbox: Sandbox
    steps: int = 1
    network: int = 0
    keys: list[str] = field(default_factory=list)
    further: bool = True
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CLUSTERS, 2))
    kept: dict[str, set[str]] = field(default_factory=dict)
    paths: dict[str, str] = field(default_factory=dict)

    def data_profile(self) -> dict[str, Any]:
        """A main file system with links and root squash, another beside it, home, and a directory bucket."""
        another = {"kind": "new", "name": "scratch", "deployment": "scratch-2", "capacity_gib": 1200,
                   "mount_path": "/scratch"}  # fmt: skip
        lustre = {
            "capacity_gib": _STEP_GIB * self.steps,
            "data_repositories": [
                {"path": "/datasets", "bucket": "new", "import": ALL},
                {"path": "/checkpoints", "bucket": "new", "export": ALL},
            ],
            "root_squash": {"uid": 65534, "gid": 65534},
            **({"key_arn": self.keys[-1]} if self.keys else {}),
        }
        return {
            "extends": "p6-b200-data",
            "name": DATA,
            # a zone that has directory buckets
            "availability_zone_id": "usw2-az1",
            "network": {"secondary_zones": ["usw2-az2"], "vpc_cidr": f"10.{self.network}.0.0/16"},
            "storage": {
                "lustre": lustre,
                "additional_lustre": [another] if self.further else [],
                "home": {"kind": "new", "users": 20},
                "s3_express": {},
            },
        }

    def cluster_profile(self, name: str) -> dict[str, Any]:
        """Machines on the data; the second cluster has a file system of its own as well."""
        own = {
            "kind": "new",
            "name": "own",
            "capacity_gib": 1200,
            "throughput_mbps_per_tib": 125,
            "mount_path": "/own",
            "data_repositories": [{"path": "/out", "bucket": "new", "export": ALL}],
        }
        head = [{"name": role, "role": role, "instance_type": "m5.4xlarge", "count": 1}
                for role in ("controller", "login")]  # fmt: skip
        train = {"name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge"}
        return {
            "extends": "p6-b200-cluster",
            "availability_zone_id": "usw2-az1",
            "name": name,
            "data": {"profile": f"./{DATA}.yaml"},
            "compute": {"groups": [*head, {**train, "count": self.counts[name]}]},
            "storage": {"lustre": None, "additional_lustre": [own] if name == "beta" else []},
            "observability": None,
        }

    def deploy(self, name: str) -> Any:
        """Create or update a stack as its profile is now; the data is then looked at."""
        self.sandbox.write(self.data_profile())
        profile = self.data_profile() if name == DATA else self.cluster_profile(name)
        clear_left_paths(self.sandbox.assembly(self.sandbox.load(profile)), self.sandbox.place)
        self._forget_cleared()
        stack = self.sandbox.deploy(profile)
        self._note(name)
        self.check()
        return stack

    def is_refused(self, name: str) -> None:
        """A cluster before its data: the path that is missing is named, and nothing is made."""
        self.sandbox.write(self.data_profile())
        cluster = self.sandbox.load(self.cluster_profile(name))
        stack = self.sandbox.try_deploy(cluster)
        assert stack.status == "ROLLBACK_COMPLETE"
        missing = re.compile(rf"/ultracluster/{DATA}/v1-[0-9a-f]+/[a-z0-9-]+ was not found")
        assert missing.search(explained(stack))
        self.sandbox.delete(name)

    def scale(self, name: str, count: int) -> None:
        """Another number of nodes, of a cluster that stands."""
        self.counts[name] = count
        self.deploy(name)
        sagemaker = self.sandbox.client("sagemaker")
        (cluster,) = self.sandbox.ids(name, "AWS::SageMaker::Cluster").values()
        groups = sagemaker.describe_cluster(ClusterName=cluster)["InstanceGroups"]
        assert {g["InstanceGroupName"]: g["CurrentCount"] for g in groups}["train"] == count

    def grow(self) -> None:
        """One step more capacity: the file system stays the same one."""
        before = self.sandbox.ids(DATA, FILE_SYSTEM)
        self.steps += 1
        self.deploy(DATA)
        assert self.sandbox.ids(DATA, FILE_SYSTEM) == before

    def move(self) -> None:
        """Another key: a new file system under another path, and what was stays under its own."""
        before = set(self.sandbox.ids(DATA, PARAMETER).values())
        self.keys.append(self.sandbox.client("kms").create_key()["KeyMetadata"]["Arn"])
        self.deploy(DATA)
        main = {path for path in before if not re.search(r"/(lustre-scratch|home|s3-express)-", path)}
        assert before & set(self.sandbox.ids(DATA, PARAMETER).values()) == before - main

    def leave_another(self) -> None:
        """The file system beside the main one leaves the profile, not the account."""
        before = set(self.sandbox.ids(DATA, PARAMETER).values())
        self.further = False
        self.deploy(DATA)
        main = {path for path in before if "/lustre-scratch-" not in path}
        assert set(self.sandbox.ids(DATA, PARAMETER).values()) == main

    def delete(self, name: str) -> None:
        """Delete a stack by hand, protection lifted: the data is there, and what stands can be updated."""
        self.sandbox.delete(name)
        self.check()
        for other in self.standing():
            self.scale(other, 5 - self.counts[other])

    def tear_down(self, name: str) -> None:
        """Delete a stack as `ultracluster teardown` does, which refuses data under a cluster."""
        profile = self.data_profile() if name == DATA else self.cluster_profile(name)
        assembly = self.sandbox.assembly(self.sandbox.load(profile))
        refuse_what_others_stand_on(self.sandbox.place, assembly)
        root = published_root(self.sandbox.place, assembly)
        self.sandbox.delete(name)
        forget_paths(self.sandbox.place, assembly, root)
        self._forget_cleared()
        self.check()

    def _forget_cleared(self) -> None:
        """Paths of a data stack that is gone may go, once no cluster stands on them."""
        if not self.sandbox.stack(DATA) and not self.standing():
            there = self.sandbox.client("ssm").describe_parameters()["Parameters"]
            names = {parameter["Name"] for parameter in there}
            self.paths = {path: value for path, value in self.paths.items() if path in names}

    def standing(self) -> list[str]:
        """The clusters that stand."""
        return [name for name in CLUSTERS if self.sandbox.stack(name) and self.sandbox.stack(name).resources]

    def _note(self, name: str) -> None:
        """Remember what is data now, and put an object into each new bucket."""
        s3, fsx = self.sandbox.client("s3"), self.sandbox.client("fsx")
        for kind in (FILE_SYSTEM, BUCKET, DIRECTORY, KEY):
            new = set(self.sandbox.ids(name, kind).values()) - self.kept.setdefault(kind, set())
            self.kept[kind] |= new
            for bucket in new if kind in (BUCKET, DIRECTORY) else ():
                s3.put_object(Bucket=bucket, **_OBJECT)
        systems = fsx.describe_file_systems(FileSystemIds=sorted(self.kept[FILE_SYSTEM]))["FileSystems"]
        for system in systems:
            self.kept.setdefault("subnets", set()).update(system["SubnetIds"])
            self.kept.setdefault("vpcs", set()).add(system["VpcId"])
        for path in self.sandbox.ids(name, PARAMETER).values() if name == DATA else ():
            value = self._parameter(path)
            assert self.paths.setdefault(path, value) == value, f"{path} was overwritten"

    def _parameter(self, path: str) -> str:
        value: str = self.sandbox.client("ssm").get_parameter(Name=path)["Parameter"]["Value"]
        return value

    def check(self) -> None:
        """Everything that was ever data is there."""
        fsx, s3, kms, ec2 = (self.sandbox.client(name) for name in ("fsx", "s3", "kms", "ec2"))
        if not self.kept:
            return
        assert self.kept[FILE_SYSTEM] == {
            s["FileSystemId"] for s in fsx.describe_file_systems()["FileSystems"]
        }
        for bucket in self.kept[BUCKET] | self.kept[DIRECTORY]:
            assert s3.get_object(Bucket=bucket, Key=_OBJECT["Key"])["Body"].read() == _OBJECT["Body"]
        for key in self.kept[KEY]:
            assert kms.describe_key(KeyId=key)["KeyMetadata"]["KeyState"] == "Enabled"
        ec2.describe_subnets(SubnetIds=sorted(self.kept["subnets"]))
        ec2.describe_vpcs(VpcIds=sorted(self.kept["vpcs"]))
        assert {path: self._parameter(path) for path in self.paths} == self.paths
