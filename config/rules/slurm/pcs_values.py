"""Rules for values of Slurm settings with PCS, and for settings that require other settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from config.catalog.slurm.slurm_values import NO, File, SlurmValues, slurm_values
from config.design.model import Design
from config.design.slurm.defaults import EPILOG, PROLOG
from config.diagnostics import Path
from config.profile.slurm.pcs import Pcs
from config.profile.source.fault_messages import shown
from config.rules.registry import ERROR, NOTE, Finding, rule
from config.rules.slurm.pcs_settings import settings_by_path

_MANUAL = "https://slurm.schedmd.com/slurm.conf.html"
_PREEMPTION = "https://slurm.schedmd.com/preempt.html"
_SETTINGS: Path = ("orchestrator", "settings")
_UNCHANGED = "OFF"
_MODIFIERS = {"GANG", "WITHIN", "PRIORITY"}
"""Values of PreemptMode that modify a mode."""


@rule(
    "PCS034", ERROR, "Slurm accepts the value of a setting",
    why="Slurm's controller does not start if a number is invalid or a keyword is unknown. The controller silently ignores other "
    "invalid values.",
    source=_MANUAL, reads="compute orchestrator", where="slurm-settings",
    ages="the values that Slurm accepts",
)  # fmt: skip
def values_are_valid(design: Design) -> Iterator[Finding]:
    """Check each value against the type of its setting."""
    known = slurm_values().values
    for at, file, settings in _all(design):
        for name, value in settings.items():
            kind = known[file].get(name)
            if value is None or kind is None:
                continue
            hint = _hint(kind.hint_for(value.strip()), name, value.strip())
            if hint:
                yield Finding(
                    at=(*at, name), message=f"{shown(value)} is not a valid value of {name}", hint=hint
                )


def _hint(hint: str | None, name: str, value: str) -> str | None:
    """Return the hint, or one about a blank in the value, because Slurm ends a value at a blank."""
    if hint is None and len(value.split()) > 1 and not value.startswith('"'):
        joined = ",".join(part.strip() for part in value.split(","))
        if " " in joined:
            return "remove the blanks: Slurm ends a value at the first blank"
        return f"set `{name}: {joined}`, without blanks: Slurm ends a value at the first blank"
    return hint


def _all(design: Design) -> Iterator[tuple[Path, File, Mapping[str, str | None]]]:
    pcs = design.profile.orchestrator
    if isinstance(pcs, Pcs):
        yield from settings_by_path(design, pcs)
        yield ("orchestrator", "accounting_settings"), "slurmdbd", pcs.accounting_settings
        yield ("orchestrator", "cgroup_settings"), "cgroup", pcs.cgroup_settings


@rule(
    "PCS035", ERROR, "a Slurm setting is used together with the settings that it requires",
    why="Without the required settings, Slurm ignores the setting, or Slurm's controller does not start. Preemption requires "
    "PreemptType, which selects the jobs, and PreemptMode, which sets what happens to these jobs.",
    source=_PREEMPTION, reads="compute orchestrator", where="slurm-settings",
    ages="which settings PCS sets automatically",
)  # fmt: skip
def required_settings_are_set(design: Design) -> Iterator[Finding]:
    """Check that settings of preemption, health checks and filters have the settings that they require."""
    pcs = design.profile.orchestrator
    if not isinstance(pcs, Pcs) or design.pcs is None:
        return
    facts, cluster = slurm_values(), design.pcs.settings
    for at, file, settings in settings_by_path(design, pcs):
        for name, value in settings.items():
            needed = facts.needs.get(name) if value is not None and file != "group" else None
            if needed and not _holds(needed, cluster.get(needed)):
                yield Finding(
                    at=(*at, name),
                    message=f"{name} has no effect without {needed}",
                    hint=f"add `{needed}` to `orchestrator.settings`, or remove {name}",
                )
    yield from _preemption(cluster)
    for i, queue in enumerate(pcs.queues or ()):
        mode = queue.settings.get("PreemptMode")
        if (
            mode
            and mode.strip().upper() != _UNCHANGED
            and cluster.get("PreemptType") != "preempt/partition_prio"
        ):
            yield Finding(
                at=("orchestrator", "queues", i, "settings", "PreemptMode"),
                message=f"PreemptMode of queue {queue.name} requires PreemptType preempt/partition_prio",
                hint="add `PreemptType: preempt/partition_prio` and a PreemptMode to `orchestrator.settings`, or remove "
                "PreemptMode from the queue",
            )


def _holds(name: str, value: str | None) -> bool:
    return value is not None and not (name == "PreemptType" and value == "preempt/none")


def _preemption(settings: Mapping[str, str]) -> Iterator[Finding]:
    """Report modes without a type, types without a mode, and SUSPEND without GANG; slurmctld rejects them."""
    keywords = [keyword.strip().upper() for keyword in settings.get("PreemptMode", "").split(",")]
    known = slurm_values().values["cluster"]["PreemptMode"].keywords
    modes = {keyword for keyword in keywords if keyword in known and keyword != _UNCHANGED}
    if set(keywords) - {"", *known}:
        return  # reported as an invalid value
    jobs_go = _holds("PreemptType", settings.get("PreemptType"))
    if modes - _MODIFIERS and not jobs_go:
        yield Finding(
            at=(*_SETTINGS, "PreemptMode"),
            message=f"PreemptMode is {settings['PreemptMode']}, but PreemptType does not set which jobs are preempted",
            hint="add `PreemptType: preempt/partition_prio` or `preempt/qos`, or remove PreemptMode",
        )
    elif jobs_go and not modes - _MODIFIERS:
        yield Finding(
            at=(*_SETTINGS, "PreemptType"),
            message=f"PreemptType is {settings['PreemptType']}, but PreemptMode does not set how jobs are preempted",
            hint="add `PreemptMode: REQUEUE`, or remove PreemptType",
        )
    elif "SUSPEND" in modes and "GANG" not in modes:
        yield Finding(
            at=(*_SETTINGS, "PreemptMode"),
            message="PreemptMode is SUSPEND without GANG, so Slurm's controller does not start",
            hint="set `PreemptMode: SUSPEND,GANG`",
        )


_OURS = {"Prolog": PROLOG, "Epilog": EPILOG}


@rule(
    "PCS036", NOTE, "nodes are checked before and after each job",
    why="ultracluster's prolog drains a faulty node before a job starts on it, and its epilog cleans up after the job. If the "
    "profile removes prolog and epilog or sets other programs, the checks do not run.",
    source="https://slurm.schedmd.com/prolog_epilog.html", reads="compute orchestrator", where="slurm-settings",
)  # fmt: skip
def nodes_are_checked(design: Design) -> Iterator[Finding]:
    """Check Prolog, Epilog and PrologFlags of the profile, in a cluster with GPU nodes."""
    pcs = design.profile.orchestrator
    if not isinstance(pcs, Pcs) or design.pcs is None:
        return
    if not any(group.instance_type.is_gpu for group in design.groups):
        return
    found = design.pcs.settings
    for name, ours in _OURS.items():
        if name in pcs.settings and found.get(name) != ours:
            change = f"{name} is {found[name]}" if name in found else f"{name} is removed"
            when = "before" if name == "Prolog" else "after"
            yield Finding(
                at=(*_SETTINGS, name),
                message=f"{change}, so ultracluster "
                + (
                    f"checks a node {when} each job only if that program runs {ours}"
                    if name in found
                    else f"does not check a node {when} each job"
                ),
                hint=f"run {ours} from your program" if name in found else f"remove `{name}` from `settings`",
            )
    flags = {flag.strip().lower() for flag in found.get("PrologFlags", "").split(",")}
    if "PrologFlags" in pcs.settings and "Prolog" in found and not flags & {"alloc", "contain"}:
        yield Finding(
            at=(*_SETTINGS, "PrologFlags"),
            message=f"PrologFlags is {found.get('PrologFlags', 'removed')}: the prolog runs only after the job has started, with "
            "the first step of the job",
            hint="set `PrologFlags: Alloc`, followed by other flags, or remove `PrologFlags`",
        )


@rule(
    "PCS029", ERROR, "accounting settings are used together with accounting",
    why="Without accounting, slurmdbd does not run. Slurm's controller then ignores limits, accounts and shares, and runs jobs "
    "that exceed a limit.",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_AccountingRequest.html", reads="orchestrator",
    where="slurm-settings",
)  # fmt: skip
def accounting_is_enabled(design: Design) -> Iterator[Finding]:
    """Report settings that require accounting if `accounting` is not set."""
    pcs = design.profile.orchestrator
    if not isinstance(pcs, Pcs) or pcs.accounting is not None:
        return
    if pcs.accounting_settings:
        yield Finding(
            at=("orchestrator", "accounting_settings"),
            message=f"{', '.join(sorted(pcs.accounting_settings))} requires accounting, which is not enabled",
            hint="add `accounting: {}`, or remove `accounting_settings`",
        )
    for name, value in pcs.settings.items():
        if value is not None and name in slurm_values().of_accounting and _is_on(slurm_values(), name, value):
            yield Finding(
                at=(*_SETTINGS, name),
                message=f"{name} requires accounting, which is not enabled",
                hint=f"add `accounting: {{}}`, or remove {name}",
            )


def _is_on(facts: SlurmValues, name: str, value: str) -> bool:
    """Return False for a value that turns the setting off."""
    return facts.values["cluster"][name].kind not in ("flag", "number") or value.strip().upper() not in NO
