"""Buckets that a profile says exist are played by the embedded cloud, whosever they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cli.rehearsal.existing import create_buckets
from scripts.cloud.local import local_cloud
from tests.cloud.sandbox import Sandbox, explained

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

FOREIGN: dict[str, Any] = {
    "path": "/theirs",
    "bucket": "their-datasets",
    "prefix": "tokens",
    "import": ["new"],
    "bucket_account": "210987654321",
    "bucket_key_arn": "arn:aws:kms:us-west-2:210987654321:key/1234abcd-12ab-34cd-56ef-1234567890ab",
}
OURS: dict[str, Any] = {"path": "/ours", "bucket": "our-datasets", "import": ["new"]}


def linked(*links: dict[str, Any]) -> dict[str, Any]:
    return {
        "extends": "p6-b200-data",
        "name": "linked",
        "storage": {"lustre": {"data_repositories": list(links)}},
    }


@pytest.mark.long
def test_a_profile_with_buckets_of_its_own_and_of_another_account_deploys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with local_cloud() as cloud:
        sandbox = Sandbox(cloud, tmp_path)
        cluster = sandbox.load(linked(FOREIGN, OURS))
        assert cluster.design
        failed = sandbox.try_deploy(cluster)
        assert "bucket their-datasets does not exist" in explained(failed)
        sandbox.delete("linked")
        for _ in range(2):  # only what is missing
            create_buckets(sandbox.place, cluster.design.profile)
        reported = capsys.readouterr().err
        for name in ("our-datasets", "their-datasets"):
            assert reported.count(f"create the bucket {name}, which the profile declares as existing") == 1
        sandbox.deploy(linked(FOREIGN, OURS))
        there = sandbox.client("fsx").describe_data_repository_associations()["Associations"]
        paths = {link["DataRepositoryPath"] for link in there}
        assert paths == {"s3://their-datasets/tokens", "s3://our-datasets"}


def test_a_bucket_that_cannot_be_played_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with local_cloud() as cloud:
        sandbox = Sandbox(cloud, tmp_path)
        cluster = sandbox.load(linked(OURS))
        assert cluster.design
        other = cloud.client("s3", "us-west-2")
        there = {"LocationConstraint": "us-west-2"}
        other.create_bucket(Bucket="our-datasets", CreateBucketConfiguration=there)
        # somebody else has it: it is taken, and not among one's own
        monkeypatch.setattr(other, "list_buckets", lambda: {"Buckets": []})
        with pytest.raises(RehearsalError, match="cannot create the bucket our-datasets"):
            create_buckets(sandbox.place, cluster.design.profile)
