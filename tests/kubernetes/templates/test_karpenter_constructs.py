"""Karpenter's ground: the queue of interruptions, its rules, and the profile of its machines."""

from __future__ import annotations

import pytest

from tests.stack.library.nag import unacknowledged_findings
from tests.stack.library.support import Synthesized, lint_findings, synthesize
from ultracluster.kubernetes.karpenter import KarpenterPrerequisites, KarpenterPrerequisitesProps

pytestmark = pytest.mark.synth

PROPS = KarpenterPrerequisitesProps(
    queue_name="demo-karpenter", node_role_name="demo-nodes", tags={"project": "tests"}
)


@pytest.fixture(scope="module")
def made() -> Synthesized:
    return synthesize(lambda stack: KarpenterPrerequisites(stack, "Karpenter", PROPS))


def test_every_kind_of_news_reaches_the_queue_and_nobody_else_writes_to_it(made: Synthesized) -> None:
    kinds, (queue, _) = set(), made.named("AWS::SQS::Queue")
    for rule in made.of_type("AWS::Events::Rule").values():
        (target,) = rule["Properties"]["Targets"]
        assert target["Arn"] == {"Fn::GetAtt": [queue, "Arn"]}
        kinds |= set(rule["Properties"]["EventPattern"]["detail-type"])
    assert kinds == {
        "AWS Health Event",
        "EC2 Capacity Reservation Instance Interruption Warning",
        "EC2 Instance Rebalance Recommendation",
        "EC2 Instance State-change Notification",
        "EC2 Spot Instance Interruption Warning",
    }
    statements = made.properties("AWS::SQS::QueuePolicy")["PolicyDocument"]["Statement"]
    writers = [one["Principal"] for one in statements if one["Effect"] == "Allow"]
    assert writers == [{"Service": ["events.amazonaws.com"]}]


def test_the_queue_is_encrypted_and_forgets_old_news(made: Synthesized) -> None:
    queue = made.properties("AWS::SQS::Queue")
    assert (queue["QueueName"], queue["SqsManagedSseEnabled"]) == ("demo-karpenter", True)
    assert queue["MessageRetentionPeriod"] == 300


def test_the_profile_has_the_role_of_the_nodes_and_a_generated_name(made: Synthesized) -> None:
    assert made.properties("AWS::IAM::InstanceProfile") == {"Roles": ["demo-nodes"]}


def test_the_linter_and_nag_find_nothing(made: Synthesized) -> None:
    assert lint_findings(made.template) == []
    # no second queue for what was not read: news of five minutes ago is of no use to anybody
    queue, _ = made.named("AWS::SQS::Queue")
    assert unacknowledged_findings(made.template) == [f"{queue}: AwsSolutions-SQS3"]
