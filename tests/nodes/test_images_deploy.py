"""Deployment of repositories, caches and pull permissions on each control plane."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cfnlint.api import lint  # type: ignore[import-untyped]  # has no types
from cfnlint.config import ManualArgs  # type: ignore[import-untyped]  # has no types

from config.catalog.registries import registries
from config.cluster import load_cluster
from config.design.report.node_images import node_images
from scripts.cli.images.ask import ask_all
from scripts.cli.images.questions import image_question, policy_of, questions
from scripts.cli.images.status import cache_statuses, repository_statuses
from scripts.cli.rehearsal.existing import create_declared
from scripts.cloud.local import local_cloud
from tests.cloud.sandbox import REGION, Sandbox
from tests.stack.library.nag import unacknowledged_findings

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

KINDS = ("hyperpod-slurm", "hyperpod-eks", "eks", "pcs")
SECRET = f"arn:aws:secretsmanager:{REGION}:123456789012:secret:ecr-pullthroughcache/hub-AbCdEf"
KEY = f"arn:aws:kms:{REGION}:123456789012:key/01234567-89ab-cdef-0123-456789abcdef"
IMAGES: dict[str, Any] = {
    "repositories": [
        {"name": "train", "moving_tags": ["latest", "dev-*"]},
        {"name": "team/eval", "immutable_tags": False, "expire_untagged_days": 0},
    ],
    "caches": [
        {"upstream": "docker-hub", "secret_arn": SECRET},
        {"upstream": "quay", "expire_untagged_days": 0},
    ],
    "key_arn": KEY,
}
PULLS = {"ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"}


def profile(kind: str, **keys: Any) -> dict[str, Any]:
    groups: list[dict[str, Any]] = [
        {"name": "train", "role": "compute", "instance_type": "g6.12xlarge", "count": 1}
    ]
    role = {"hyperpod-slurm": "controller", "pcs": "login"}.get(kind, "system")
    groups.append({"name": role, "role": role, "instance_type": "m5.4xlarge", "count": 1})
    return {
        "extends": "p6-b200", "name": "pretrain", "orchestrator": {"kind": kind}, "storage": None,
        "observability": None, "workload": None, "network": {"secondary_zones": ["usw2-az1"]},
        "compute": {"groups": groups}, "images": IMAGES, **keys,
    }  # fmt: skip


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[Sandbox]:
    with local_cloud() as cloud:
        yield Sandbox(cloud, tmp_path)


def deployed(sandbox: Sandbox, declared: dict[str, Any]) -> Any:
    design = sandbox.load(declared).design
    assert design
    create_declared(sandbox.cloud, design.profile)
    return sandbox.deploy(declared)


def statements(template: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the policy statements of all roles, by role name."""
    return {
        statement["Sid"]: statement
        for resource in template["Resources"].values()
        if resource["Type"] == "AWS::IAM::Role"
        for policy in resource["Properties"].get("Policies", ())
        for statement in policy["PolicyDocument"]["Statement"]
        if "Sid" in statement
    }


def resources_of(statement: dict[str, Any]) -> set[str]:
    return {resource["Fn::Sub"].rpartition(":repository/")[2] for resource in statement["Resource"]}


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", KINDS)
def test_repositories_and_caches_are_made_under_each_control_plane(kind: str, sandbox: Sandbox) -> None:
    stack = deployed(sandbox, profile(kind))
    ecr = sandbox.client("ecr")
    made = {one["repositoryName"]: one for one in ecr.describe_repositories()["repositories"]}
    assert set(made) == {"pretrain/train", "pretrain/team/eval"}
    train, evaluation = made["pretrain/train"], made["pretrain/team/eval"]
    assert train["imageTagMutability"] == "IMMUTABLE_WITH_EXCLUSION"
    assert {one["filter"] for one in train["imageTagMutabilityExclusionFilters"]} == {"latest", "dev-*"}
    assert evaluation["imageTagMutability"] == "MUTABLE"
    assert train["imageScanningConfiguration"] == {"scanOnPush": True}
    assert train["encryptionConfiguration"] == {"encryptionType": "KMS", "kmsKey": KEY}
    policy = json.loads(ecr.get_lifecycle_policy(repositoryName="pretrain/train")["lifecyclePolicyText"])
    assert [rule["selection"]["tagStatus"] for rule in policy["rules"]] == ["untagged"]
    rules = {
        one["ecrRepositoryPrefix"]: one
        for one in ecr.describe_pull_through_cache_rules()["pullThroughCacheRules"]
    }
    assert {name: rule["upstreamRegistryUrl"] for name, rule in rules.items()} == {
        "pretrain/docker-hub": "registry-1.docker.io",
        "pretrain/quay": "quay.io",
    }
    assert rules["pretrain/docker-hub"]["credentialArn"] == SECRET
    templates = ecr.describe_repository_creation_templates()["repositoryCreationTemplates"]
    assert {one["prefix"]: "lifecyclePolicy" in one for one in templates} == {
        "pretrain/docker-hub": True,
        "pretrain/quay": False,
    }
    assert all(
        one["resourceTags"] == [{"Key": "ultracluster:profile", "Value": "pretrain"}] for one in templates
    )
    registry = f"123456789012.dkr.ecr.{REGION}.amazonaws.com"
    reported = {one["OutputKey"]: one["OutputValue"] for one in stack.outputs}
    assert reported["ImageRegistry"] == registry
    pulled = sandbox.load(profile(kind)).design
    assert pulled
    answers = ask_all(questions(pulled, node_images(pulled)), sandbox.client, lambda _done, _of: None)
    assert {one.name: one.why for one in repository_statuses(pulled, answers)} == {
        "pretrain/team/eval": "no image has been pushed yet",
        "pretrain/train": "no image has been pushed yet",
    }
    assert all(one.there for one in cache_statuses(pulled, answers))
    assert not [one.reason for one in answers.values() if one.reason]


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", KINDS)
def test_nodes_may_pull_what_the_profile_names_and_fill_its_caches(kind: str, sandbox: Sandbox) -> None:
    cluster = sandbox.load(profile(kind))
    template = json.loads(sandbox.template(cluster))
    found = statements(template)
    assert set(found["RegistryCaches"]["Action"]) == {"ecr:BatchImportUpstreamImage", "ecr:CreateRepository"}
    assert resources_of(found["RegistryCaches"]) == {"pretrain/docker-hub/*", "pretrain/quay/*"}
    if kind in ("hyperpod-slurm", "pcs"):
        assert set(found["RegistryImages"]["Action"]) == PULLS
        own = {"pretrain/train", "pretrain/team/eval"}
        assert resources_of(found["RegistryImages"]) == own | resources_of(found["RegistryCaches"])
        assert found["RegistryLogin"]["Resource"] == "*"
    else:
        # by AWS's own policy, or by HyperPod's own statement
        assert "RegistryImages" not in found
    assert resources_of(found["Repositories"]) == resources_of(found["RegistryCaches"])
    assert found["Key"]["Resource"] == KEY
    settings = ManualArgs(regions=[REGION], mandatory_checks=["I3011"])
    ours = [
        f"{match.rule.id}: {match.message}"
        for match in lint(sandbox.template(cluster), config=settings)
        if "Images" in str(match.path) or "NodeRole" in str(match.path)
    ]
    assert ours == []
    # what ECR makes of a cache has names that nobody knows before
    beyond = re.compile(r"Images.*AwsSolutions-IAM5\[Resource::.*:repository/pretrain/(docker-hub|quay)/\*\]")
    found_by_nag = [finding for finding in unacknowledged_findings(template) if "Images" in finding]
    assert [finding for finding in found_by_nag if not beyond.fullmatch(finding)] == []


@pytest.mark.long
def test_images_outlive_the_stack_and_are_named_as_existing_in_the_next_one(sandbox: Sandbox) -> None:
    images = {"repositories": [{"name": "train"}], "caches": [{"upstream": "quay"}]}
    declared = profile("pcs", images=images)
    stack = deployed(sandbox, declared)
    (kept,) = (r for r in stack.template.body["Resources"].values() if r["Type"] == "AWS::ECR::Repository")
    assert (kept["DeletionPolicy"], kept["UpdateReplacePolicy"]) == ("RetainExceptOnCreate", "Retain")
    sandbox.delete("pretrain")
    ecr = sandbox.client("ecr")
    assert [one["repositoryName"] for one in ecr.describe_repositories()["repositories"]] == [
        "pretrain/train"
    ]
    assert ecr.describe_pull_through_cache_rules()["pullThroughCacheRules"] == []
    again = {
        "repositories": [{"name": "train", "existing": "pretrain/train"}],
        "caches": [{"upstream": "quay"}],
    }
    sandbox.deploy(profile("pcs", name="pretrain", images=again, disposable=True))
    assert sandbox.ids("pretrain", "AWS::ECR::Repository") == {}


@pytest.mark.long
def test_a_disposable_repository_is_emptied_and_goes(sandbox: Sandbox) -> None:
    deployed(sandbox, profile("pcs", disposable=True, images={"repositories": [{"name": "train"}]}))
    ecr = sandbox.client("ecr")
    kind = "application/vnd.docker.distribution.manifest.v2+json"
    manifest = {
        "schemaVersion": 2,
        "mediaType": kind,
        "config": {"digest": "sha256:1", "size": 1},
        "layers": [],
    }
    ecr.put_image(repositoryName="pretrain/train", imageManifest=json.dumps(manifest), imageTag="v1")
    sandbox.delete("pretrain")
    assert ecr.describe_repositories()["repositories"] == []


def test_a_cluster_pulls_the_images_of_its_data_profile_too(sandbox: Sandbox) -> None:
    data = {
        "extends": "p6-b200-data", "name": "data", "storage": None,
        "images": {"repositories": [{"name": "base"}]},
    }  # fmt: skip
    sandbox.write(data)
    cluster = profile(
        "pcs",
        name="cluster",
        network=None,
        data={"profile": "data.yaml"},
        images={"caches": [{"upstream": "quay"}]},
    )
    template = json.loads(sandbox.template(sandbox.load(cluster)))
    assert resources_of(statements(template)["RegistryImages"]) == {"data/base", "cluster/quay/*"}
    assert not [r for r in template["Resources"].values() if r["Type"] == "AWS::ECR::Repository"]


@pytest.mark.parametrize("kind", KINDS)
def test_the_calls_of_the_command_are_those_of_its_policy(kind: str, sandbox: Sandbox) -> None:
    design = sandbox.load(profile(kind)).design
    assert design
    called: set[str] = set()

    def recorded(service: str) -> Any:
        client = sandbox.client(service)
        client.meta.events.register("before-call", lambda model, **_: called.add(f"{service}:{model.name}"))
        return client

    images = node_images(design)
    asked = (*questions(design, images), image_question(["ami-0123456789abcdef0"]))
    ask_all(asked, recorded, lambda _done, _of: None)
    allowed = {action for one in policy_of(design, images)["Statement"] for action in one["Action"]}
    assert called == allowed
    assert all(action.partition(":")[2].startswith(("Describe", "Get", "List")) for action in allowed)


def test_the_upstreams_of_the_catalogue_are_those_that_the_services_model_has() -> None:
    import botocore.session

    model: Any = botocore.session.get_session().get_service_model("ecr")
    known = set(model.shape_for("UpstreamRegistry").enum)
    assert set(registries().upstreams) <= known
    reported = (
        model.shape_for("CreatePullThroughCacheRuleRequest").members["upstreamRegistryUrl"].documentation
    )
    assert all(one.url is None or one.url in reported for one in registries().upstreams.values())


def test_a_profile_without_images_has_nothing_of_them() -> None:
    for kind in KINDS:
        design = load_cluster("p6-b200", orchestrator=kind).design
        assert design
        assert (design.images, design.pulled) == (None, None)
        scripts = [plan.scripts for plan in (design.hyperpod, design.pcs) if plan and plan.scripts]
        assert all("registry" not in name for one in scripts for name in one.files)
