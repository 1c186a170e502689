"""The repair policy on each control plane, with a reason for each unsupported action."""

from __future__ import annotations

import pytest

from config.catalog.observability.xids import xids
from config.design.nodes.repair.policy import RepairPolicy, default_conditions, plan_policy
from config.design.nodes.repair.targets import (
    CHECKED,
    TARGETS,
    compiled,
    eks_overrides,
    karpenter_repair,
    script_cures,
    script_repair,
)
from config.design.observability.alerts import by_name
from config.profile.observability.alerts import Repair, RepairStep

DEFAULT = plan_policy(Repair())


def _words(policy: RepairPolicy, condition: str) -> dict[str, str | None]:
    return {one.target: one.done for one in compiled(policy) if one.condition == condition}


def test_every_condition_is_expressed_on_every_control_plane_or_has_a_reason() -> None:
    found = compiled(DEFAULT)
    assert len(found) == len(DEFAULT.conditions) * len(TARGETS)
    assert [one for one in found if one.done is None and not one.why] == []


def test_every_xid_has_a_condition_with_the_same_action() -> None:
    for code, row in xids().rows.items():
        assert default_conditions()[f"xid-{code}"].action == row.action


def test_every_alert_that_a_condition_names_exists() -> None:
    for condition in default_conditions().values():
        assert condition.alerts
        assert set(condition.alerts) <= by_name().keys(), condition.name


def test_a_fault_is_said_in_the_words_of_each() -> None:
    assert _words(DEFAULT, "row-remap-failure") == {
        "hyperpod-slurm": "state fail, reason Action:Replace",
        "pcs": "drained",
        "eks": None,
        "karpenter": None,
        "hyperpod-eks": None,
    }
    assert _words(DEFAULT, "xid-79")["eks"] == "Reboot"
    assert _words(DEFAULT, "xid-94")["eks"] is None  # an event of the agent, and no condition
    assert _words(DEFAULT, "xid-31") == dict.fromkeys(TARGETS, "alert only")


def test_scripts_get_a_word_for_everything_that_they_check() -> None:
    cures = dict(one.split("=") for one in script_cures(DEFAULT).split())
    assert tuple(cures) == CHECKED
    assert (cures["gpu-missing"], cures["row-remap-failure"], cures["efa-missing"]) == (
        "reboot",
        "replace",
        "look",
    )


@pytest.mark.parametrize(
    ("step", "action"),
    [("replace", "Replace"), ("reboot", "Reboot"), ("report", "NoAction"), ("none", "NoAction")],
)
def test_a_profile_overrides_a_condition_for_eks_even_on_spot(step: RepairStep, action: str) -> None:
    policy = plan_policy(Repair(actions={"xid-74": step}))
    (spot,) = eks_overrides(policy, scarce=False)
    assert (spot.condition, spot.reason, spot.action, spot.wait_minutes) == (
        "AcceleratedHardwareReady",
        "NvidiaXID74Error",
        action,
        10,
    )
    assert spot in eks_overrides(policy, scarce=True)


def test_a_scarce_machine_is_never_replaced_by_default() -> None:
    overrides = eks_overrides(DEFAULT, scarce=True)
    assert {one.action for one in overrides} == {"Reboot", "NoAction"}
    assert {f"NvidiaXID{code}Error" for code in xids().unfit} <= {one.reason for one in overrides}
    assert eks_overrides(DEFAULT, scarce=False) == ()


def test_karpenter_repairs_only_where_everything_is_to_be_replaced() -> None:
    assert not karpenter_repair(DEFAULT).enabled
    reported = [one.name for one in DEFAULT.conditions.values() if one.reasons]
    assert karpenter_repair(plan_policy(Repair(actions=dict.fromkeys(reported, "replace")))).enabled


def test_an_unknown_condition_changes_no_action() -> None:
    assert plan_policy(Repair(actions={"no-such-fault": "reboot"})).conditions == DEFAULT.conditions


@pytest.mark.parametrize(
    ("kind", "repaired", "by"),
    [("pcs", False, "slurm"), ("hyperpod-slurm", True, "hyperpod"), ("hyperpod-slurm", False, "none")],
)
def test_scripts_know_who_repairs(kind: str, repaired: bool, by: str) -> None:
    settings = script_repair(plan_policy(Repair(max_nodes_at_once=3)), kind, (), repaired=repaired)
    assert (settings["REPAIR"], settings["REPAIRS_AT_ONCE"]) == (by, "3")
    assert settings["NO_REPAIR_AFTER"] == ""
