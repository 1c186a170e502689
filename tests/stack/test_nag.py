"""cdk-nag's AwsSolutions rules over every template; what is acknowledged stands in the library's tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from config.profile.source.reference import built_in_names
from tests.conftest import Synthesized
from tests.stack.library.nag import nag_findings, unacknowledged_findings


@pytest.mark.sample(3)
@pytest.mark.synth
@pytest.mark.parametrize("name", built_in_names())
def test_the_template_has_no_unacknowledged_finding(
    name: str, synthesized: Callable[[str], Synthesized]
) -> None:
    assert unacknowledged_findings(synthesized(name).template) == []


@pytest.mark.synth
def test_the_rules_see_a_wrong_template(synthesized: Callable[[str], Synthesized]) -> None:
    template = synthesized("p6-b200").template
    without = {k: v for k, v in template["Resources"].items() if v["Type"] != "AWS::EC2::FlowLog"}
    assert any("VPC7" in finding for _, finding in nag_findings(template | {"Resources": without}))
