"""Write a report as JSON, and its JSON Schema; other tools rely on both."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model

from config.diagnostics import Severity
from scripts.cli.json_schemas import COMPLETE, Schemas, json_schema_of
from scripts.cli.review.differences.grants import Kind
from scripts.cli.review.differences.money import Missing
from scripts.cli.review.differences.network_facts import Topic
from scripts.cli.review.layers import LAYERS, OTHER
from scripts.cli.review.model import ACTIONS, Action, Policy
from scripts.cli.review.report import Report

VERSION: Final = 1
"""The report's version: it increases when a key is removed or changes its meaning, not for a new key."""

_Number: TypeAlias = int | float


def _doc(text: str, attribute: str | None = None) -> Any:
    """Return a field with its description; `attribute` is the review's attribute if its name differs."""
    return Field(description=text, validation_alias=attribute)


def _enum(*values: str) -> Any:
    return Field(json_schema_extra={"enum": [*values]})


class _Form(BaseModel):
    """A part of the report; its values are read from the attributes of the same name in a review object."""

    model_config = ConfigDict(**COMPLETE, from_attributes=True)


_FIELDS: dict[str, Any] = {
    action.name: (int, Field(ge=0, alias=action.value, default=0)) for action in Action
}
_Counts: Any = create_model("Counts", __base__=_Form, **_FIELDS)


class Property(_Form):
    """One property that differs."""

    path: str = _doc("Path of the property; an item of an unordered list is identified by its name.", "name")
    before: Any = _doc("Old value; null if it is not set.")
    after: Any = _doc("New value; null if it is not set.")
    effect: Annotated[str, BeforeValidator(ACTIONS.__getitem__), _enum(*sorted(ACTIONS.values()))]
    because: tuple[str, ...] = _doc("Logical ids of the new resources in the value.")
    reason: str | None = _doc("Reason of the effect, if more is known than the schema contains.")
    source: str | None = _doc("Source of the reason.")


class Change(_Form):
    """The change of one resource."""

    logical_id: str = _doc("Logical id of the resource.")
    type: str = _doc("Resource type.")
    layer: Annotated[str, _enum(*LAYERS, OTHER)]
    action: Action
    policy: Policy | None = _doc("Fate of the old resource, if it is replaced or deleted.")
    because: tuple[str, ...] = _doc("Logical ids of the new resources that this resource refers to.")
    attributes: tuple[str, ...] = _doc("Attributes other than the properties that differ.")
    faults: tuple[str, ...] = _doc("Rejected values of the new properties.")
    reason: str | None = _doc("Reason of the action, if more is known than the schema contains.")
    source: str | None = _doc("Source of the reason.")
    properties: tuple[Property, ...] = _doc("The properties that differ.", "edits")


class Diagnostic(_Form):
    """One finding."""

    code: str = Field(json_schema_extra={"pattern": "^[A-Z]{3}[0-9]{3}$"})
    severity: Severity
    path: str = _doc("Logical id, or logical id and property; a key if the finding is about the profile.")
    message: str = _doc("Description of the problem.")
    hint: str = _doc("Description of the solution.")
    source: str = _doc("Source of the statement.")
    file: str | None
    line: int | None
    waived: str | None = _doc("Reason of the waiver in the template; null if the finding is not waived.")


class Waiver(_Form):
    """One waiver that differs."""

    code: str = _doc("Code of the findings that are accepted.")
    action: Literal["added", "removed", "changed"]
    before: str | None = _doc("Reason in OLD; null if there is none.")
    after: str | None = _doc("Reason in NEW; null if there is none.")
    holds: bool = _doc("False if the code cannot be waived.")


class Iam(_Form):
    """Permissions that a holder gains or loses together."""

    holder: str = _doc("Logical id of the role, or of the resource with the policy; otherwise a name.")
    kind: Kind
    change: Literal["gained", "lost"]
    effect: str = _doc("Allow or Deny.")
    principals: tuple[str, ...] = _doc("Principals; empty if the holder is the principal.")
    actions: tuple[str, ...] = _doc("Actions; the ARN of a managed policy or permissions boundary.")
    resources: tuple[str, ...] = _doc("Resources.")
    condition: str | None = _doc("The condition, as JSON.")
    wildcards: tuple[str, ...] = _doc("Wildcards in the permission.")
    widens: bool = _doc("True if more is allowed than before.")
    sentence: str = _doc("The change in one line.")


class Network(_Form):
    """Network access that is added (`opened`) or removed (`closed`)."""

    topic: Topic
    change: Literal["opened", "closed"]
    resource: str = _doc("Logical id of the resource that the access belongs to.")
    what: str = _doc("Description of the access.")
    public: bool = _doc("True if it is access from or to the internet.")
    sentence: str = _doc("The change in one line.")


class CostSide(_Form):
    """One billed item of one side."""

    count: _Number
    usd_per_hour: _Number | None = _doc(
        "Price per hour of all units; null if it is not listed or depends on use."
    )
    usd_per_month: _Number | None = _doc(
        "Price of all units for 730 hours; also null if the item is paid in advance."
    )
    note: str = _doc("Remark about the price.")
    missing: Missing | None = _doc("Reason of a missing total.")


class CostChange(_Form):
    """An item whose price or count differs."""

    item: str = _doc("Billed item.")
    before: CostSide | None
    after: CostSide | None
    usd_per_hour: _Number | None = _doc("Difference per hour; null if OLD or NEW has no total.")
    usd_per_month: _Number | None = _doc("Difference for 730 hours; also null if paid in advance.")


class Costs(_Form):
    """The items that differ, and the totals of all items with a listed price."""

    before_usd_per_hour: _Number
    after_usd_per_hour: _Number
    usd_per_hour: _Number
    before_usd_per_month: _Number
    after_usd_per_month: _Number
    usd_per_month: _Number = _doc("Difference for 730 hours.")
    unpriced: tuple[str, ...] = _doc("Items of NEW without a listed price; the totals do not include them.")
    changes: tuple[CostChange, ...]


class Quota(_Form):
    """A quota of which the sides need different amounts."""

    service_code: str = _doc("Service code in Service Quotas.")
    name: str = _doc("Name of the quota.")
    code: str | None = _doc("Code of the quota.")
    unit: str = _doc("Unit of the amounts.")
    before: _Number | None = _doc("Amount that OLD needs; null if OLD does not need the quota.")
    after: _Number | None = _doc("Amount that NEW needs; null if NEW does not need the quota.")
    default: _Number | None = _doc("Default value of the quota; null if it is not known.")
    per: str = _doc("Scope of the quota.")
    because: str = _doc("Resource that needs the amount.")
    source: str = _doc("Source of the default value.")
    must_be_raised: bool = _doc("True if NEW needs more than OLD and more than the default value.")


class Stack(_Form):
    """The review of one stack."""

    name: str | None = _doc("Name of the stack; null for a template file.", "stack")
    region: str = _doc("Region whose resource schemas were used.")
    status: Literal["changed", "unchanged", "added", "removed", "refused", "mended"]
    counts: _Counts = _doc("Number of resources by action.")
    changes: tuple[Change, ...] = _doc("Changes, the most dangerous first.")
    diagnostics: tuple[Diagnostic, ...]
    waivers: tuple[Waiver, ...] = _doc("Waivers that differ, by code.")
    profile: str | None = _doc("File of the profile, if profiles of two revisions are reviewed.")
    iam: tuple[Iam, ...] = _doc("Permissions that differ, the widest first.")
    network: tuple[Network, ...] = _doc(
        "Network access that is added (`opened`) or removed (`closed`), new public access first."
    )
    costs: Costs | None = _doc("Null if the price does not differ, or if OLD or NEW is not a profile.")
    quotas: tuple[Quota, ...] = _doc(
        "Quotas whose needed amount differs; quotas that must be raised are first."
    )
    gone: tuple[Diagnostic, ...] = _doc("Findings of the rules in OLD that NEW no longer has.")


class Review(_Form):
    """The report of two inputs."""

    version: Literal[1] = VERSION
    old: str = _doc("The argument OLD.")
    new: str = _doc("The argument NEW.")
    exit_status: Literal[0, 1] = _doc("1: at least one finding is an error.")
    stacks: tuple[Stack, ...]


class Problem(_Form):
    """Reason why an input cannot be used."""

    input: Literal["OLD", "NEW"]
    given: str = _doc("The argument.")
    message: str = _doc("Reason why the input cannot be used.")
    hint: str | None = _doc("A correct argument.")


class Problems(_Form):
    """The report if inputs cannot be used."""

    version: Literal[1] = VERSION
    exit_status: Literal[2] = Field(default=2, description="The inputs cannot be used.")
    problems: tuple[Problem, ...]


def as_json(report: Report) -> dict[str, Any]:
    """Return the report as JSON-ready data."""
    return Review.model_validate(report).model_dump(mode="json", by_alias=True)


def problems_as_json(problems: list[tuple[str, str, str, str | None]]) -> dict[str, Any]:
    """Return the problems of the inputs: (OLD or NEW, argument, message, hint)."""
    rows = [dict(zip(Problem.model_fields, problem, strict=True)) for problem in problems]
    return Problems.model_validate({"problems": rows}).model_dump(mode="json")


class _Names(Schemas):
    """Names of definitions in snake case."""

    def normalize_name(self, name: str) -> str:
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", super().normalize_name(name)).lower()


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of the output of `ultracluster review --json`."""
    return json_schema_of(Review | Problems, "ultracluster review", generator=_Names)
