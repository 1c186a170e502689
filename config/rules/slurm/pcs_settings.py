"""Rules for Slurm settings and features that PCS supports, by Slurm version."""

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
from config.profile.source.fault_messages import shown
from config.rules.registry import ERROR, WARNING, Finding, rule

_GUIDE = "https://docs.aws.amazon.com/pcs/latest/userguide"

SettingsByPath = tuple[Path, SettingsOf, Mapping[str, str | None]]


def settings_by_path(design: Design, pcs: Pcs) -> Iterator[SettingsByPath]:
    """Yield the path, the list and the settings of each map that PCS compares with a list of settings."""
    if pcs.settings:
        yield ("orchestrator", "settings"), "cluster", pcs.settings
    for i, queue in enumerate(pcs.queues or ()):
        if queue.settings:
            yield ("orchestrator", "queues", i, "settings"), "queue", queue.settings
    for at, group in design.placed_groups:
        if group.slurm_settings:
            yield (*at, "slurm_settings"), "group", group.slurm_settings


@rule(
    "PCS022", ERROR, "PCS supports the Slurm setting",
    why="PCS has a list of settings for the cluster, a list for groups and a list for queues. PCS rejects other settings "
    "(SLURM-18).",
    source=f"{_GUIDE}/slurm-custom-settings-cluster.html", reads="compute orchestrator", where="slurm-settings",
    ages="the Slurm settings that PCS lets through",
)  # fmt: skip
def settings_are_let_through(design: Design) -> Iterator[Finding]:
    """Check names of settings against the lists of PCS and the manuals of slurmdbd and cgroup."""
    pcs = design.profile.orchestrator
    if not isinstance(pcs, Pcs):
        return
    for at, kind, settings in settings_by_path(design, pcs):
        for name in settings:
            if name not in catalog().pcs.settings[kind]:
                yield Finding(
                    at=(*at, name),
                    message=f"PCS does not support the setting {name} for a {kind}",
                    hint=_hint(name, kind),
                )
    yield from _of_files(pcs)


_FILES: tuple[tuple[str, File, str], ...] = (
    ("accounting_settings", "slurmdbd", "slurmdbd.conf"),
    ("cgroup_settings", "cgroup", "cgroup.conf"),
)


def _of_files(pcs: Pcs) -> Iterator[Finding]:
    """Check names in slurmdbd.conf and cgroup.conf; PCS does not publish which of them it supports."""
    for key, file, man in _FILES:
        for name in getattr(pcs, key):
            at, facts = ("orchestrator", key, name), slurm_values()
            if name in facts.of_the_service[file]:
                yield Finding(
                    at=at,
                    message=f"{name} is not a setting for users: PCS manages the service that reads {man}",
                    hint=f"remove {name}",
                )
            elif name not in facts.values[file]:
                close = get_close_matches(name, sorted(facts.values[file]), n=1)
                yield Finding(
                    at=at,
                    message=f"{shown(name)} is not a setting of {man}",
                    hint=f"did you mean {close[0]}?"
                    if close
                    else f"remove {shown(name)}; `man {man}` lists the settings",
                )


def _hint(name: str, kind: SettingsOf) -> str:
    facts = catalog().pcs.settings
    if others := [other for other in facts if name in facts[other] and other != kind]:
        where = {"cluster": "orchestrator.settings", "group": "slurm_settings", "queue": "queues[].settings"}
        return f"set {name} in `{where[others[0]]}`, because it is a setting of a {' or a '.join(others)}"
    close = get_close_matches(name, sorted(facts[kind]), n=1)
    return (
        f"did you mean {close[0]}?" if close else f"remove {name}; `docs/reference/pcs.md` lists the settings"
    )


@rule(
    "PCS023", ERROR, "the Slurm version of the cluster supports the settings",
    why="The REST API requires Slurm 25.05, and idle times of groups and several settings require 25.11. PCS rejects these "
    "settings with older versions (SLURM-18).",
    source=f"{_GUIDE}/slurm-versions_release-notes.html", reads="compute orchestrator", where="pcs",
    ages="the features of each Slurm version of PCS",
)  # fmt: skip
def slurm_is_new_enough(design: Design) -> Iterator[Finding]:
    """Check keys and settings against `slurm_version`."""
    pcs = design.profile.orchestrator
    if not isinstance(pcs, Pcs):
        return
    for at, since in _since(design, pcs):
        if is_older(pcs.slurm_version, since):
            yield Finding(
                at=at,
                message=f"{at[-1]} requires Slurm {since}, but the cluster runs {pcs.slurm_version}",
                hint=f'set `slurm_version: "{since}"` or newer, or remove `{at[-1]}`',
            )


def _since(design: Design, pcs: Pcs) -> Iterator[tuple[Path, str]]:
    facts = catalog().pcs
    if pcs.rest_api:
        yield ("orchestrator", "rest_api"), facts.rest_api_since
    for at, group in design.placed_groups:
        if group.idle_seconds is not None:
            yield (*at, "idle_seconds"), facts.group_idle_time_since
    for at, kind, settings in settings_by_path(design, pcs):
        for name, value in settings.items():
            since = facts.came_with(kind, name, value or "")
            if since is not None:
                yield (*at, name), since


@rule(
    "PCS033", WARNING, "Slurm requeues a job whose prolog fails, and does not put the job on `hold`",
    why="The prolog checks a node before each job and drains the node if it is faulty. By default, Slurm then puts the job on "
    "`hold` until a user releases the job. With nohold_on_prolog_fail, Slurm starts the job on other nodes (SLURM-16).",
    source="https://slurm.schedmd.com/slurm.conf.html", reads="compute orchestrator", where="slurm-settings",
)  # fmt: skip
def failed_prologs_requeue_jobs(design: Design) -> Iterator[Finding]:
    """Check `SchedulerParameters` of the profile, because they replace ultracluster's."""
    pcs = design.profile.orchestrator
    if not isinstance(pcs, Pcs) or "SchedulerParameters" not in pcs.settings or design.pcs is None:
        return
    declared = design.pcs.settings.get("SchedulerParameters", "")
    parts = [part.strip() for part in declared.split(",") if part.strip()]
    if "Prolog" in design.pcs.settings and NO_HOLD not in (part.lower() for part in parts):
        yield Finding(
            at=("orchestrator", "settings", "SchedulerParameters"),
            message=f"`SchedulerParameters` is {declared or 'removed'}, so if the prolog of a job fails, Slurm puts the job on "
            "`hold`",
            hint=f"set `SchedulerParameters: {','.join([NO_HOLD, *parts])}`",
        )
