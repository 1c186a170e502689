"""Run a custom resource handler through creation, update and deletion, and report protocol violations.

    with local_cloud() as cloud:
        report = exercise(handler, Environment(account_id=cloud.account, region="us-east-1"),
                          create={"Name": "a"}, changed={"Name": "b"}, framework=True)
        assert report.problems == []

The handler is called in this process with real events; its boto3 talks to the embedded cloud. Time passes
in `time.sleep` (by that name: a `from time import sleep` in the handler's module really waits).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import uuid4

from scripts.cloud.custom.archive import Handler
from scripts.cloud.custom.cdk.responses import answering
from scripts.cloud.custom.delivery import Provider
from scripts.cloud.custom.environment import Environment
from scripts.cloud.custom.functions import Function
from scripts.cloud.custom.invocation import one_at_a_time, run
from scripts.cloud.custom.protocol import Answer, Request
from scripts.cloud.custom.providers import Behaviour, Call
from scripts.cloud.template.errors import ResourceFailedError

_STACK, _LOGICAL_ID = "exercise", "Exercised"


@dataclass(frozen=True)
class Step:
    """One request and what came of it: an answer, or a problem, or an answer that is one."""

    name: str
    request: Request
    answer: Answer | None
    problem: str | None


@dataclass
class Report:
    """Every step in order."""

    steps: list[Step] = field(default_factory=list)

    @property
    def problems(self) -> list[str]:
        """What CloudFormation would not have taken, one line each; empty for a handler that is right."""
        return [f"{step.name}: {step.problem}" for step in self.steps if step.problem]

    @property
    def replaced(self) -> bool:
        """Whether the change gave the resource another physical id."""
        ids = [s.answer.physical_id for s in self.steps if s.name in ("create", "update") and s.answer]
        return len(set(ids)) > 1


def exercise(
    handler: Handler,
    environment: Environment,
    *,
    create: Mapping[str, Any],
    changed: Mapping[str, Any],
    framework: bool = False,
    variables: Mapping[str, str] | None = None,
    timeout_s: float = 900.0,
) -> Report:
    """Create, change and delete a resource, with every repetition that AWS may add.

    With `framework` the handler returns its answer, as under `custom_resources.Provider`; without, it sends
    it to the event's ResponseURL. `variables` and `timeout_s` are the function's.
    """
    arn = f"arn:aws:lambda:{environment.region}:{environment.account_id}:function:exercised"
    function = Function(arn=arn, name="exercised", variables=variables or {}, timeout_s=timeout_s)
    provider = Provider(environment, function, _behaviour(handler, framework=framework))
    life = _Life(provider, arn, environment)
    life.live(create, changed)
    return life.report


def _behaviour(handler: Handler, *, framework: bool) -> Behaviour:
    def behave(call: Call) -> Any:
        return run_handler(handler, call)

    return answering(lambda call: behave(call) or {}) if framework else behave


def run_handler(handler: Handler, call: Call) -> Any:
    """Run a handler that is loaded already as the code of a function."""
    with one_at_a_time:
        return run(lambda: handler, call.function, call.event, call.environment, call.clock)


class _Life:
    """One resource from its creation to its last deletion."""

    def __init__(self, provider: Provider, token: str, environment: Environment) -> None:
        self._provider, self._token = provider, token
        place = f"{environment.region}:{environment.account_id}"
        self._stack_id = f"arn:aws:cloudformation:{place}:stack/{_STACK}/{uuid4()}"
        self.report = Report()

    def live(self, create: Mapping[str, Any], changed: Mapping[str, Any]) -> None:
        """Every step. A repeated request, and a change back, must give the id that is there."""
        unknown = f"{_STACK}-{_LOGICAL_ID}-{uuid4().hex[:12]}"
        made = self._ask("create", "Create", create)
        if made is not None:
            # Lambda may deliver an event twice, and repeats it when the function fails after its work
            # https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
            self._ask("create repeated", "Create", create, same=made)
            made, create = self._change(made, create, changed)
            self._ask("delete", "Delete", create, made)
            self._ask("delete again", "Delete", create, made)
        self._ask("delete of what never existed", "Delete", create, unknown)

    def _change(
        self, made: str, create: Mapping[str, Any], changed: Mapping[str, Any]
    ) -> tuple[str, Mapping[str, Any]]:
        now = self._ask("update", "Update", changed, made, create)
        if now is None:
            self._ask("change back after a failed update", "Update", create, made, changed, same=made)
            return made, create
        self._ask("update repeated", "Update", changed, made, create, same=now)
        if now != made:
            self._ask("delete of what was replaced", "Delete", create, made)
            return now, changed
        self._ask("change back", "Update", create, made, changed, same=made)
        return made, create

    def _ask(
        self,
        name: str,
        kind: Literal["Create", "Update", "Delete"],
        properties: Mapping[str, Any],
        physical_id: str | None = None,
        old: Mapping[str, Any] | None = None,
        same: str | None = None,
    ) -> str | None:
        """Send one request; gives the physical id of a success, None where there was a failure."""
        request = Request(
            kind=kind,
            resource_type="Custom::Exercised",
            stack_id=self._stack_id,
            logical_id=_LOGICAL_ID,
            properties=self._with_token(properties),
            physical_id=physical_id,
            old_properties=None if old is None else self._with_token(old),
        )
        try:
            answer = self._provider.ask(request)
        except ResourceFailedError as error:
            self.report.steps.append(Step(name, request, None, str(error)))
            return None
        problem = answer.failure
        if problem is None and same is not None and answer.physical_id != same:
            problem = (
                f"physical id '{answer.physical_id}' instead of '{same}': CloudFormation would replace it"
            )
        self.report.steps.append(Step(name, request, answer, problem))
        return None if answer.failure else answer.physical_id

    def _with_token(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        return {"ServiceToken": self._token, **properties}
