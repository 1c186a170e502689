"""Plan of HyperPod nodes that do not run ultracluster's scripts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from config.cluster import Cluster
from config.design.report.plan import report

_THEIRS = "{kind: customer-managed, source_s3_uri: 's3://my-scripts/v1/', entry: go.sh}"
_LESS = "storage: {lustre: {efa: false, data_repositories: []}, local_nvme: null}\n"
_ALL = [
    "setup, check and tuning of Lustre over EFA",
    "`storage.local_nvme`",
    "checks of GPUs",
    "metrics of these checks",
]


@pytest.mark.parametrize(
    ("lifecycle", "storage", "undone"),
    [
        ("{kind: extended}", "", []),
        ("{kind: bootstrap}", "", _ALL),
        (_THEIRS, "", _ALL),
        (
            _THEIRS,
            _LESS,
            ["check and tuning of Lustre", "checks of GPUs", "metrics of these checks"],
        ),
    ],
)
def test_a_plan_names_all_that_is_left_to_somebody_else(
    check: Callable[..., Cluster], lifecycle: str, storage: str, undone: list[str]
) -> None:
    profile = f"extends: p6-b200\nname: mine\norchestrator: {{lifecycle: {lifecycle}}}\n{storage}"
    design = check(profile).design
    assert design
    reported = report(design).hyperpod
    assert reported
    assert [text for text in undone if not any(one.startswith(text) for one in reported.undone)] == []
    assert bool(reported.undone) is bool(undone)
    assert ("`storage.local_nvme`" in reported.undone) is ("`storage.local_nvme`" in undone)


def test_an_update_lets_the_lines_be_that_scripts_wrote_unless_the_profile_says_otherwise(
    check: Callable[..., Cluster],
) -> None:
    def strategy(orchestrator: str) -> str | None:
        design = check(f"extends: p6-b200\nname: mine\norchestrator: {{{orchestrator}}}\n").design
        assert design
        assert design.hyperpod
        return design.hyperpod.slurm_config_strategy

    assert strategy("provisioning: all-at-once") == "merge"
    assert strategy("lifecycle: {kind: bootstrap}") == "merge"  # lines of an earlier `extended` may be there
    assert strategy("slurm_config_strategy: managed") == "managed"
    assert strategy("provisioning: continuous") is None
