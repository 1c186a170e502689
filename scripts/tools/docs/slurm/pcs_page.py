"""docs/reference/pcs.md: how a cluster of AWS PCS behaves (pcs_intro.md), its limits, and its settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from config.catalog import catalog
from config.catalog.slurm.slurm_values import File, SlurmValue, slurm_values
from scripts.tools.docs.markdown import page, source, table, words

_INTRO = Path(__file__).parent / "pcs_intro.md"
_MANUALS = ("SLURM-CONF", "SLURMDBD-CONF", "CGROUP-CONF", "PCS-ACCOUNTING")
_WHERE: dict[File, str] = {
    "cluster": "`orchestrator.settings`",
    "queue": "`settings` of a queue",
    "group": "`slurm_settings` of a group",
}


def pcs_page() -> str:
    """The written part, then the limits and the lists."""
    facts = catalog().pcs
    sizes = [(f"`{size.name}`", f"{size.nodes:,}", f"{size.jobs:,}") for size in facts.sizes]
    limits = (
        f"A cluster has {facts.max_groups} groups and {facts.max_queues} queues at most. An account makes"
        " one cluster at a time in a Region: deploy a second one when the first one is there. "
        f"The REST API needs Slurm {facts.rest_api_since}, `idle_seconds` of a group "
        f"{facts.group_idle_time_since}."
    )
    listed = (
        "PCS lets these through, and no others (PCS022). Of slurmdbd.conf and cgroup.conf it takes a part,"
        " which is not published: names that their manuals do not have are refused, and those of the database"
        " and the host, which are PCS's. Values are checked by the kind that each setting has (PCS034),"
        " and settings that need another one, or accounting, stand beside it (PCS035, PCS029)."
    )
    return page(
        "AWS PCS",
        _INTRO.read_text(encoding="utf-8").strip(),
        "## Limits",
        table(("size", "nodes", "jobs, waiting and running"), sizes),
        limits,
        "## Slurm's settings",
        listed,
        table(("in", "settings"), [(_WHERE[kind], words(facts.settings[kind])) for kind in facts.settings]),
        table(("setting", "from Slurm"), _since()),
        "## Values of the settings",
        "Words are written in any case. A setting that is not here is free text.",
        table(("in", "setting", "value"), _values()),
        "Sources: "
        + ", ".join(source(catalog().sources[key]) for key in (*facts.sources_of("settings"), *_MANUALS))
        + ".",
    )


def _since() -> Iterator[tuple[str, str]]:
    for since in catalog().pcs.since.values():
        yield from ((f"`{name}`", version) for name, version in sorted(since.items()))


def _values() -> Iterator[tuple[str, str, str]]:
    for file, settings in slurm_values().values.items():
        where = _WHERE.get(file, f"`{file}_settings`") if file != "slurmdbd" else "`accounting_settings`"
        kinds: dict[SlurmValue, list[str]] = {}
        for name, value in sorted(settings.items()):
            if value.kind != "text":
                kinds.setdefault(value, []).append(name)
        yield from ((where, words(names), value.told()) for value, names in kinds.items())
