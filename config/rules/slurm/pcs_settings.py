"""Slurm's settings and parts that AWS PCS lets through, each from its version on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from config.catalog import catalog
from config.catalog.slurm.pcs import SettingsOf, is_older
from config.catalog.slurm.slurm_values import File, slurm_values
from config.design.model import Design
from config.design.slurm.defaults import NO_HOLD
from config.diagnostics import Path
from config.profile.slurm.pcs import Pcs
from config.profile.source.fault_words import shown
from config.rules.registry import ERROR, WARNING, Finding, rule

_GUIDE = "https://docs.aws.amazon.com/pcs/latest/userguide"

Stated = tuple[Path, SettingsOf, Mapping[str, str | None]]


def stated_settings(design: Design, pcs: Pcs) -> Iterator[Stated]:
    """Every map of settings that PCS has a list for, with its place; none that is empty."""
    if pcs.settings:
        yield ("orchestrator", "settings"), "cluster", pcs.settings
    for i, queue in enumerate(pcs.queues or ()):
        if queue.settings:
            yield ("orchestrator", "queues", i, "settings"), "queue", queue.settings
    for at, group in design.placed_groups:
        if group.slurm_settings:
            yield (*at, "slurm_settings"), "group", group.slurm_settings


@rule(
    "PCS022", ERROR, "a Slurm setting is one that PCS lets through",
    why="PCS has a list for the cluster, one for groups and one for queues, and refuses all others (SLURM-18).",
    source=f"{_GUIDE}/slurm-custom-settings-cluster.html", reads="compute orchestrator", where="slurm-settings",
    ages="the Slurm settings that PCS lets through",
)  # fmt: skip
def settings_are_let_through(design: Design) -> Iterator[Finding]:
    """Names against the lists; against the manuals for slurmdbd and cgroup."""
    pcs = design.profile.orchestrator
    if not isinstance(pcs, Pcs):
        return
    for at, kind, settings in stated_settings(design, pcs):
        for name in settings:
            if name not in catalog().pcs.settings[kind]:
                yield Finding(
                    at=(*at, name),
                    message=f"PCS lets no {name} through for a {kind}",
                    hint=_instead(name, kind),
                )
    yield from _of_files(pcs)


_FILES: tuple[tuple[str, File, str], ...] = (
    ("accounting_settings", "slurmdbd", "slurmdbd.conf"),
    ("cgroup_settings", "cgroup", "cgroup.conf"),
)


def _of_files(pcs: Pcs) -> Iterator[Finding]:
    """Names of slurmdbd.conf and cgroup.conf, of which PCS takes some; which ones is not published."""
    for key, file, man in _FILES:
        for name in getattr(pcs, key):
            at, facts = ("orchestrator", key, name), slurm_values()
            if name in facts.of_the_service[file]:
                yield Finding(
                    at=at, message=f"{name} is PCS's own: it runs what reads {man}", hint="take it out"
                )
            elif name not in facts.values[file]:
                close = get_close_matches(name, sorted(facts.values[file]), n=1)
                yield Finding(
                    at=at,
                    message=f"{shown(name)} is no setting of {man}",
                    hint=f"did you mean {close[0]}?" if close else f"take it out; `man {man}` lists them",
                )


def _instead(name: str, kind: SettingsOf) -> str:
    facts = catalog().pcs.settings
    if others := [other for other in facts if name in facts[other] and other != kind]:
        where = {"cluster": "orchestrator.settings", "group": "slurm_settings", "queue": "queues[].settings"}
        return f"it is a setting of a {' or a '.join(others)}: write it in `{where[others[0]]}`"
    close = get_close_matches(name, sorted(facts[kind]), n=1)
    return f"did you mean {close[0]}?" if close else "take it out; `docs/reference/pcs.md` lists the settings"


@rule(
    "PCS023", ERROR, "what came with a newer Slurm is asked of a cluster that runs it",
    why="The REST API came with 25.05, idle times of a group and several settings with 25.11: PCS refuses them before "
    "(SLURM-18).",
    source=f"{_GUIDE}/slurm-versions_release-notes.html", reads="compute orchestrator", where="pcs",
    ages="what each Slurm version of PCS has",
)  # fmt: skip
def slurm_is_new_enough(design: Design) -> Iterator[Finding]:
    """Keys and settings against `slurm_version`."""
    pcs = design.profile.orchestrator
    if not isinstance(pcs, Pcs):
        return
    for at, since in _since(design, pcs):
        if is_older(pcs.slurm_version, since):
            yield Finding(
                at=at,
                message=f"{at[-1]} needs Slurm {since}, the cluster runs {pcs.slurm_version}",
                hint=f'write `slurm_version: "{since}"` or newer, or take `{at[-1]}` out',
            )


def _since(design: Design, pcs: Pcs) -> Iterator[tuple[Path, str]]:
    facts = catalog().pcs
    if pcs.rest_api:
        yield ("orchestrator", "rest_api"), facts.rest_api_since
    for at, group in design.placed_groups:
        if group.idle_seconds is not None:
            yield (*at, "idle_seconds"), facts.group_idle_time_since
    for at, kind, settings in stated_settings(design, pcs):
        for name, value in settings.items():
            since = facts.came_with(kind, name, value or "")
            if since is not None:
                yield (*at, name), since


@rule(
    "PCS033", WARNING, "a job whose prolog fails is queued again, and not held",
    why="The prolog looks at a node before each job, and takes one that is broken out. By default Slurm then holds the "
    "job until somebody releases it; with nohold_on_prolog_fail it starts on other nodes (SLURM-16).",
    source="https://slurm.schedmd.com/slurm.conf.html", reads="compute orchestrator", where="slurm-settings",
)  # fmt: skip
def jobs_are_not_held(design: Design) -> Iterator[Finding]:
    """`SchedulerParameters` of the profile, which stand instead of ultracluster's."""
    pcs = design.profile.orchestrator
    if not isinstance(pcs, Pcs) or "SchedulerParameters" not in pcs.settings or design.pcs is None:
        return
    stated = design.pcs.settings.get("SchedulerParameters", "")
    words = [word.strip() for word in stated.split(",") if word.strip()]
    if "Prolog" in design.pcs.settings and NO_HOLD not in (word.lower() for word in words):
        yield Finding(
            at=("orchestrator", "settings", "SchedulerParameters"),
            message=f"SchedulerParameters is {stated or 'taken away'}, and a job whose prolog fails is held",
            hint=f"write `SchedulerParameters: {','.join([NO_HOLD, *words])}`",
        )
