"""Parse a template, and check its structure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scripts.cli.review.errors import UnusableError
from scripts.cli.review.evaluated import said
from scripts.cloud.template.document import Template
from scripts.cloud.template.errors import RequestRefusedError

# a small file with YAML aliases can be very large, or infinite
_MAX_VALUES = 300_000
_MAX_DEPTH = 100


def parse(text: str, label: str) -> Template:
    """Parse a template; raises an error with all problems of its structure."""
    try:
        template = Template.parse(text)
        oversized = _is_oversized(template.body)
    except RequestRefusedError as error:
        raise UnusableError([f"{label}: {_words(error)}"], _HINT) from None
    except (RecursionError, TypeError, AttributeError, ValueError):
        raise UnusableError([f"{label}: not a valid CloudFormation template"], _HINT) from None
    if oversized:
        raise UnusableError([f"{label}: nested too deeply, or too large after its YAML aliases"], _HINT)
    problems = [f"{label}: {problem}" for problem in _problems(template)]
    if problems:
        raise UnusableError(problems, _HINT)
    return template


_HINT = "use a template in JSON or YAML that `cdk synth` wrote"


def _words(error: RequestRefusedError) -> str:
    if "transform" in str(error):
        return "a template with a Transform cannot be reviewed: only CloudFormation can expand it"
    return said(error)


def _is_oversized(body: Any) -> bool:
    count = 0
    waiting: list[tuple[Any, int]] = [(body, 0)]
    while waiting:
        value, depth = waiting.pop()
        count += 1
        if count > _MAX_VALUES or depth > _MAX_DEPTH:
            return True
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        waiting += [(item, depth + 1) for item in inner]
    return False


def _problems(template: Template) -> Iterator[str]:
    for name in ("Conditions", "Mappings", "Outputs", "Parameters", "Resources"):
        section = template.body.get(name)
        if section is None:
            continue
        if not isinstance(section, dict):
            yield f"{name} is not a mapping"
            continue
        for key, value in section.items():
            if not isinstance(key, str) or not isinstance(value, dict):
                yield f"{name}/{key} is not a mapping under a name"
            elif name == "Resources":
                yield from _of_resource(key, value)
            elif name == "Outputs" and not isinstance(value.get("Export", {"Name": ""}), dict):
                yield f"Outputs/{key}/Export is not a mapping"


def _of_resource(name: str, resource: dict[str, Any]) -> Iterator[str]:
    for attribute in ("Metadata", "Properties"):
        if not isinstance(resource.get(attribute) or {}, dict):
            yield f"Resources/{name}/{attribute} is not a mapping"
    after = resource.get("DependsOn", [])
    if not isinstance(after, str) and not (
        isinstance(after, list) and all(isinstance(item, str) for item in after)
    ):
        yield f"Resources/{name}/DependsOn is not a logical id or a list of logical ids"
    if not isinstance(resource.get("Condition", ""), str):
        yield f"Resources/{name}/Condition is not a name"
