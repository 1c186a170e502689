"""Status of a cluster's images from AWS responses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError

from config.cluster import load_cluster
from config.design.model import Design
from config.design.report.node_images import NodeImage, eks_parameters, node_images
from scripts.cli.images.ask import Answer, ask_all
from scripts.cli.images.questions import Permission, Question, questions
from scripts.cli.images.status import GroupStatus, group_statuses, image_ids, repository_statuses

NOW = datetime(2026, 11, 29, tzinfo=UTC)
ACCOUNT = "123456789012"
OWN, AWS, OLD = "ami-0123456789abcdef0", "ami-0a1b2c3d4e5f60718", "ami-12345678"
KINDS = ("hyperpod-slurm", "hyperpod-eks", "eks", "pcs")
Load = Callable[..., Design]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    def build(text: str = "", *, kind: str) -> Design:
        (tmp_path / "my.yaml").write_text(f"extends: p6-b200\nname: mine\n{text}", encoding="utf-8")
        cluster = load_cluster("my.yaml", base=tmp_path, orchestrator=kind)
        assert cluster.design, [one.message for one in cluster.diagnostics]
        return cluster.design

    return build


def reported(answers: Mapping[str, Any]) -> dict[str, Answer]:
    """Return responses by request key; an error code is a failed request."""
    return {
        key: Answer(reason=value, missing="NotFound" in value)
        if isinstance(value, str)
        else Answer(value=value)
        for key, value in answers.items()
    }


def stands(design: Design, answers: Mapping[str, Any]) -> dict[str, GroupStatus]:
    found = group_statuses(node_images(design), reported(answers), account=ACCOUNT, now=NOW)
    return {one.group: one for one in found}


def of_ec2(image: str, created: str, **more: Any) -> dict[str, Any]:
    return {"ImageId": image, "CreationDate": created, "Architecture": "x86_64", "OwnerId": ACCOUNT, **more}


def nvidia(version: str = "1.35") -> tuple[str, str]:
    return eks_parameters("AL2023_x86_64_NVIDIA", version)


def test_the_parameters_of_eks_are_those_that_its_guide_names() -> None:
    place = "/aws/service/eks/optimized-ami/1.35/amazon-linux-2023"
    assert nvidia()[0] == f"{place}/x86_64/nvidia/recommended/image_id"
    assert (
        eks_parameters("AL2023_ARM_64_STANDARD", "1.35")[1]
        == f"{place}/arm64/standard/recommended/release_version"
    )
    assert eks_parameters("BOTTLEROCKET_x86_64_NVIDIA", "1.35")[1] == (
        "/aws/service/bottlerocket/aws-k8s-1.35-nvidia/x86_64/latest/image_version"
    )


def test_a_node_group_behind_the_newest_release_is_reported_what_to_write_and_what_that_does(
    load: Load,
) -> None:
    design = load(kind="eks")
    by_id, by_release = nvidia()
    found = stands(
        design,
        {
            "published-0": {by_id: AWS, by_release: "1.35.7-20261101"},
            "group-train": {"releaseVersion": "1.35.6-20260714"},
            "images": [of_ec2(AWS, "2026-11-01T00:00:00.000Z")],
        },
    )["train"]
    assert (found.state, found.runs, found.newest) == ("newer", "1.35.6-20260714", "1.35.7-20261101")
    assert found.write == 'orchestrator: {node_image: {release: "1.35.7-20261101"}}'
    assert any("is terminated before its replacement starts" in effect for effect in found.effects)
    assert any("no replacement for a terminated instance" in effect for effect in found.effects)  # on demand


def test_a_node_group_with_the_newest_release_rolls_to_nothing(load: Load) -> None:
    by_id, by_release = nvidia()
    found = stands(
        load(kind="eks"),
        {
            "published-0": {by_id: AWS, by_release: "1.35.6-20260714"},
            "group-train": {"releaseVersion": "1.35.6-20260714"},
        },
    )["train"]
    assert (found.state, found.effects, found.write, found.run) == ("up to date", (), None, ())


@pytest.mark.parametrize(
    ("reason", "state"),
    [
        ("ResourceNotFoundException: No cluster found", "not deployed"),
        ("AccessDeniedException: not authorized to perform eks:DescribeNodegroup", "not checked"),
    ],
)
def test_a_group_that_is_not_there_or_not_to_be_asked_is_called_so(
    load: Load, reason: str, state: str
) -> None:
    found = stands(load(kind="eks"), {"published-0": {}, "group-train": reason})["train"]
    assert found.state == state
    assert state != "not checked" or "DescribeNodegroup" in found.why


def test_a_block_gives_its_machines_back_to_the_group_that_rolls(load: Load) -> None:
    block = "{kind: capacity-block, reservation_id: cr-0123456789abcdef0, instances: 4}"
    train = f"{{name: train, role: compute, instance_type: p6-b200.48xlarge, count: 4, capacity: {block}}}"
    system = "{name: system, role: system, instance_type: m5.4xlarge, count: 2}"
    design = load(f"compute: {{groups: [{train}, {system}]}}\n", kind="eks")
    (image,) = (one for one in node_images(design) if one.group == "train")
    assert any(
        "the Capacity Block has capacity" in effect and "30 minutes" in effect
        for effect in image.rolling.effects
    )


PCS = (
    "compute: {groups: [{name: login, role: login, instance_type: m5.4xlarge, count: 1}, "
    f"{{name: train, role: compute, instance_type: p6-b200.48xlarge, count: 4, ami_id: {OWN}}}]}}\n"
)


@pytest.mark.parametrize(
    ("own", "aws", "state"),
    [
        ("2026-06-01T00:00:00.000Z", "2026-11-01T00:00:00.000Z", "newer"),
        ("2026-11-02T00:00:00.000Z", "2026-11-01T00:00:00.000Z", "up to date"),
        ("", "2026-11-01T00:00:00.000Z", "unknown"),
    ],
)
def test_an_image_of_ones_own_under_pcs_is_compared_by_its_date(
    load: Load, own: str, aws: str, state: str
) -> None:
    design = load(PCS, kind="pcs")
    (train,) = (one for one in node_images(design) if one.group == "train")
    answers = {
        "published-0": {train.id_parameter: AWS},
        "group-train": {"amiId": OWN},
        "images": [of_ec2(OWN, own), of_ec2(AWS, aws)],
    }
    assert image_ids(node_images(design), reported(answers)) == sorted((OWN, AWS))
    found = stands(design, answers)["train"]
    assert found.state == state
    if state == "newer":
        assert found.write == f"compute.groups[1]: {{ami_id: {AWS}}}"
        assert found.age_days == 181
        assert any("after its jobs have finished" in effect for effect in found.effects)


@pytest.mark.parametrize(
    ("reported_to", "says"),
    [
        (None, "does not exist"),
        ({"Architecture": "arm64"}, "is for arm64, but p6-b200.48xlarge requires x86_64"),
        ({"State": "failed"}, "is failed"),
        ({"DeprecationTime": "2026-01-01T00:00:00.000Z"}, "deprecated since 2026-01-01"),
        (
            {
                "RootDeviceName": "/dev/sda1",
                "BlockDeviceMappings": [{"DeviceName": "/dev/sda1", "Ebs": {"VolumeSize": 900}}],
            },
            "has 900 GiB, but the group's root volume has 300 GiB",
        ),
    ],
)
def test_an_image_that_does_not_fit_its_machines_is_reported(
    load: Load, reported_to: dict[str, Any] | None, says: str
) -> None:
    images = [] if reported_to is None else [of_ec2(OWN, "2026-06-01T00:00:00.000Z", **reported_to)]
    found = stands(load(PCS, kind="pcs"), {"group-train": {"amiId": OWN}, "images": images})["train"]
    assert any(says in fault for fault in found.faults), found.faults


HYPERPOD = (
    "compute: {groups: [{name: controller, role: controller, instance_type: m5.4xlarge, count: 1}, "
    f"{{name: train, role: compute, instance_type: p6-b200.48xlarge, count: 4, ami_id: {OWN}}}]}}\n"
)


@pytest.mark.parametrize(
    ("reported_to", "says"),
    [
        ({"OwnerId": "210987654321"}, "belongs to account 210987654321"),
        ({"BlockDeviceMappings": [{"Ebs": {"Encrypted": True}}]}, "is encrypted"),
        ({"BlockDeviceMappings": [{"Ebs": {}}, {"Ebs": {}}]}, "has 2 volumes"),
    ],
)
def test_an_image_that_hyperpod_refuses_is_reported(
    load: Load, reported_to: dict[str, Any], says: str
) -> None:
    images = [of_ec2(OWN, "2026-06-01T00:00:00.000Z", **reported_to)]
    found = stands(load(HYPERPOD, kind="hyperpod-slurm"), {"hyperpod": [], "images": images})["train"]
    assert any(says in fault for fault in found.faults), found.faults


def test_hyperpod_tells_itself_whether_it_has_an_update(load: Load) -> None:
    groups = [
        {"InstanceGroupName": "train", "CurrentImageId": OLD, "DesiredImageId": OLD,
         "ImageVersionStatus": "SecurityUpdateRequired"},
        {"InstanceGroupName": "controller", "CurrentImageId": AWS, "ImageVersionStatus": "UpToDate"},
    ]  # fmt: skip
    found = stands(load(HYPERPOD, kind="hyperpod-slurm"), {"hyperpod": groups})
    assert (found["train"].state, found["train"].runs) == ("newer", OLD)
    assert found["controller"].state == "up to date"
    (command,) = found["train"].run
    assert command.startswith("aws sagemaker update-cluster-software --region us-west-2 --cluster-name mine-")
    assert "--image-id" in command
    assert any("their jobs are terminated" in effect for effect in found["train"].effects)


def test_a_group_without_an_image_of_its_own_takes_none_in_the_command(load: Load) -> None:
    (train,) = (one for one in node_images(load(kind="hyperpod-slurm")) if one.group == "train")
    assert (train.pinned, train.rolling.write) == (None, None)
    assert "--image-id" not in train.rolling.run[0]


@pytest.mark.parametrize("kind", KINDS)
def test_every_group_of_every_control_plane_has_an_image_and_says_what_rolling_does(
    load: Load, kind: str
) -> None:
    design = load(kind=kind)
    found = node_images(design)
    assert [one.group for one in found] == [group.name for _, group in design.placed_groups]
    assert all(
        one.rolling.effects and one.rolling.source.startswith("https://docs.aws.amazon.com") for one in found
    )
    silent = {question.key: "AccessDeniedException: no" for question in questions(design, found)}
    assert all(one.state in ("not checked", "unknown") for one in stands(design, silent).values())


def test_findings_of_the_newest_image_are_counted(load: Load) -> None:
    design = load("images: {repositories: [{name: train}, {name: eval}, {name: base}]}\n", kind="pcs")
    newest = {
        "imageTags": ["v2"], "imagePushedAt": NOW,
        "imageScanFindingsSummary": {"findingSeverityCounts": {"CRITICAL": 2}},
    }  # fmt: skip
    found = repository_statuses(
        design,
        reported(
            {
                "repository-mine/train": [{"imageTags": ["v1"]}, newest],
                "repository-mine/eval": [
                    {"imageDigest": "sha256:0123456789abcdef", "imageScanStatus": {"status": "FAILED"}}
                ],
                "repository-mine/base": "RepositoryNotFoundException: no",
            }
        ),
    )
    by_name = {one.name: one for one in found}
    train = by_name["mine/train"]
    assert (train.newest, train.pushed_at, train.critical, train.high) == ("v2", "2026-11-29", 2, 0)
    assert (by_name["mine/eval"].critical, by_name["mine/eval"].why) == (
        None,
        "no findings available (scan failed)",
    )
    assert by_name["mine/base"].why == "does not exist yet"


def _question(key: str, ask: Callable[[Any], Any]) -> Question:
    return Question(key=key, about=key, permissions=(Permission(action="a:B", resources=("*",)),), ask=ask)


def test_one_question_that_is_denied_fails_no_other() -> None:
    def denied(_client: Any) -> Any:
        raise ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, "DescribeIt")

    def absent(_client: Any) -> Any:
        raise ClientError({"Error": {"Code": "RepositoryNotFoundException", "Message": "no"}}, "DescribeIt")

    def away(_client: Any) -> Any:
        raise EndpointConnectionError(endpoint_url="https://example.com")

    steps: list[tuple[int, int]] = []
    asked = (
        _question("a", denied),
        _question("b", lambda _: 7),
        _question("c", away),
        _question("d", absent),
    )
    found = ask_all(asked, lambda _service: None, lambda done, of: steps.append((done, of)))
    assert found["a"] == Answer(reason="AccessDenied: no")
    assert found["b"] == Answer(value=7)
    assert "example.com" in (found["c"].reason or "")
    assert found["d"].missing
    assert steps == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_nothing_that_is_asked_is_nothing() -> None:
    assert ask_all((), lambda _service: None, lambda _done, _of: None) == {}


def test_what_an_image_is_never_depends_on_the_answers(load: Load) -> None:
    found = node_images(load(kind="eks"))
    assert all(isinstance(one, NodeImage) for one in found)
    assert found == node_images(load(kind="eks"))
