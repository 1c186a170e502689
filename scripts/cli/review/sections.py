"""Findings for changed outputs, exports and parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from config.diagnostics import Diagnostic
from config.review import codes

from .compare import Comparison
from .dangers.findings import diagnostic
from .evaluated import Evaluated, guarded
from .symbols import shown

_REJECTED = "CloudFormation rejects this change while another stack imports the export"


def section_findings(found: Comparison) -> Iterator[Diagnostic]:
    """Yield findings for removed outputs, changed exports, and new default values that have no effect."""
    yield from _outputs(found)
    yield from _exports(found)
    old, new = (side.template.section("Parameters") for side in (found.old, found.new))
    for name in sorted(old.keys() & new.keys()):
        was, will = old[name].get("Default"), new[name].get("Default")
        if was is not None and was != will:
            yield diagnostic(
                codes.DEFAULT_CHANGED,
                f"Parameters/{name}",
                f"the default value changes from {was} to {will}, but a deployed stack keeps its "
                "current value",
                f"run `cdk deploy --parameters {name}=...`, or rename the parameter",
            )


def _outputs(found: Comparison) -> Iterator[Diagnostic]:
    old, new = (_active_outputs(side) for side in (found.old, found.new))
    for name in sorted(old.keys() - new.keys()):
        if "Export" not in old[name]:
            yield diagnostic(
                codes.OUTPUT_REMOVED,
                f"Outputs/{name}",
                f"the output {name} is removed",
                "before you deploy, change the scripts and tools that read this output",
            )


def _exports(found: Comparison) -> Iterator[Diagnostic]:
    old, new = (_exported(side) for side in (found.old, found.new))
    for name, value in sorted(old.items()):
        if name not in new:
            message = f"the export {name} is removed: {_REJECTED}"
        elif new[name] != value:
            message = f"the export {name} changes from {value} to {new[name]}: {_REJECTED}"
        else:
            continue
        hint = "first change the stacks that import this export so that they do not need it, and deploy them"
        yield diagnostic(codes.EXPORT_CHANGED, "Outputs", message, hint)


def _active_outputs(side: Evaluated) -> dict[str, Any]:
    outputs = side.template.section("Outputs")
    return {name: output for name, output in outputs.items() if side.symbols.is_active(output)}


def _exported(side: Evaluated) -> dict[str, Any]:
    """Return the name and value of each export."""
    return {
        str(shown(guarded(output["Export"]["Name"], side.symbols))): shown(
            guarded(output.get("Value"), side.symbols)
        )
        for output in _active_outputs(side).values()
        if "Export" in output
    }
