"""docs/reference/rules.md: every diagnostic code, what must hold, why, and who says so."""

from __future__ import annotations

from pathlib import Path

from config.diagnostics import Code
from config.rules import CODES
from config.rules.explained import waiving
from scripts.tools.docs.markdown import page, source, table
from scripts.tools.docs.rules.explained import explanations

_CONCERNS = {
    "PRO": "The profile itself",
    "ENV": "Environments and accounts",
    "NET": "Network",
    "CAP": "Machines and their capacity",
    "LIF": "Spare nodes, and what follows a reservation",
    "USV": "UltraServers",
    "EFA": "EFA and network interfaces",
    "ORC": "Control plane",
    "HYP": "SageMaker HyperPod",
    "HPE": "SageMaker HyperPod with EKS",
    "EKS": "Amazon EKS",
    "KUB": "What runs in a Kubernetes cluster",
    "CHT": "Charts",
    "PCS": "AWS PCS",
    "PCL": "A file for AWS ParallelCluster",
    "LUS": "Lustre file system",
    "DRA": "Data repositories in S3",
    "HOM": "Home directories",
    "BKT": "Buckets",
    "EXB": "Directory buckets",
    "MNT": "Buckets as volumes",
    "NVM": "Local disks",
    "IMG": "Container images",
    "WRK": "Workload and checkpoints",
    "TAG": "Tags",
    "BUD": "The budget",
    "CAL": "The calendar of reserved machines",
    "OBS": "Metrics and dashboards",
    "ACS": "People and their sessions",
    "LOG": "Logs",
    "IAM": "Roles",
    "REV": "What a change does to what is deployed",
    "PRE": "What an account says",
}

_INTRO = """Every diagnostic has a code that stays, a severity, and a source. `ultracluster explain CODE`
prints one of these entries; `ultracluster validate PROFILE` looks for all of them at once. An error stops the
synthesis; a warning is for what only you can know; a note is advice. What no profile of today can ask for is
checked when a template is deployed on the embedded cloud, and when it is reviewed. The codes that begin with
REV come from `ultracluster review OLD NEW` alone: it compares what is deployed with what shall be.
Of two profiles it also tells what the other rules find of the new one and did not of the old one.
Codes that begin with PCL come from `ultracluster pcluster PROFILE`, beside all others, and those that begin
with PRE from `ultracluster preflight PROFILE` alone, which holds an account against a profile.

Each code has a bad and a good example. They are run, and what stands below a bad one is what it yields; an
example of a profile is a whole profile, one of a resource names each other resource by the id that refers to
it, and one of a change is the difference of two templates."""

_WAIVERS = Path(__file__).parent / "waivers.md"


def rules_page() -> str:
    """The page, grouped by concern."""
    head = ("code", "severity", "can be waived", "what must hold")
    parts = [
        _INTRO,
        _WAIVERS.read_text(encoding="utf-8").strip(),
        "## All codes",
        table(head, map(_entry, _sorted())),
    ]
    for prefix, concern in _CONCERNS.items():
        parts.append(f"## {concern}")
        parts += [_section(code) for code in _sorted() if code.code.startswith(prefix)]
    return page("Rules", *parts)


def _sorted() -> list[Code]:
    order = list(_CONCERNS)
    return sorted(CODES.values(), key=lambda code: (order.index(code.code[:3]), code.code))


def _entry(code: Code) -> tuple[str, str, str, str]:
    waivable = "yes" if code.waivable else "-"
    return f"[{code.code}](#{code.code.lower()})", code.severity.value, waivable, code.holds


def _section(code: Code) -> str:
    holds, shown = code.holds[0].upper() + code.holds[1:], explanations()[code.code]
    listed = ", ".join(f"[{name}]({address})" for name, address in shown.reports.items())
    prevents = f" Prevents {listed}." if listed else ""
    said = f"{code.severity}[{code.code}] {shown.path}: {shown.message}\n  hint: {shown.hint}\n"
    return "\n\n".join(
        (
            f"### {code.code}",
            f"**{holds}.** ({code.severity}; {waiving(code)})",
            f"{code.why}{prevents} Source: {source(code.source)}",
            _fenced(shown.language, f"# bad\n{shown.bad}") + "\n" + _fenced("text", said),
            _fenced(shown.language, f"# good\n{shown.good}"),
        )
    )


def _fenced(language: str, text: str) -> str:
    return f"```{language}\n{text}```"
