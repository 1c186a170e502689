"""Whatever a profile says exists already is made first, so that every profile can be rehearsed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from config.cluster import load_cluster
from config.profile import base
from scripts.cli.rehearsal import profile_values
from scripts.cli.rehearsal.existing import create_declared
from scripts.cloud.clients import ACCOUNT_ID
from scripts.cloud.extensions.observability.grafana import GrafanaService
from scripts.cloud.local import local_cloud
from scripts.tools.fuzz.checks.deployments import check_deployment
from scripts.tools.fuzz.checks.templates import template_of
from tests.cloud.sandbox import REGION, Sandbox
from tests.tools.docs.blocks import BLOCKS, Block

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

KEYS = [f"arn:aws:kms:{REGION}:123456789012:key/0123456{n}-89ab-cdef-0123-456789abcdef" for n in range(4)]
SECRET = f"arn:aws:secretsmanager:{REGION}:123456789012:secret:slurm/accounting-AbCdEf"
TOPIC = f"arn:aws:sns:{REGION}:123456789012:oncall"
GROUP, IMAGE = "sg-0123456789abcdef9", "ami-0123456789abcdef9"
PROFILE: dict[str, Any] = {
    "extends": "p6-b200",
    "name": "on-ours",
    "orchestrator": {
        "provisioning": "continuous",
        "lifecycle": {"kind": "customer-managed", "source_s3_uri": "s3://our-scripts/v1/", "entry": "go.sh"},
        "accounting": {
            "kind": "existing", "endpoint": "db.example.com", "secret_arn": SECRET,
            "security_group_id": GROUP, "secret_key_arn": KEYS[0],
        },
    },
    "compute": {
        "groups": [
            {"name": "controller", "role": "controller", "instance_type": "m5.4xlarge", "count": 1},
            {
                "name": "train", "role": "compute", "instance_type": "p6-b200.48xlarge", "count": 2,
                "root_volume_key_arn": KEYS[1], "volume_key_arn": KEYS[2], "ami_id": IMAGE,
            },
        ]
    },
    "storage": {"lustre": {"key_arn": KEYS[3]}, "local_nvme": None},
    "observability": {"alerts": {"receivers": [{"kind": "sns", "topic_arn": TOPIC}]}},
}  # fmt: skip


@pytest.mark.long
def test_keys_secrets_topics_images_groups_and_buckets_are_made_with_what_the_profile_calls_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with local_cloud() as cloud:
        sandbox = Sandbox(cloud, tmp_path)
        design = sandbox.load(PROFILE).design
        assert design
        for _ in range(2):  # only what is missing
            create_declared(cloud, design.profile)
        reported = capsys.readouterr().err
        for name in (*KEYS, SECRET, TOPIC, GROUP, IMAGE, "our-scripts"):
            assert reported.count(f"{name}, which the profile declares as existing") == 1
        sandbox.deploy(PROFILE)
        (image,) = sandbox.client("ec2").describe_images(ImageIds=[IMAGE])["Images"]
        assert image["Name"] == f"given-{IMAGE}"
        secret = sandbox.client("secretsmanager").describe_secret(SecretId=SECRET)
        assert (secret["ARN"], secret["Name"]) == (SECRET, "slurm/accounting")
        assert {key["KeyArn"] for key in sandbox.client("kms").list_keys()["Keys"]} >= set(KEYS)


@pytest.mark.long
@pytest.mark.parametrize("version", ["10.4", "12.4"])
def test_a_grafana_of_ones_own_is_played_in_its_version_and_its_token_may_be_another_accounts(
    version: str, tmp_path: Path
) -> None:
    secret = f"arn:aws:secretsmanager:{REGION}:210987654321:secret:grafana"
    grafana = {"kind": "existing", "url": "http://grafana", "token_secret_arn": secret, "version": version}
    profile = {"extends": "p6-b200", "name": "on-ours", "observability": {"grafana": grafana}}
    with local_cloud() as cloud:
        sandbox = Sandbox(cloud, tmp_path)
        design = sandbox.load(profile).design
        assert design
        create_declared(cloud, design.profile)
        sandbox.deploy(profile)
        (own,) = GrafanaService.records(ACCOUNT_ID, REGION, "own").values()
        assert own["site"].version == version
        assert own["site"].sources


FOUND_BY_ITS_FORM = {
    base.KMS_KEY_ARN: profile_values.keys,
    base.SECRET_ARN: profile_values.secrets,
    base.AMI_ID: profile_values.images,
    base.TOPIC_ARN: profile_values.topics,
    base.IAM_PRINCIPAL: profile_values.roles,
    base.SECURITY_GROUP_ID: profile_values.groups,
    base.S3_FOLDER: profile_values.folder_buckets,
}
OF_THE_NETWORK = (base.VPC_ID, base.SUBNET_ID)
REACHED_BY_NODES_ALONE = (base.FILE_SYSTEM_ID, base.ENDPOINT)
FOUND_BY_ITS_KEY = (base.BOUNDARY,)  # any word is the name of a policy


def test_each_form_of_an_id_is_made_or_known_to_be_reached_by_nodes_alone() -> None:
    ids = {form for form, phrase in base.FORMS.items() if phrase.startswith(("the id of", "the ARN of"))}
    assert ids <= {*FOUND_BY_ITS_FORM, *OF_THE_NETWORK, *REACHED_BY_NODES_ALONE, *FOUND_BY_ITS_KEY}
    design = load_cluster("p6-b200").design
    assert design
    assert all(find(design.profile) == [] for find in FOUND_BY_ITS_FORM.values())


@pytest.mark.long
@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.place)
def test_a_profile_of_the_documentation_can_be_rehearsed(block: Block, tmp_path: Path) -> None:
    cluster = load_cluster(block.saved(tmp_path), base=tmp_path)
    if cluster.design is None:
        pytest.skip("its control plane is not deployed yet")
    text = template_of(cluster, tmp_path / "assembly")
    assert [
        found.observed
        for found in check_deployment(cluster, text, tmp_path, tmp_path / "out", tmp_path / "assembly")
    ] == []


@pytest.mark.parametrize(
    ("declared", "made"),
    [
        ("bounds/of-ours", ["arn:aws:iam::123456789012:policy/bounds/of-ours"]),
        ("arn:aws:iam::123456789012:policy/ours", ["arn:aws:iam::123456789012:policy/ours"]),
        ("arn:aws:iam::aws:policy/PowerUserAccess", []),
    ],
)
def test_a_boundary_is_made_once_unless_it_is_one_of_aws(
    declared: str, made: list[str], tmp_path: Path
) -> None:
    profile = {"extends": "p6-b200", "name": "bounded", "deployment": {"permissions_boundary": declared}}
    with local_cloud() as cloud:
        sandbox = Sandbox(cloud, tmp_path)
        design = sandbox.load(profile).design
        assert design
        for _ in range(2):
            create_declared(cloud, design.profile)
        policies = sandbox.client("iam").list_policies(Scope="Local")["Policies"]
        assert [policy["Arn"] for policy in policies] == made
