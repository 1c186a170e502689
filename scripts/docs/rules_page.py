"""docs/rules.md: every diagnostic code, what must hold, why, and who says so."""

from __future__ import annotations

from config.diagnostics import Code
from config.rules import CODES
from scripts.docs.markdown import page, source, table

_CONCERNS = {
    "PRO": "The profile itself",
    "NET": "Network",
    "CAP": "Machines and their capacity",
    "USV": "UltraServers",
    "EFA": "EFA and network interfaces",
    "ORC": "Control plane",
    "EKS": "Amazon EKS",
    "PCS": "AWS PCS",
    "LUS": "Lustre file system",
    "DRA": "Data repositories in S3",
    "BKT": "Buckets",
    "NVM": "Local disks",
    "OBS": "Metrics and dashboards",
    "LOG": "Logs",
    "IAM": "Roles",
    "REV": "What a change does to what is deployed",
}

_INTRO = """Every diagnostic has a code that stays, a severity, and a source. `ultracluster explain CODE`
prints one of these entries; `ultracluster validate PROFILE` looks for all of them at once. An error stops the
synthesis; a warning is for what only you can know; a note is advice. What no profile of today can ask for is
checked when a template is deployed on the embedded cloud, and when it is reviewed. The codes that begin with
REV come from `ultracluster review OLD NEW` alone: it compares what is deployed with what shall be."""


def rules_page() -> str:
    """The page, grouped by concern."""
    parts = [_INTRO, table(("code", "severity", "what must hold"), map(_entry, _sorted()))]
    for prefix, concern in _CONCERNS.items():
        parts.append(f"## {concern}")
        parts += [_section(code) for code in _sorted() if code.code.startswith(prefix)]
    return page("Rules", *parts)


def _sorted() -> list[Code]:
    order = list(_CONCERNS)
    return sorted(CODES.values(), key=lambda code: (order.index(code.code[:3]), code.code))


def _entry(code: Code) -> tuple[str, str, str]:
    return f"[{code.code}](#{code.code.lower()})", code.severity.value, code.holds


def _section(code: Code) -> str:
    holds = code.holds[0].upper() + code.holds[1:]
    return f"### {code.code}\n\n**{holds}.** ({code.severity})\n\n{code.why} Source: {source(code.source)}"
