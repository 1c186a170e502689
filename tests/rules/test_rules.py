"""Every rule by profiles that break or keep it (config/rules/examples/*.yaml), and what a registry needs."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

import config.rules
from config.design.build import design
from config.diagnostics import Severity
from config.profile.source.loader import load
from config.rules.codes import CODES, OF_PARALLELCLUSTER
from config.rules.codes import RULES as OF_PROFILES
from config.rules.example_rows import ProfileExample, examples
from config.rules.reports import REPORTS
from config.rules.rooms import ROOMS
from scripts.tools.docs.rules.examples import load_example, write_example
from tests.tables import each_row, rows_of

RULES = (*OF_PROFILES, *OF_PARALLELCLUSTER)
ROWS = partial(rows_of, ProfileExample)


@each_row("row", ROWS)
def test_a_rule_says_what_is_wrong_where_and_in_which_figures(row: ProfileExample, tmp_path: Path) -> None:
    found = [d for d in load_example(row, tmp_path).diagnostics if d.code == row.code]
    if row.kind == "good":
        assert found == []
        return
    assert [d.path for d in found] == [row.at]
    said = f"{found[0].message}\n{found[0].hint}"
    assert [figure for figure in row.says if figure not in said] == []


@pytest.mark.parametrize("kind", ["bad", "good"])
def test_every_code_has_an_example_of_each_kind_and_every_example_a_code(kind: str) -> None:
    shown = {code for code, rows in examples().items() if any(row.kind == kind for row in rows)}
    assert shown == set(CODES)


def test_every_report_that_an_example_is_about_has_its_address() -> None:
    named = {row.report for rows in examples().values() for row in rows if row.report}
    assert named - set(REPORTS) == set()


@pytest.mark.long
@each_row("row", ROWS)
def test_a_rule_that_is_passed_over_for_its_kind_has_nothing_to_say(
    row: ProfileExample, tmp_path: Path
) -> None:
    write_example(row, tmp_path)
    profile = load(row.argument, orchestrator=row.orchestrator, base=tmp_path).profile
    designed = design(profile) if profile else None
    passed_over = [rule for rule in RULES if designed and rule.where and not rule.where & designed.kinds]
    assert [rule.code.code for rule in passed_over if designed and list(rule.check(designed))] == []


def test_a_kind_that_a_rule_is_about_is_one_that_profiles_have() -> None:
    orchestrators = {"hyperpod-slurm", "hyperpod-eks", "eks", "pcs"}
    capacity = {"on-demand", "spot", "odcr", "capacity-block", "training-plan"}
    storage = {
        "lustre", "lustre-efa", "lustre-2.12", "lustre-key", "gpudirect", "data-repositories", "backups",
        "root-squash", "scratch-2", "hdd", "intelligent-tiering", "existing-storage", "home", "s3-express",
        "mountpoints", "local-nvme", "several-mounts", "existing-bucket", "import-task",
        "checkpoint-paths", "home-key", "persistent-2",
    }  # fmt: skip
    hyperpod = {
        "continuous", "all-at-once", "bootstrap", "extended", "customer-managed", "user-script", "accounting",
        "deep_health_checks", "fallback_instance_types", "min_count", "volume_key_arn", "root_volume_key_arn",
        "ami_id", "scheduled_update", "auto_patch", "labels", "taints", "image_release", "autoscaling",
        "tiered_checkpointing", "task_governance", "training_operator", "inference_operator",
        "observability_addon", "managed-strategy",
    }  # fmt: skip
    observability = {
        "existing-prometheus", "metrics-key", "grafana-settings", "own-grafana", "collection", "repair",
        "uncollected", "alerts", "closed", "identity-center",
    }  # fmt: skip
    access = {"access", "people", "directory", "shared-directories", "sessions"}
    kinds = (
        hyperpod
        | access
        | observability
        | orchestrators
        | capacity
        | storage
        | {"public-charts", "registry-charts", "vendored-charts"}
        | {
            "new-network",
            "existing-network",
            "data",
            "workload",
            "karpenter",
            "slurm-settings",
            "spare",
            "next",
            "login",
            "threads_per_core",
            "local-zone",
            "tags",
            "budget",
            "calendar",
        }
        | {"images", "image-caches"}
        | {"environment", "deployment"}
    )
    assert {kind for rule in RULES for kind in rule.where} <= kinds


def test_rules_read_only_keys_that_exist() -> None:
    from config.profile.model import Profile

    assert {key for rule in RULES for key in rule.reads} <= set(Profile.model_fields)


def test_every_rule_has_a_code_of_its_own_and_says_why_and_where_from() -> None:
    codes = [rule.code.code for rule in RULES]
    assert len(set(codes)) == len(codes)
    for rule in RULES:
        assert rule.code.why.endswith(".")
        assert rule.code.source.startswith(("https://", "docs/"))
        assert not rule.code.holds.endswith(".")


def test_an_error_can_be_waived_only_where_it_names_a_fact_that_ages() -> None:
    for code in CODES.values():
        if code.severity is Severity.ERROR:
            assert code.waivable == bool(code.ages), code.code
        assert not code.ages.endswith("."), code.code


def test_warnings_and_notes_of_profiles_can_be_waived() -> None:
    mild = [rule.code for rule in RULES if rule.code.severity is not Severity.ERROR]
    assert [code.code for code in mild if not code.waivable] == []


def test_what_a_change_does_is_never_waived() -> None:
    assert [code for code in CODES if code.startswith("REV") and CODES[code].waivable] == []


def test_a_prefix_of_codes_stands_in_one_room_with_its_examples() -> None:
    rooms: dict[str, set[str]] = {}
    for rule in RULES:
        rooms.setdefault(rule.code.code[:3], set()).add(rule.check.__module__.rpartition(".")[0])
    assert {prefix: found for prefix, found in rooms.items() if len(found) > 1} == {}
    folder = Path(config.rules.__file__).parent
    for prefix, (room,) in rooms.items():
        shown = folder / room.rpartition(".")[2] / "examples"
        assert any(f"{prefix}0" in file.read_text() for file in shown.glob("*.yaml")), prefix


def test_a_module_is_imported_for_the_kinds_that_its_rules_are_about() -> None:
    about: dict[str, set[str]] = {}
    everywhere = {rule.check.__module__ for rule in OF_PROFILES if not rule.where}
    for rule in OF_PROFILES:
        about.setdefault(rule.check.__module__, set()).update(rule.where)
    declared = {
        f"config.rules.{room}.{name}": kinds for room, rows in ROOMS.items() for name, kinds in rows.items()
    }
    assert declared == {
        name: "" if name in everywhere else " ".join(sorted(kinds)) for name, kinds in about.items()
    }
