"""What an existing bucket and its key must allow, as the plan says it."""

from __future__ import annotations

from typing import Any

import pytest

from config.cluster import load_cluster
from config.design.storage.bucket_access import OF_THE_CLUSTER, BucketAccess, bucket_access
from config.profile.model import Profile
from config.profile.storage.lustre import NewLustre

KEY = "arn:aws:kms:us-west-2:210987654321:key/01234567-89ab-cdef-0123-456789abcdef"


def access(account: str | None = "123456789012", region: str = "us-west-2", **link: Any) -> BucketAccess:
    design = load_cluster("p6-b200").design
    assert design
    profile: Profile = design.profile.model_copy(update={"account": account, "region": region})
    declared = {"path": "/data", "bucket": "my-data", "prefix": "sets", "import": ["new"], **link}
    lustre = NewLustre.model_validate({"kind": "new", "data_repositories": [declared]})
    (found,) = bucket_access(profile, lustre)
    return found


def test_storage_07_a_bucket_of_the_account_needs_nothing_but_what_the_deployer_may() -> None:
    found = access()
    assert (found.bucket_policy, found.key_policy, found.grant) == ((), (), None)
    s3, iam = found.deployer
    assert s3["Action"] == ["s3:Get*", "s3:List*", "s3:PutObject"]
    assert s3["Resource"] == ["arn:aws:s3:::my-data", "arn:aws:s3:::my-data/sets/*"]
    assert "iam:CreateServiceLinkedRole" in iam["Action"]
    assert "role/aws-service-role/s3.data-source.lustre.fsx.amazonaws.com/*" in iam["Resource"][0]


def test_storage_07_a_bucket_of_another_account_names_the_clusters_account() -> None:
    found = access(bucket_account="210987654321")
    assert {s["Principal"]["AWS"] for s in found.bucket_policy} == {"arn:aws:iam::123456789012:root"}
    actions = {action for s in found.bucket_policy for action in s["Action"]}
    assert {"s3:PutBucketNotification", "s3:PutObject", "s3:DeleteObject"} <= actions
    assert "s3:*" not in actions


def test_an_account_that_is_not_stated_is_left_to_fill_in() -> None:
    found = access(account=None, bucket_account="210987654321")
    assert OF_THE_CLUSTER in found.bucket_policy[0]["Principal"]["AWS"]


def test_a_key_lets_the_file_systems_of_the_account_in_through_s3_alone() -> None:
    (statement,) = access(bucket_key_arn=KEY).key_policy
    condition = statement["Condition"]
    assert condition["StringEquals"] == {
        "kms:CallerAccount": "123456789012",
        "kms:ViaService": "s3.us-west-2.amazonaws.com",
    }
    # with a bucket key the context is the bucket, without one each object
    assert condition["StringLike"]["kms:EncryptionContext:aws:s3:arn"] == [
        "arn:aws:s3:::my-data",
        "arn:aws:s3:::my-data/*",
    ]


def test_a_key_of_another_account_is_granted_once_the_role_is_there() -> None:
    found = access(bucket_account="210987654321", bucket_key_arn=KEY)
    assert found.key_policy == ()
    assert found.grant
    assert KEY in found.grant
    assert "AWSServiceRoleForFSxS3Access_FILE-SYSTEM-ID" in found.grant


def test_a_grant_is_made_in_the_region_of_the_key() -> None:
    key = KEY.replace("us-west-2", "eu-west-1")
    grant = access(bucket_account="210987654321", bucket_region="eu-west-1", bucket_key_arn=key).grant
    assert grant
    assert "--region eu-west-1 " in grant


@pytest.mark.parametrize(
    ("region", "partition"), [("us-gov-west-1", "aws-us-gov"), ("cn-north-1", "aws-cn"), ("eu-west-1", "aws")]
)
def test_names_are_those_of_the_partition(region: str, partition: str) -> None:
    assert access(region=region).deployer[0]["Resource"][0] == f"arn:{partition}:s3:::my-data"


def test_new_buckets_need_nothing() -> None:
    design = load_cluster("p6-b200").design
    assert design
    lustre = design.profile.storage and design.profile.storage.lustre
    assert isinstance(lustre, NewLustre)
    assert bucket_access(design.profile, lustre) == ()
