"""What a plan says of what stays when the stack is deleted."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from config.cluster import Cluster
from config.design.report.retained import retained_of

_KEY = "arn:aws:kms:us-west-2:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"
_MORE = "kind: new, name: kept, mount_path: /kept, capacity_gib: 1200, throughput_mbps_per_tib: 125"


def storage(parts: str) -> str:
    return f"extends: p6-b200\nname: mine\nstorage: {{{parts}}}\n"


@pytest.mark.parametrize(
    ("profile", "kept"),
    [
        (
            "extends: p6-b200\nname: mine\n",
            [
                "network",
                "file system lustre",
                "buckets for /datasets and /checkpoints",
                "access log bucket",
                "KMS key",
                "metrics",
            ],
        ),
        (
            storage(f"additional_lustre: [{{{_MORE}}}], home: {{kind: new, users: 20}}, s3_express: {{}}")
            + "availability_zone_id: usw2-az1\nnetwork: {secondary_zones: [usw2-az2]}\n",
            [
                "network",
                "file systems lustre and kept",
                "home directories",
                "buckets for /datasets and /checkpoints",
                "access log bucket",
                "directory bucket",
                "KMS key",
                "metrics",
            ],
        ),
        (
            storage(f"lustre: {{data_repositories: [], key_arn: '{_KEY}'}}"),
            ["network", "file system lustre", "metrics"],
        ),
        (
            "extends: p6-b200-cluster\nname: mine\n"
            "orchestrator: {provisioning: continuous, accounting: {kind: new}}\n",
            ["accounting database slurm_acct_db_mine_726ae4", "database secret", "metrics"],
        ),
        ("extends: p6-b200\nname: mine\ndisposable: true\n", []),
        ("extends: p6-b200-cluster\nname: mine\n", ["metrics"]),
    ],
)
def test_each_file_system_that_stays_is_named(
    check: Callable[..., Cluster], profile: str, kept: list[str]
) -> None:
    cluster = check(profile)
    design = cluster.design
    assert design, cluster.diagnostics
    assert [one.as_text() for one in retained_of(design)] == kept
