"""Page docs/reference/rules.md and one page for each subject: every code with its reason and source."""

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
        "CAP": "Instances and their capacity",
        "LIF": "Spare nodes and the next reservation",
        "USV": "UltraServers",
        "CAL": "Capacity calendar",
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
        "PCL": "AWS ParallelCluster",
    },
    "kubernetes": {
        "HPE": "SageMaker HyperPod with EKS",
        "EKS": "Amazon EKS",
        "KUB": "Components of a Kubernetes cluster",
        "CHT": "Helm charts",
    },
    "observability": {
        "OBS": "Metrics and dashboards",
        "LOG": "Logs",
    },
    "access": {
        "ACS": "Users and their sessions",
        "IAM": "Roles",
    },
    "workload": {
        "WRK": "Workload and checkpoints",
    },
    "money": {
        "TAG": "Tags",
        "BUD": "Budget",
    },
    "review": {
        "REV": "Effects of a change on a deployed stack",
    },
    "preflight": {
        "PRE": "State of an AWS account",
    },
}
"""The subjects; each has code prefixes, and each prefix has a heading."""

_INTRO = """\
Every diagnostic has a code that does not change, a severity, and a source. `ultracluster explain CODE`
prints one entry of these pages.

| severity | meaning |
| --- | --- |
| error | stops the synthesis |
| warning | depends on something that only you can know |
| note | advice |

| codes | checked by |
| --- | --- |
| REV | `ultracluster review OLD NEW`, which compares the deployed version with the version to deploy |
| PCL | `ultracluster pcluster PROFILE` |
| PRE | `ultracluster preflight PROFILE`, which compares an AWS account with a profile |
| codes that a profile cannot cause | the embedded cloud at deployment, and `ultracluster review` |
| all others | `ultracluster validate PROFILE` and every command that reads a profile |

For two profiles, `ultracluster review` also lists the findings that are new in the new profile.

Each code has a bad and a good example. The examples are run, and the text below a bad example is its
output. An example of a profile is a whole profile, an example of a resource refers to other resources by
their logical ID, and an example of a change is the difference of two templates."""

_WAIVERS = Path(__file__).parent / "waivers.md"


def rules_page() -> str:
    """Return the index: every code with its severity and a link to its entry."""
    head = ("code", "severity", "can be waived", "rule")
    waivers = _WAIVERS.read_text(encoding="utf-8").strip()
    entries = [_entry(code) for room in ROOMS for code in _codes(*ROOMS[room])]
    return page("Rules", _INTRO, waivers, "## All codes", table(head, entries))


def room_page(room: str) -> str:
    """Return the entries of one subject, by code prefix."""
    parts = ["All codes and waivers: [rules.md](../rules.md)."]
    for prefix, concern in ROOMS[room].items():
        parts += [f"## {concern}", *map(_section, _codes(prefix))]
    return page(f"Rules: {room}", *parts)


def link(code: str) -> str:
    """Return a link to the entry of a code, from a page in docs/reference."""
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
