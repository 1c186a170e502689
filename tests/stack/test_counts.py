"""Each built-in stack stays as small, and takes as few jsii round trips, as its row says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.conftest import Synthesized
from tests.profile.built_in import clusters

pytestmark = pytest.mark.synth

MOST_RESOURCES, MOST_BYTES = 400, 700_000
"""CloudFormation takes 500 and 1,000,000."""
LAZY = 2
"""Round trips for modules of the CDK that a process loads with the first stack that needs them."""

# jsii round trips, resources and bytes of the template: raise a figure in the commit that needs more
COUNTS = {
    ("p6-b200-data", None): (180, 46, 30_912),
    ("p5", "hyperpod-slurm"): (308, 57, 102_864),
    ("p5", "hyperpod-eks"): (586, 113, 183_955),
    ("p5", "eks"): (559, 110, 192_643),
    ("p5", "pcs"): (340, 64, 117_788),
    ("p5-dev", "hyperpod-slurm"): (316, 61, 106_079),
    ("p5-dev", "hyperpod-eks"): (594, 117, 187_070),
    ("p5-dev", "eks"): (567, 114, 187_245),
    ("p5-dev", "pcs"): (348, 68, 112_802),
    ("p5e", "hyperpod-slurm"): (308, 57, 102_965),
    ("p5e", "hyperpod-eks"): (586, 113, 184_099),
    ("p5en", "hyperpod-slurm"): (308, 57, 103_063),
    ("p5en", "hyperpod-eks"): (586, 113, 184_240),
    ("p5en", "eks"): (559, 110, 188_420),
    ("p5en", "pcs"): (340, 64, 113_587),
    ("p6-b200", "hyperpod-slurm"): (308, 57, 102_657),
    ("p6-b200", "hyperpod-eks"): (586, 113, 184_315),
    ("p6-b200", "eks"): (559, 110, 186_260),
    ("p6-b200", "pcs"): (340, 64, 111_031),
    ("p6-b200-cluster", "hyperpod-slurm"): (182, 17, 75_751),
    ("p6-b200-cluster", "hyperpod-eks"): (459, 74, 157_843),
    ("p6-b300", "hyperpod-slurm"): (308, 57, 102_658),
    ("p6-b300", "hyperpod-eks"): (586, 113, 184_316),
    ("p6-b300", "eks"): (559, 110, 188_524),
    ("p6-b300", "pcs"): (340, 64, 113_538),
    ("p6e-gb200", "hyperpod-slurm"): (321, 63, 106_788),
    ("p6e-gb200", "hyperpod-eks"): (599, 119, 188_806),
}


def test_every_built_in_stack_has_its_row_within_the_limits() -> None:
    assert set(COUNTS) == set(clusters())
    assert [
        row for row, (_, number, size) in COUNTS.items() if number >= MOST_RESOURCES or size >= MOST_BYTES
    ] == []


@pytest.mark.parametrize(("name", "kind"), COUNTS)
def test_a_built_in_stack_takes_no_more_than_its_row(
    name: str, kind: str | None, tried: Callable[[str, str | None], Synthesized]
) -> None:
    made, (trips, number, size) = tried(name, kind), COUNTS[name, kind]
    assert made.round_trips <= trips + LAZY
    assert len(made.template["Resources"]) <= number
    assert len(made.text.encode()) <= size
