"""A report as JSON, and the JSON Schema of it that other tools rely on."""

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
"""Goes up when a key changes its meaning or goes; a new key does not change it."""

_Number: TypeAlias = int | float


def _doc(text: str, attribute: str | None = None) -> Any:
    """A key: its description, and the attribute that it is read from where that has another name."""
    return Field(description=text, validation_alias=attribute)


def _words(*words: str) -> Any:
    return Field(json_schema_extra={"enum": [*words]})


class _Form(BaseModel):
    """A part of the report, read from the object of the review that has the same attributes."""

    model_config = ConfigDict(**COMPLETE, from_attributes=True)


_FIELDS: dict[str, Any] = {
    action.name: (int, Field(ge=0, alias=action.value, default=0)) for action in Action
}
_Counts: Any = create_model("Counts", __base__=_Form, **_FIELDS)


class Property(_Form):
    """One property that differs."""

    path: str = _doc("Path of the property; an item of a list without order goes by its name.", "name")
    before: Any = _doc("The value; null for none.")
    after: Any = _doc("The value; null for none.")
    effect: Annotated[str, BeforeValidator(ACTIONS.__getitem__), _words(*sorted(ACTIONS.values()))]
    because: tuple[str, ...] = _doc("Logical ids of the new resources that the value comes from.")
    reason: str | None = _doc("Why, where more is known than the schema says.")
    source: str | None = _doc("Who says so.")


class Change(_Form):
    """What becomes of one resource."""

    logical_id: str = _doc("Logical id of the resource.")
    type: str = _doc("Resource type.")
    layer: Annotated[str, _words(*LAYERS, OTHER)]
    action: Action
    policy: Policy | None = _doc("What becomes of the old resource, where it is replaced or deleted.")
    because: tuple[str, ...] = _doc("Logical ids of the new resources that this one refers to.")
    attributes: tuple[str, ...] = _doc("Attributes beside the properties that differ.")
    faults: tuple[str, ...] = _doc("What is refused of the properties as they will be.")
    reason: str | None = _doc("Why, where more is known than the schema says.")
    source: str | None = _doc("Who says so.")
    properties: tuple[Property, ...] = _doc("The properties that differ.", "edits")


class Diagnostic(_Form):
    """One finding."""

    code: str = Field(json_schema_extra={"pattern": "^[A-Z]{3}[0-9]{3}$"})
    severity: Severity
    path: str = _doc(
        "Logical id, or logical id and property; a key where the profile is what is found wrong."
    )
    message: str = _doc("What is wrong.")
    hint: str = _doc("The way out.")
    source: str = _doc("Who says so.")
    file: str | None
    line: int | None
    waived: str | None = _doc("Why the template accepts it; null where it does not.")


class Waiver(_Form):
    """One waiver that differs."""

    code: str = _doc("Code of the diagnostics that are accepted.")
    action: Literal["added", "removed", "changed"]
    before: str | None = _doc("The reason in OLD; null for none.")
    after: str | None = _doc("The reason in NEW; null for none.")
    holds: bool = _doc("False: the code cannot be waived.")


class Iam(_Form):
    """Grants that a holder gains or loses together."""

    holder: str = _doc("Logical id of the role, or of the resource whose policy it is; else a name.")
    kind: Kind
    change: Literal["gained", "lost"]
    effect: str = _doc("Allow or Deny.")
    principals: tuple[str, ...] = _doc("Who; empty where the holder itself is who.")
    actions: tuple[str, ...] = _doc("What; of a managed policy or a boundary its ARN.")
    resources: tuple[str, ...] = _doc("On what.")
    condition: str | None = _doc("The condition, as JSON.")
    wildcards: tuple[str, ...] = _doc("What is wide of it.")
    widens: bool = _doc("More is allowed than before.")
    sentence: str = _doc("The change in one line.")


class Network(_Form):
    """One way that opens or closes."""

    topic: Topic
    change: Literal["opened", "closed"]
    resource: str = _doc("Logical id of what the way belongs to.")
    what: str = _doc("The way in words.")
    public: bool = _doc("It leads in from, or into, the internet.")
    sentence: str = _doc("The change in one line.")


class CostSide(_Form):
    """One billed item of one side."""

    count: _Number
    usd_per_hour: _Number | None = _doc("For all of it; null where no price is listed or its use decides.")
    usd_per_month: _Number | None = _doc("Of 730 hours; null too of what is paid in advance.")
    note: str = _doc("What else is to be known of the price.")
    missing: Missing | None = _doc("Why a sum is not told.")


class CostChange(_Form):
    """An item that costs something else, or is billed for another count."""

    item: str = _doc("What is billed.")
    before: CostSide | None
    after: CostSide | None
    usd_per_hour: _Number | None = _doc("By how much it costs more; null where a side tells no sum.")
    usd_per_month: _Number | None = _doc("Of 730 hours; null too of what is paid in advance.")


class Costs(_Form):
    """The items that differ, and the sums of all that has a listed price."""

    before_usd_per_hour: _Number
    after_usd_per_hour: _Number
    usd_per_hour: _Number
    before_usd_per_month: _Number
    after_usd_per_month: _Number
    usd_per_month: _Number = _doc("Of 730 hours.")
    unpriced: tuple[str, ...] = _doc("The items of NEW that are in no sum: no price is listed.")
    changes: tuple[CostChange, ...]


class Quota(_Form):
    """A quota of which a cluster needs another amount."""

    service_code: str = _doc("The service as Service Quotas names it.")
    name: str = _doc("The quota's name.")
    code: str | None = _doc("The quota's code.")
    unit: str = _doc("What is counted.")
    before: _Number | None = _doc("What OLD needs; null for none.")
    after: _Number | None = _doc("What NEW needs; null for none.")
    default: _Number | None = _doc("What a new account has; null where that is not known.")
    per: str = _doc("What the quota counts for.")
    because: str = _doc("What needs it.")
    source: str = _doc("Who says so.")
    must_be_raised: bool = _doc("NEW needs more than OLD, and more than a new account has.")


class Stack(_Form):
    """The review of one stack."""

    name: str | None = _doc("Name of the stack; null for a template file.", "stack")
    region: str = _doc("Region whose resource schemas were used.")
    status: Literal["changed", "unchanged", "added", "removed", "refused", "mended"]
    counts: _Counts = _doc("Number of resources by action.")
    changes: tuple[Change, ...] = _doc("The most dangerous first.")
    diagnostics: tuple[Diagnostic, ...]
    waivers: tuple[Waiver, ...] = _doc("Waivers that differ, by code.")
    profile: str | None = _doc("The profile's file, where profiles of two revisions are reviewed.")
    iam: tuple[Iam, ...] = _doc("Permissions that differ, what lets the most first.")
    network: tuple[Network, ...] = _doc("Ways that open or close, what becomes public first.")
    costs: Costs | None = _doc("Null where nothing differs, or a side is not given as a profile.")
    quotas: tuple[Quota, ...] = _doc("Quotas of which another amount is needed, those to be raised first.")
    gone: tuple[Diagnostic, ...] = _doc("What the rules find of OLD and no longer of NEW.")


class Review(_Form):
    """The report of two inputs."""

    version: Literal[1] = VERSION
    old: str = _doc("What was given as OLD.")
    new: str = _doc("What was given as NEW.")
    exit_status: Literal[0, 1] = _doc("1: at least one diagnostic is an error.")
    stacks: tuple[Stack, ...]


class Problem(_Form):
    """Why an input cannot be used."""

    input: Literal["OLD", "NEW"]
    given: str = _doc("What was given.")
    message: str = _doc("Why it cannot be used.")
    hint: str | None = _doc("What to give instead.")


class Problems(_Form):
    """The report of inputs that could not be used."""

    version: Literal[1] = VERSION
    exit_status: Literal[2] = Field(default=2, description="The inputs could not be used.")
    problems: tuple[Problem, ...]


def as_json(report: Report) -> dict[str, Any]:
    """The report as JSON-ready data."""
    return Review.model_validate(report).model_dump(mode="json", by_alias=True)


def problems_as_json(problems: list[tuple[str, str, str, str | None]]) -> dict[str, Any]:
    """What is wrong with the inputs: (OLD or NEW, what was given, message, hint)."""
    told = [dict(zip(Problem.model_fields, problem, strict=True)) for problem in problems]
    return Problems.model_validate({"problems": told}).model_dump(mode="json")


class _Names(Schemas):
    """Definitions named in snake case."""

    def normalize_name(self, name: str) -> str:
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", super().normalize_name(name)).lower()


def json_schema() -> dict[str, Any]:
    """The JSON Schema of what `ultracluster review --json` prints."""
    return json_schema_of(Review | Problems, "ultracluster review", generator=_Names)
