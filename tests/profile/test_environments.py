"""Names in an environment: nobody else has them, and every service takes them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from config.cluster import Cluster, load_cluster
from config.design.build import design
from config.design.network.plan import plan_network
from config.design.physical_names import FINGERPRINT, FORMS, Form, Scope
from config.design.slurm.accounting import plan_accounting
from config.profile.environment import MARK, declared_name, full_name, in_environment
from config.profile.orchestrator import HyperPodSlurm
from config.profile.slurm.hyperpod import NewAccounting
from config.profile.source.loader import load
from config.rules.profile.environments import name_does_not_end_like_a_topic, name_leaves_the_mark_free
from tests.conftest import ROOT
from tests.tables import each_row

Check = Callable[..., Cluster]
SEVERITIES = {"critical", "info", "warning"}  # words that names of topics end with

# words that names of services have too, so that one could run into another
WORDS = st.sampled_from(
    [
        "a",
        "b",
        "env",
        "prod",
        "dev",
        "critical",
        "warning",
        "nodes",
        "alerts",
        "secrets",
        "karpenter",
        "c0ffee",
    ]
)
NAMES = st.lists(WORDS, min_size=1, max_size=4).map("-".join).filter(lambda name: len(name) <= 32)
ENVIRONMENTS = st.none() | WORDS
ALONE = tuple(form for form in FORMS if form.scope is Scope.REGION)
TOPIC_WORDS = ["critical", "critical-warning", "critical-info-warning", "info", "info-warning", "warning"]


def is_accepted(name: str, environment: str | None) -> bool:
    """ENV001 and ENV005 as they are meant, without a design."""
    _, *parts = name.split("-")
    like_a_topic = bool(parts) and parts[-1] in SEVERITIES and environment is None
    return MARK not in parts and not like_a_topic


def words_of(form: Form) -> list[str]:
    if form.type == "AWS::SNS::Topic":
        return TOPIC_WORDS
    if form.type == "AWS::CloudWatch::Alarm":
        return ["AmpDiscardedSamples", "LustreTargetFull"]
    return ["b", "nodes", "prod", "env", "alerts", "lustre-operations", "flow-logs"]


def names_of(full: str) -> set[tuple[str, str]]:
    """Every name that must be alone in an account and Region, of a profile that is called so."""
    found = set()
    for form in ALONE:
        for word, fingerprint in product(words_of(form), ("c0ffee", "a1b2c3")):
            found.add((form.type, form.shape.format(name=full, hex=fingerprint, word=word)))
    return found


@pytest.mark.long
@settings(max_examples=400)
@given(NAMES, ENVIRONMENTS, NAMES, ENVIRONMENTS)
def test_no_two_profiles_or_environments_have_a_name_in_common(
    name: str, environment: str | None, other: str, elsewhere: str | None
) -> None:
    assume((name, environment) != (other, elsewhere))
    assume(is_accepted(name, environment) and is_accepted(other, elsewhere))
    assert not names_of(full_name(name, environment)) & names_of(full_name(other, elsewhere))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("p5-dev", None), ("p5", "dev")),  # two built-in profiles, and one of them in dev
        (("a-b", "c"), ("a", "b")),
        (("a", "b"), ("a-b", None)),
    ],
)
def test_a_hyphen_alone_does_not_stand_between_them(
    one: tuple[str, str | None], other: tuple[str, str | None]
) -> None:
    assert not names_of(full_name(*one)) & names_of(full_name(*other))


@given(NAMES, ENVIRONMENTS)
def test_the_rules_refuse_exactly_the_names_that_could_run_into_another(
    name: str, environment: str | None
) -> None:
    profile = load("p6-b200").profile
    assert profile is not None
    made = design(in_environment(profile.model_copy(update={"name": name, "environment": environment})))
    found = [*name_leaves_the_mark_free.check(made), *name_does_not_end_like_a_topic.check(made)]
    assert (not found) == is_accepted(name, environment)


def test_without_an_environment_every_name_has_room() -> None:
    longest = "a" * 32
    assert [form.what for form in FORMS if form.length(longest) > form.most] == []


@each_row("form", FORMS, lambda form: form.shape)
def test_a_form_fits_the_names_that_it_describes(form: Form) -> None:
    word = "w" * max(1, form.longest_word)
    made = form.shape.format(name="n" * 10, hex="0" * FINGERPRINT, word=word if form.longest_word else "")
    assert form.pattern.fullmatch(made)
    assert len(made) == form.length("n" * 10)
    assert len(made) <= form.most
    assert form.source.startswith("https://docs.aws.amazon.com/")


def test_the_form_of_the_database_is_the_one_that_is_made() -> None:
    (form,) = [form for form in FORMS if form.type.startswith("database")]
    profile = load("p6-b200").profile
    assert profile is not None
    orchestrator = HyperPodSlurm(kind="hyperpod-slurm", accounting=NewAccounting(kind="new"))
    named = profile.model_copy(update={"orchestrator": orchestrator})
    network = plan_network(named)
    assert network is not None
    made = plan_accounting(named, network, "mine-env-prod-c0ffee")
    assert made is not None
    assert form.shape.format(name="mine_env_prod", hex="c0ffee") == made.database


def test_everything_is_named_after_the_profile_in_its_environment(check: Check) -> None:
    reported = check("extends: p6-b200\nname: mine\nenvironment: prod\n")
    assert reported.design is not None
    profile = reported.design.profile
    assert (profile.name, declared_name(profile), profile.environment) == ("mine-env-prod", "mine", "prod")
    assert reported.design.hyperpod is not None
    assert reported.design.hyperpod.cluster_name.startswith("mine-env-prod-")


def test_an_environment_of_the_profile_above_is_taken_over_and_can_be_another(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text("extends: p6-b200\nname: mine\nenvironment: dev\n")
    (tmp_path / "prod.yaml").write_text("extends: ./mine.yaml\nenvironment: prod\n")
    (tmp_path / "none.yaml").write_text("extends: ./mine.yaml\nname: mine\nenvironment: null\n")
    names = {}
    for file in ("mine", "prod", "none"):
        cluster = load_cluster(str(tmp_path / f"{file}.yaml"))
        assert cluster.design is not None
        # a profile that stands beside the one that it extends needs no other name
        assert "PRO028" not in {diagnostic.code for diagnostic in cluster.diagnostics}
        names[file] = cluster.design.profile.name
    assert names == {"mine": "mine-env-dev", "prod": "mine-env-prod", "none": "mine"}


@pytest.mark.parametrize("declared", ["environment: dev", "disposable: true"])
def test_a_profile_in_the_environment_of_the_one_above_is_the_same_stack(
    declared: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.yaml").write_text("extends: p6-b200\nname: mine\nenvironment: dev\n")
    (tmp_path / "again.yaml").write_text(f"extends: ./mine.yaml\n{declared}\n")
    cluster = load_cluster(str(tmp_path / "again.yaml"))
    assert "PRO028" in {diagnostic.code for diagnostic in cluster.diagnostics}


def test_data_is_that_of_the_profile_that_is_named_in_its_own_environment(tmp_path: Path) -> None:
    (tmp_path / "data.yaml").write_text("extends: p6-b200-data\nname: data\nenvironment: dev\n")
    (tmp_path / "data-prod.yaml").write_text("extends: ./data.yaml\nenvironment: prod\n")
    (tmp_path / "mine.yaml").write_text(
        "extends: p6-b200-cluster\nname: mine\nenvironment: prod\ndata: {profile: ./data-prod.yaml}\n"
    )
    cluster = load_cluster(str(tmp_path / "mine.yaml"))
    assert cluster.design is not None
    assert cluster.design.attachment is not None
    assert cluster.design.attachment.prefix.startswith("/ultracluster/data-env-prod/v1-")
    assert "ENV003" not in {diagnostic.code for diagnostic in cluster.diagnostics}


def test_the_page_has_the_limits_of_the_registry() -> None:
    page = (ROOT / "docs" / "guides" / "environments.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:4] for line in page.splitlines() if line.startswith("|") and "---" not in line][
        1:
    ]
    rooms = {(form.what, form.most): form.room for form in FORMS}
    assert len(rows) >= 5
    for what, most, room in rows:
        assert rooms[what.strip().removesuffix(" on HyperPod"), int(most)] == int(room)
