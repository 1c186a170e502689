"""Names of repositories and caches, and short image names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.catalog.registries import registries
from config.cluster import Cluster, load_cluster
from config.design.model import Design
from config.design.nodes.containers import (
    ImagesPlan,
    PulledImages,
    plan_images,
    plan_pulled,
    registry_of,
    resolved,
)
from config.profile.base import REPOSITORY
from config.profile.images import ImageCache, ImageRepository, Images
from config.profile.model import Profile
from scripts.tools.fuzz.profiles.images import draw_images

Check = Callable[[str], Cluster]
WORDS = st.from_regex(r"[a-z0-9]{1,6}", fullmatch=True)
NAMES = st.builds(
    lambda first, rest: first + "".join(sign + word for sign, word in rest),
    st.from_regex(r"[a-z0-9]{2,6}", fullmatch=True),
    st.lists(st.tuples(st.sampled_from([".", "_", "__", "-", "--", "/"]), WORDS), max_size=4),
)
TAGS = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,20}", fullmatch=True)
SECRET = "arn:aws:secretsmanager:us-west-2:123456789012:secret:ecr-pullthroughcache/hub-AbCdEf"


def planned(images: Images) -> PulledImages:
    base = load_cluster("p6-b200").design
    assert base
    profile = base.profile.model_copy(update={"name": "pretrain", "images": images})
    pulled = plan_pulled(plan_images(profile))
    assert pulled
    return pulled


PULLED = planned(
    Images(
        repositories=(ImageRepository(name="train"), ImageRepository(name="base", existing="platform/base")),
        caches=(
            ImageCache(upstream="docker-hub", secret_arn=SECRET),
            ImageCache(upstream="github-container-registry", secret_arn=SECRET),
            ImageCache(upstream="quay", prefix="quay"),
        ),
    )
)


@pytest.mark.parametrize(
    ("short", "path"),
    [
        ("train", "pretrain/train:latest"),
        ("train:v7", "pretrain/train:v7"),
        ("pretrain/train:v7", "pretrain/train:v7"),
        ("train@sha256:" + "0" * 64, "pretrain/train@sha256:" + "0" * 64),
        ("train:v7@sha256:" + "0" * 64, "pretrain/train@sha256:" + "0" * 64),
        ("base:1", "platform/base:1"),
        ("docker.io/ubuntu:24.04", "pretrain/docker-hub/library/ubuntu:24.04"),
        ("docker.io/library/ubuntu:24.04", "pretrain/docker-hub/library/ubuntu:24.04"),
        ("docker.io/rocm/pytorch", "pretrain/docker-hub/rocm/pytorch:latest"),
        ("ghcr.io/team/eval:3", "pretrain/github/team/eval:3"),
        ("quay.io/team/eval:3", "quay/team/eval:3"),
        ("nvcr.io/nvidia/pytorch:26.09-py3", None),
        ("localhost:5000/train:v7", None),
        ("other:v7", None),
    ],
)
def test_an_image_that_is_written_short_has_one_path(short: str, path: str | None) -> None:
    assert resolved(PULLED, short) == path


@pytest.mark.long
@given(name=NAMES, tag=TAGS)
def test_every_repository_is_found_by_its_name_and_tag(name: str, tag: str) -> None:
    pulled = planned(Images(repositories=(ImageRepository(name=name),)))
    assert resolved(pulled, f"{name}:{tag}") == f"pretrain/{name}:{tag}"
    assert resolved(pulled, name) == f"pretrain/{name}:latest"


@given(image=st.text(max_size=60))
def test_whatever_is_typed_has_a_path_below_the_profiles_own_or_none(image: str) -> None:
    path = resolved(PULLED, image)
    assert path is None or path.startswith(("pretrain/", "platform/base", "quay/"))
    assert resolved(None, image) is None


@given(untagged=st.integers(0, 3650), keep=st.none() | st.integers(1, 100_000))
def test_a_lifecycle_policy_is_one_that_ecr_takes(untagged: int, keep: int | None) -> None:
    repository = ImageRepository(name="train", expire_untagged_days=untagged, keep_images=keep)
    (plan,) = planned(Images(repositories=(repository,))).repositories
    if not untagged and keep is None:
        assert plan.lifecycle is None
        return
    assert plan.lifecycle is not None
    # the length of the schema, AWS::ECR::Repository
    assert 100 <= len(plan.lifecycle) <= 30720
    rules = json.loads(plan.lifecycle)["rules"]
    assert [rule["rulePriority"] for rule in rules] == list(range(1, len(rules) + 1))
    assert all(rule["selection"]["tagStatus"] != "any" for rule in rules[:-1])


@pytest.mark.long
@given(data=st.data())
def test_generated_images_have_names_of_their_own_in_the_registry(data: st.DataObject) -> None:
    declared = data.draw(st.composite(lambda draw: draw_images(draw, "us-west-2"))())
    base = load_cluster("p6-b200").design
    assert base
    profile = Profile.model_validate({**base.profile.model_dump(by_alias=True), **_listed(declared)})
    plan = plan_images(profile)
    if plan is None:
        return
    assert isinstance(plan, ImagesPlan)
    names = [one.name for one in plan.repositories]
    prefixes = [one.prefix for one in plan.caches]
    assert len(set(names)) == len(names)
    assert len(set(prefixes)) == len(prefixes)
    assert all(re.fullmatch(REPOSITORY, name) for name in (*names, *prefixes))


def _listed(declared: dict[str, object]) -> dict[str, object]:
    return declared


def test_the_registry_of_a_chinese_region_has_another_suffix() -> None:
    assert registry_of("123456789012", "us-west-2") == "123456789012.dkr.ecr.us-west-2.amazonaws.com"
    assert registry_of("123456789012", "cn-north-1").endswith(".amazonaws.com.cn")


@pytest.mark.parametrize("kind", ["hyperpod-slurm", "hyperpod-eks", "eks", "pcs"])
def test_a_closed_network_reaches_the_registry_where_nodes_pull_from_it(kind: str) -> None:
    def endpoints(images: Images | None) -> set[str]:
        from config.design.network.references import interface_endpoints

        base = load_cluster("p6-b200", orchestrator=kind).design
        assert base
        return set(interface_endpoints(base.profile.model_copy(update={"images": images})))

    registry = {"ecr.api", "ecr.dkr"}
    with_images = endpoints(Images(repositories=(ImageRepository(name="train"),)))
    assert registry <= with_images
    assert with_images - endpoints(None) == (registry if kind == "pcs" else set())


def test_the_longest_name_of_a_repository_fits_with_the_longest_name_of_a_profile() -> None:
    longest = ImageRepository.model_fields["name"].metadata
    (most,) = (one.max_length for one in longest if hasattr(one, "max_length"))
    assert most + len("/") + 32 <= 256


@pytest.mark.parametrize("name", sorted(registries().upstreams))
def test_every_upstream_of_the_catalogue_can_be_stated(name: str, check_images: Check) -> None:
    upstream = registries().upstreams[name]
    more = f", host: mine.{upstream.host}" if upstream.url is None else ""
    more += f", secret_arn: '{SECRET}'" if upstream.secret else ""
    cluster = check_images(f"images: {{caches: [{{upstream: {name}{more}}}]}}\n")
    assert [one.code for one in cluster.diagnostics if one.code.startswith("IMG")] == []


@pytest.fixture
def check_images(tmp_path: object) -> Check:
    from pathlib import Path

    folder = Path(str(tmp_path))

    def load(text: str) -> Cluster:
        (folder / "my.yaml").write_text(f"extends: p6-b200\nname: mine\n{text}", encoding="utf-8")
        return load_cluster("my.yaml", base=folder)

    return load


def test_what_stays_of_a_profile_names_repositories_and_cached_images(check_images: Check) -> None:
    from config.design.report.retained import retained_of

    cluster = check_images("images: {repositories: [{name: train}], caches: [{upstream: quay}]}\n")
    assert isinstance(cluster.design, Design)
    reported = [one.as_text() for one in retained_of(cluster.design)]
    assert "repository mine/train" in reported
    assert "cached images under mine/quay/" in reported
