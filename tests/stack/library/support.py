"""What the tests of the construct library share: synthesis, questions to a template, cfn-lint."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aws_cdk import App, Environment, Stack
from cfnlint.api import lint  # type: ignore[import-untyped]  # cfn-lint ships no types
from cfnlint.config import ManualArgs  # type: ignore[import-untyped]  # cfn-lint ships no types

from ultracluster.retention import Retention

REGION = "us-west-2"


@dataclass(frozen=True)
class Synthesized:
    """A template, with the questions that tests ask of it."""

    template: dict[str, Any]

    @property
    def resources(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = self.template.get("Resources", {})
        return found

    def of_type(self, resource_type: str) -> dict[str, dict[str, Any]]:
        return {key: value for key, value in self.resources.items() if value["Type"] == resource_type}

    def named(self, resource_type: str, part: str = "") -> tuple[str, dict[str, Any]]:
        """Logical id and resource of the one resource of a type whose id contains a text."""
        (found,) = [(key, value) for key, value in self.of_type(resource_type).items() if part in key]
        return found

    def properties(self, resource_type: str, part: str = "") -> dict[str, Any]:
        found: dict[str, Any] = self.named(resource_type, part)[1]["Properties"]
        return found

    def statements(self, role_part: str = "") -> dict[str, dict[str, Any]]:
        """Statements of a role's inline policies, by Sid."""
        policies = self.properties("AWS::IAM::Role", role_part)["Policies"]
        return {
            statement["Sid"]: statement
            for policy in policies
            for statement in policy["PolicyDocument"]["Statement"]
        }


def synthesize(build: Callable[[Stack], object], app: App | None = None) -> Synthesized:
    app = app or App(analytics_reporting=False)
    stack = Stack(app, "Demo", env=Environment(region=REGION))
    build(stack)
    return Synthesized(app.synth().get_stack_by_name("Demo").template)


def retention_of(resource: Mapping[str, Any]) -> Retention | None:
    """How a resource outlives its stack; None where neither policy is written."""
    policies = resource.get("DeletionPolicy"), resource.get("UpdateReplacePolicy")
    return {
        ("RetainExceptOnCreate", "Retain"): Retention.RETAIN,
        ("Retain", "Retain"): Retention.ALWAYS,
        ("Delete", "Delete"): Retention.DISPOSABLE,
        (None, None): None,
    }[policies]


def depends_on(resource: Mapping[str, Any]) -> list[str]:
    """Explicit dependencies, of which CloudFormation takes one as a bare text."""
    found = resource.get("DependsOn", [])
    return [found] if isinstance(found, str) else list(found)


def lint_findings(template: Mapping[str, Any]) -> list[str]:
    """Findings of cfn-lint, with the rule that stateful resources state both policies (I3011)."""
    arguments = ManualArgs(regions=[REGION], include_checks=["I3011"])
    return [
        f"{match.rule.id} {'/'.join(map(str, match.path or []))}: {match.message}"
        for match in lint(json.dumps(template), config=arguments)
    ]
