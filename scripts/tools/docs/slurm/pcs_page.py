"""Page docs/reference/pcs.md: AWS PCS clusters (pcs_intro.md), their limits and Slurm settings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from config.catalog import catalog
from config.catalog.slurm.slurm_values import File, SlurmValue, slurm_values
from scripts.tools.docs.markdown import code_list, page, source, table

_INTRO = Path(__file__).parent / "pcs_intro.md"
_MANUALS = ("SLURM-CONF", "SLURMDBD-CONF", "CGROUP-CONF", "PCS-ACCOUNTING")
_WHERE: dict[File, str] = {
    "cluster": "`orchestrator.settings`",
    "queue": "`settings` of a queue",
    "group": "`slurm_settings` of a group",
}


def pcs_page() -> str:
    """Return the page: the written part, the limits and the lists of settings."""
    facts = catalog().pcs
    sizes = [(f"`{size.name}`", f"{size.nodes:,}", f"{size.jobs:,}") for size in facts.sizes]
    limits = (
        f"A cluster has at most {facts.max_groups} groups and {facts.max_queues} queues. An account can"
        " create one cluster at a time in a Region, so deploy a second cluster after the first one is ready."
        f" The REST API requires Slurm {facts.rest_api_since}, and `idle_seconds` of a group requires"
        f" {facts.group_idle_time_since}."
    )
    listed = (
        "PCS supports only the settings in this table (PCS022). It also supports part of slurmdbd.conf and"
        " cgroup.conf, but AWS does not publish which part. ultracluster rejects names that are not in the"
        " manuals, and settings of the database and the host, which PCS manages. It checks each value against"
        " the type of the setting (PCS034). It also checks that a setting is used together with the settings"
        " or the accounting that it requires (PCS035, PCS029)."
    )
    return page(
        "AWS PCS",
        _INTRO.read_text(encoding="utf-8").strip(),
        "## Limits",
        table(("size", "nodes", "jobs, waiting and running"), sizes),
        limits,
        "## Slurm settings",
        listed,
        table(
            ("key", "settings"), [(_WHERE[kind], code_list(facts.settings[kind])) for kind in facts.settings]
        ),
        "These settings and values require a newer Slurm version:",
        table(("setting", "Slurm version"), _since()),
        "## Values of the settings",
        "Keywords are not case-sensitive. Other settings accept any text.",
        table(("key", "setting", "value"), _values()),
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
        yield from ((where, code_list(names), value.description()) for value, names in kinds.items())
