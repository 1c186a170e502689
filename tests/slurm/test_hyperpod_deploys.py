"""HyperPod with Slurm in the embedded cloud: created, changed, rejected and deleted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.cloud.local import local_cloud
from tests.cloud.sandbox import Sandbox, explained

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

NAME = "slurm"
HEAD = {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1}


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with local_cloud() as cloud:
        yield Sandbox(cloud, tmp_path)


def profile(orchestrator: dict[str, Any], **train: Any) -> dict[str, Any]:
    group = {"name": "train", "role": "compute", "instance_type": "p5e.48xlarge", "count": 2, **train}
    without = dict.fromkeys(("storage", "observability"))
    compute = {"groups": [HEAD, group]}
    return {
        "extends": "p6-b200", "name": NAME, "orchestrator": orchestrator, "compute": compute,
        "disposable": True, **without,
    }  # fmt: skip


def clusters(sandbox: Sandbox) -> list[dict[str, Any]]:
    sagemaker = sandbox.client("sagemaker")
    names = [summary["ClusterName"] for summary in sagemaker.list_clusters()["ClusterSummaries"]]
    return [sagemaker.describe_cluster(ClusterName=name) for name in names]


CONTINUOUS = {"provisioning": "continuous"}
WITH_DATABASE = {**CONTINUOUS, "accounting": {"kind": "new"}}


def test_a_continuous_cluster_with_its_database_is_made_and_leaves_nothing_behind(sandbox: Sandbox) -> None:
    key = sandbox.client("kms").create_key()["KeyMetadata"]["Arn"]
    keys = {"volume_key_arn": key, "root_volume_key_arn": key}
    train = {"fallback_instance_types": ["p5en.48xlarge"], "min_count": 1, **keys}
    accounting = {"kind": "new", "standby": True, "key_arn": key}
    sandbox.deploy(profile({**CONTINUOUS, "accounting": accounting}, **train))
    (cluster,) = clusters(sandbox)
    assert cluster["NodeProvisioningMode"] == "Continuous"
    reported = {group["InstanceGroupName"]: group for group in cluster["InstanceGroups"]}["train"]
    assert reported["InstanceRequirements"]["DesiredInstanceTypes"] == ["ml.p5e.48xlarge", "ml.p5en.48xlarge"]
    assert reported["MinCount"] == 1
    declared = cluster["Orchestrator"]["Slurm"]["AccountingDatabase"]
    rds, secrets = sandbox.client("rds"), sandbox.client("secretsmanager")
    (database,) = rds.describe_db_clusters()["DBClusters"]
    assert (declared["Endpoint"], declared["Port"]) == (database["Endpoint"], 3306)
    assert len(rds.describe_db_instances()["DBInstances"]) == 2
    opened = json.loads(secrets.get_secret_value(SecretId=declared["SecretArn"])["SecretString"])
    assert opened.keys() == {"username", "password"}
    assert opened["username"] == database["MasterUsername"]
    sandbox.delete(NAME)
    assert rds.describe_db_clusters()["DBClusters"] == []
    assert secrets.list_secrets()["SecretList"] == []
    assert clusters(sandbox) == []


@pytest.mark.long
def test_what_keeps_accounting_outlives_a_stack_that_is_not_disposable(sandbox: Sandbox) -> None:
    sandbox.deploy(profile(WITH_DATABASE) | {"disposable": False})
    sandbox.delete(NAME)
    (database,) = sandbox.client("rds").describe_db_clusters()["DBClusters"]
    assert database["DeletionProtection"] is False  # so that a failed creation can be rolled back
    assert len(sandbox.client("secretsmanager").list_secrets()["SecretList"]) == 1
    assert clusters(sandbox) == []


@pytest.mark.long
def test_another_way_of_provisioning_makes_another_cluster(sandbox: Sandbox) -> None:
    sandbox.deploy(profile({"kind": "hyperpod-slurm"}))
    (before,) = clusters(sandbox)
    sandbox.deploy(profile(CONTINUOUS))
    (after,) = clusters(sandbox)
    assert after["ClusterName"] != before["ClusterName"]


@pytest.mark.long
def test_a_cluster_gets_a_database_and_never_loses_it(sandbox: Sandbox) -> None:
    sandbox.deploy(profile(CONTINUOUS))
    (before,) = clusters(sandbox)
    sandbox.deploy(profile(WITH_DATABASE))
    (after,) = clusters(sandbox)
    assert after["ClusterArn"] == before["ClusterArn"]
    stack = sandbox.try_deploy(sandbox.load(profile(CONTINUOUS)))
    assert stack.status == "UPDATE_ROLLBACK_COMPLETE"
    assert "an accounting database cannot be detached" in explained(stack)


@pytest.mark.long
def test_a_secret_that_is_not_there_is_refused(sandbox: Sandbox) -> None:
    secret = "arn:aws:secretsmanager:us-west-2:123456789012:secret:accounting-AbCdEf"
    missing = {"kind": "existing", "endpoint": "accounting.example.com", "secret_arn": secret}
    stack = sandbox.try_deploy(sandbox.load(profile({**CONTINUOUS, "accounting": missing})))
    assert f"the secret {secret} does not exist" in explained(stack)


@pytest.mark.long
def test_a_volume_key_that_is_not_there_is_refused(sandbox: Sandbox) -> None:
    key = "arn:aws:kms:us-west-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"
    stack = sandbox.try_deploy(sandbox.load(profile({"kind": "hyperpod-slurm"}, volume_key_arn=key)))
    assert f"the key {key} does not exist" in explained(stack)
