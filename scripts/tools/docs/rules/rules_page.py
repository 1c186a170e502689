"""docs/reference/rules.md and a page for each room: every code, what must hold, why, and who says so."""

from __future__ import annotations

from pathlib import Path

from config.diagnostics import Code
from config.rules.codes import CODES
from config.rules.explained import waiving
from scripts.tools.docs.markdown import page, source, table
from scripts.tools.docs.rules.explained import explanations

ROOMS = {
    "profile": {
        "PRO": "The profile itself",
        "ENV": "Environments and accounts",
        "ORC": "Control plane",
    },
    "network": {
        "NET": "Network",
        "EFA": "EFA and network interfaces",
    },
    "capacity": {
        "CAP": "Machines and their capacity",
        "LIF": "Spare nodes, and what follows a reservation",
        "USV": "UltraServers",
        "CAL": "The calendar of reserved machines",
    },
    "storage": {
        "LUS": "Lustre file system",
        "DRA": "Data repositories in S3",
        "HOM": "Home directories",
        "BKT": "Buckets",
        "EXB": "Directory buckets",
        "MNT": "Buckets as volumes",
        "NVM": "Local disks",
    },
    "nodes": {
        "IMG": "Container images",
    },
    "slurm": {
        "HYP": "SageMaker HyperPod",
        "PCS": "AWS PCS",
        "PCL": "A file for AWS ParallelCluster",
    },
    "kubernetes": {
        "HPE": "SageMaker HyperPod with EKS",
        "EKS": "Amazon EKS",
        "KUB": "What runs in a Kubernetes cluster",
        "CHT": "Charts",
    },
    "observability": {
        "OBS": "Metrics and dashboards",
        "LOG": "Logs",
    },
    "access": {
        "ACS": "People and their sessions",
        "IAM": "Roles",
    },
    "workload": {
        "WRK": "Workload and checkpoints",
    },
    "money": {
        "TAG": "Tags",
        "BUD": "The budget",
    },
    "review": {
        "REV": "What a change does to what is deployed",
    },
    "preflight": {
        "PRE": "What an account says",
    },
}
"""Room, the prefixes that belong to it, and what each is about."""

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
    """The index: every code with its severity and a link to its entry."""
    head = ("code", "severity", "can be waived", "what must hold")
    waivers = _WAIVERS.read_text(encoding="utf-8").strip()
    entries = [_entry(code) for room in ROOMS for code in _codes(*ROOMS[room])]
    return page("Rules", _INTRO, waivers, "## All codes", table(head, entries))


def room_page(room: str) -> str:
    """The entries of one room, by concern."""
    parts = ["All codes and waivers: [rules.md](../rules.md)."]
    for prefix, concern in ROOMS[room].items():
        parts += [f"## {concern}", *map(_section, _codes(prefix))]
    return page(f"Rules: {room}", *parts)


def link(code: str) -> str:
    """A link to a code's entry, from a page in docs/reference."""
    room = next(room for room, prefixes in ROOMS.items() if code[:3] in prefixes)
    return f"[{code}](rules/{room}.md#{code.lower()})"


def _codes(*prefixes: str) -> list[Code]:
    return [CODES[code] for prefix in prefixes for code in sorted(CODES) if code.startswith(prefix)]


def _entry(code: Code) -> tuple[str, str, str, str]:
    return link(code.code), code.severity.value, "yes" if code.waivable else "-", code.holds


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
