"""Bad examples of rules whose errors a profile may waive, with every such error waived."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from config.cluster import Cluster
from config.diagnostics import Severity
from config.profile.source.yaml_writer import as_yaml
from config.rules.codes import CODES, RULES
from config.rules.example_rows import FILE, ProfileExample, examples
from scripts.tools.docs.rules.examples import load_example

REASON = "we know better than the catalogue"
WAIVABLE = sorted(
    rule.code.code for rule in RULES if rule.code.waivable and rule.code.severity is Severity.ERROR
)


def bad_rows(code: str) -> list[ProfileExample]:
    return [row for row in examples()[code] if isinstance(row, ProfileExample) and row.kind == "bad"]


def waived(row: ProfileExample, folder: Path) -> tuple[Cluster, Cluster]:
    """The cluster of a row, and that of the same row with all of its errors waived that can be."""
    before = load_example(row, folder)
    errors = {d.code for d in before.diagnostics if d.stops and CODES[d.code].waivable}
    waivers = as_yaml({"waive": [{"code": code, "reason": REASON} for code in sorted(errors)]})
    after = load_example(replace(row, files={**row.files, FILE: row.files[FILE] + waivers}), folder)
    return before, after
