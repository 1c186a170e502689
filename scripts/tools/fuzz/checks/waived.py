"""Waivers for all errors of a rejected profile, if each can be waived."""

from __future__ import annotations

from dataclasses import replace

from config.cluster import Cluster
from config.diagnostics import Severity
from config.profile.source.yaml_source import read_yaml
from config.rules.codes import CODES
from scripts.tools.fuzz.case import MAIN, Case
from scripts.tools.fuzz.values.texts import block
from scripts.tools.fuzz.values.typical import REASONS


def with_waivers(case: Case, cluster: Cluster) -> Case | None:
    """Return the profile with a waiver for each error; None if an error cannot be waived."""
    stops = {diagnostic.code for diagnostic in cluster.diagnostics if diagnostic.stops}
    data = read_yaml(case.text()).data
    declared = data.get("waive", []) if isinstance(data, dict) else None
    if not stops or not all(CODES[code].waivable for code in stops) or not isinstance(declared, list):
        return None
    waivers = [*declared, *({"code": code, "reason": REASONS[0]} for code in sorted(stops))]
    text = block({**data, "waive": waivers}).encode("utf-8", errors="surrogatepass")
    return replace(case, files={**case.files, MAIN: text}, about=(*case.about, "errors waived"))


def accepts_errors(cluster: Cluster) -> bool:
    """Return whether the profile has a waived error, so that AWS can reject its template."""
    return any(d.waived is not None and d.severity is Severity.ERROR for d in cluster.diagnostics)
