"""Storage in the cluster: drivers that make nothing, and a volume of everything for each namespace."""

from __future__ import annotations

import json

import pytest

from config.design.storage.lustre import MAIN
from tests.kubernetes.component_clusters import built_in, check_object, contents

FULL = {
    "lustre": {"efa": True},
    "home": {"kind": "new", "users": 10},
    "s3_express": {},
    "mountpoints": [
        {"name": "datasets", "bucket": "my-data", "prefix": "tokens"},
        {"name": "scratch", "bucket": "s3-express", "read_only": False},
    ],
}
WRITES = ("Create", "Delete", "Update", "Tag", "*")


@pytest.mark.parametrize("kind", ["eks", "hyperpod-eks"])
def test_each_kind_of_storage_has_its_driver_with_a_role(kind: str) -> None:
    found = contents(orchestrator={"kind": kind}, storage=FULL)
    assert {"aws-fsx-csi-driver", "aws-mountpoint-s3-csi-driver"} <= set(found.addons)
    assert "aws-fsx-openzfs-csi-driver" in found.releases
    accounts = {(one.namespace, one.service_account) for one in found.identities.values()}
    assert accounts == {
        ("kube-system", "fsx-csi-controller-sa"),
        ("kube-system", "fsx-openzfs-csi-controller-sa"),
        ("kube-system", "s3-csi-driver-sa"),
    }
    assert all(addon.after_nodes for addon in found.addons.values())


def test_without_storage_there_is_no_driver() -> None:
    found = contents(storage=None, extends="p5-dev")
    names = {*found.addons, *found.releases, *found.identities}
    assert not [name for name in names if "csi" in name]
    assert found.objects == []
    assert found.needs["train"].startup_taints == ()


def test_storage_03_no_driver_may_make_change_or_delete_a_file_system() -> None:
    found = contents(storage=FULL)
    for identity in found.identities.values():
        assert identity.managed_policies == ()
        for statement in identity.statements:
            fsx = [action for action in statement["Action"] if action.startswith("fsx:")]
            assert not [action for action in fsx if action.partition(":")[2].startswith(WRITES)]
    assert not [one for one in found.objects if one["kind"] == "StorageClass"]


def test_a_bucket_is_open_to_what_its_mountpoint_does_and_below_its_prefix() -> None:
    statements = contents(storage=FULL).identities["aws-mountpoint-s3-csi-driver"].statements
    listing, reading, session = statements
    assert listing["Condition"] == {"StringLike": {"s3:prefix": ["tokens/*"]}}
    assert reading["Action"] == ["s3:GetObject"]
    assert reading["Resource"] == "arn:aws:s3:::my-data/tokens/*"
    assert session["Action"] == ["s3express:CreateSession"]
    assert "Condition" not in session


def test_what_is_read_alone_of_a_directory_bucket_is_opened_for_reading_alone() -> None:
    reading = {"mountpoints": [{"name": "fast", "bucket": "s3-express"}], "s3_express": {}}
    (session,) = contents(storage=reading).identities["aws-mountpoint-s3-csi-driver"].statements
    assert session["Condition"] == {"StringEquals": {"s3express:SessionMode": "ReadOnly"}}


def test_a_bucket_in_another_partition_has_its_arn_there() -> None:
    bucket = {"mountpoints": [{"name": "data", "bucket": "my-data"}]}
    found = contents(storage=bucket, region="us-gov-west-1", availability_zone_id="usgw1-az1")
    statements = found.identities
    listing, _ = statements["aws-mountpoint-s3-csi-driver"].statements
    assert listing["Resource"] == "arn:aws-us-gov:s3:::my-data"


@pytest.mark.sample(1)
@pytest.mark.parametrize("version", ["1.33", "1.34", "1.35", "1.36"])
def test_every_volume_is_one_that_the_api_server_takes(version: str) -> None:
    found = contents(
        orchestrator={"kubernetes_version": version}, storage=FULL, namespaces=("research", "products")
    )
    assert len(found.objects) == 2 * 2 * 4
    for one in found.objects:
        check_object(one, version)


def test_each_namespace_has_claims_of_its_own_and_no_two_volumes_one_handle() -> None:
    found = contents(storage=FULL, namespaces=("research", "products"))
    volumes = [one for one in found.objects if one["kind"] == "PersistentVolume"]
    handles = [(one["spec"]["csi"]["driver"], one["spec"]["csi"]["volumeHandle"]) for one in volumes]
    assert len(set(handles)) == len(handles) == 8
    claims = {
        (one["metadata"]["namespace"], one["metadata"]["name"])
        for one in found.objects
        if one["kind"] == "PersistentVolumeClaim"
    }
    names = (MAIN, "home", "datasets", "scratch")
    assert claims == {(namespace, name) for namespace in ("research", "products") for name in names}


def test_a_volume_in_a_directory_bucket_is_for_nodes_of_its_zone() -> None:
    found = contents(storage=FULL)
    volume = next(one for one in found.objects if one["metadata"]["name"] == "default-scratch")
    (term,) = volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
    expected = {"key": "topology.k8s.aws/zone-id", "operator": "In", "values": ["usw2-az2"]}
    assert term["matchExpressions"] == [expected]


def test_pods_stay_off_a_node_until_its_drivers_run() -> None:
    needs = contents(storage=FULL).needs
    assert needs["train"].startup_taints == (
        "fsx.csi.aws.com/agent-not-ready",
        "fsx.openzfs.csi.aws.com/agent-not-ready",
    )
    assert needs["tools"].startup_taints == ()


def test_nodes_of_hyperpod_get_no_taint_that_drivers_take_away() -> None:
    assert contents(orchestrator={"kind": "hyperpod-eks"}, storage=FULL).needs["train"].startup_taints == ()


@pytest.mark.parametrize("name", ["p5", "p6-b200", "p6-b300", "p6e-gb200"])
@pytest.mark.parametrize("kind", ["eks", "hyperpod-eks"])
def test_built_in_profiles_have_their_file_system_as_a_volume(name: str, kind: str) -> None:
    found = built_in(name, kind)
    (volume,) = [one for one in found.objects if one["kind"] == "PersistentVolume"]
    assert volume["spec"]["csi"]["driver"] == "fsx.csi.aws.com"
    assert "flock" in volume["spec"]["mountOptions"]
    assert "ultracluster:" not in json.dumps(found.objects)
