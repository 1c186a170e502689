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
    ("p5", "hyperpod-slurm"): (308, 57, 100_725),
    ("p5", "hyperpod-eks"): (577, 113, 181_369),
    ("p5", "eks"): (550, 110, 190_092),
    ("p5", "pcs"): (340, 64, 115_635),
    ("p5-dev", "hyperpod-slurm"): (316, 61, 103_940),
    ("p5-dev", "hyperpod-eks"): (585, 117, 184_484),
    ("p5-dev", "eks"): (558, 114, 184_694),
    ("p5-dev", "pcs"): (348, 68, 110_649),
    ("p5e", "hyperpod-slurm"): (308, 57, 100_749),
    ("p5e", "hyperpod-eks"): (577, 113, 181_436),
    ("p5en", "hyperpod-slurm"): (308, 57, 100_924),
    ("p5en", "hyperpod-eks"): (577, 113, 181_654),
    ("p5en", "eks"): (550, 110, 185_869),
    ("p5en", "pcs"): (340, 64, 111_434),
    ("p6-b200", "hyperpod-slurm"): (308, 57, 100_566),
    ("p6-b200", "hyperpod-eks"): (577, 113, 181_770),
    ("p6-b200", "eks"): (550, 110, 183_750),
    ("p6-b200", "pcs"): (340, 64, 108_926),
    ("p6-b200-cluster", "hyperpod-slurm"): (182, 17, 73_674),
    ("p6-b200-cluster", "hyperpod-eks"): (450, 74, 155_298),
    ("p6-b300", "hyperpod-slurm"): (308, 57, 100_567),
    ("p6-b300", "hyperpod-eks"): (577, 113, 181_771),
    ("p6-b300", "eks"): (550, 110, 186_014),
    ("p6-b300", "pcs"): (340, 64, 111_433),
    ("p6e-gb200", "hyperpod-slurm"): (321, 63, 104_620),
    ("p6e-gb200", "hyperpod-eks"): (590, 119, 186_184),
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
