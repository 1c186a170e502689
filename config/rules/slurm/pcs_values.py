"""Values of Slurm's settings under AWS PCS, and settings that need another one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from config.catalog.slurm.slurm_values import NO, File, SlurmValues, slurm_values
from config.design.model import Design
from config.design.slurm.defaults import EPILOG, PROLOG
from config.diagnostics import Path
from config.profile.slurm.pcs import Pcs
from config.profile.source.fault_words import shown
from config.rules.registry import ERROR, NOTE, Finding, rule
from config.rules.slurm.pcs_settings import stated_settings

_MANUAL = "https://slurm.schedmd.com/slurm.conf.html"
_PREEMPTION = "https://slurm.schedmd.com/preempt.html"
_SETTINGS: Path = ("orchestrator", "settings")
_UNCHANGED = "OFF"
_BESIDE = {"GANG", "WITHIN", "PRIORITY"}
"""Words of PreemptMode that stand beside a mode, and are none."""


@rule(
    "PCS034", ERROR, "the value of a Slurm setting is one that Slurm takes",
    why="Slurm's controller does not start on a number that is none or a word that it does not know; others it passes "
    "over without a word.",
    source=_MANUAL, reads="compute orchestrator", where="slurm-settings",
    ages="the values that Slurm's settings take",
)  # fmt: skip
def values_are_taken(design: Design) -> Iterator[Finding]:
    """Every stated value against the kind that its setting has."""
    known = slurm_values().values
    for at, file, settings in _all(design):
        for name, value in settings.items():
            kind = known[file].get(name)
            if value is None or kind is None:
                continue
            hint = _instead(kind.instead(value.strip()), name, value.strip())
            if hint:
                yield Finding(at=(*at, name), message=f"{shown(value)} is no value of {name}", hint=hint)


def _instead(hint: str | None, name: str, value: str) -> str | None:
    """A blank ends a value of Slurm's files, unless it stands between double quotes."""
    if hint is None and len(value.split()) > 1 and not value.startswith('"'):
        joined = ",".join(part.strip() for part in value.split(","))
        if " " in joined:
            return "take the blanks out: Slurm ends a value at the first one"
        return f"write `{name}: {joined}`, without blanks: Slurm ends a value at the first one"
    return hint


def _all(design: Design) -> Iterator[tuple[Path, File, Mapping[str, str | None]]]:
    pcs = design.profile.orchestrator
    if isinstance(pcs, Pcs):
        yield from stated_settings(design, pcs)
        yield ("orchestrator", "accounting_settings"), "slurmdbd", pcs.accounting_settings
        yield ("orchestrator", "cgroup_settings"), "cgroup", pcs.cgroup_settings


@rule(
    "PCS035", ERROR, "a Slurm setting that needs another one stands beside it",
    why="Without it the setting is passed over, or the controller does not start: preemption needs both which jobs go "
    "(PreemptType) and how (PreemptMode).",
    source=_PREEMPTION, reads="compute orchestrator", where="slurm-settings",
    ages="which settings PCS makes by itself",
)  # fmt: skip
def settings_stand_together(design: Design) -> Iterator[Finding]:
    """Preemption, health checks, filters."""
    pcs = design.profile.orchestrator
    if not isinstance(pcs, Pcs) or design.pcs is None:
        return
    facts, cluster = slurm_values(), design.pcs.settings
    for at, file, settings in stated_settings(design, pcs):
        for name, value in settings.items():
            needed = facts.needs.get(name) if value is not None and file != "group" else None
            if needed and not _holds(needed, cluster.get(needed)):
                yield Finding(
                    at=(*at, name),
                    message=f"{name} without {needed} has no effect",
                    hint=f"add `{needed}` to `orchestrator.settings`, or take {name} out",
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
                message=f"PreemptMode of queue {queue.name} needs PreemptType preempt/partition_prio",
                hint="add `PreemptType: preempt/partition_prio` and a PreemptMode to `orchestrator.settings`, or take it out",
            )


def _holds(name: str, value: str | None) -> bool:
    return value is not None and not (name == "PreemptType" and value == "preempt/none")


def _preemption(settings: Mapping[str, str]) -> Iterator[Finding]:
    """What slurmctld refuses: a mode without a type, a type without a mode, SUSPEND without GANG."""
    words = [word.strip().upper() for word in settings.get("PreemptMode", "").split(",")]
    known = slurm_values().values["cluster"]["PreemptMode"].words
    modes = {word for word in words if word in known and word != _UNCHANGED}
    if set(words) - {"", *known}:
        return  # told as a value
    jobs_go = _holds("PreemptType", settings.get("PreemptType"))
    if modes - _BESIDE and not jobs_go:
        yield Finding(
            at=(*_SETTINGS, "PreemptMode"),
            message=f"PreemptMode is {settings['PreemptMode']}, and no PreemptType says which jobs go",
            hint="add `PreemptType: preempt/partition_prio` or `preempt/qos`, or take PreemptMode out",
        )
    elif jobs_go and not modes - _BESIDE:
        yield Finding(
            at=(*_SETTINGS, "PreemptType"),
            message=f"PreemptType is {settings['PreemptType']}, and no PreemptMode says how jobs go",
            hint="add `PreemptMode: REQUEUE`, or take PreemptType out",
        )
    elif "SUSPEND" in modes and "GANG" not in modes:
        yield Finding(
            at=(*_SETTINGS, "PreemptMode"),
            message="SUSPEND without GANG: Slurm's controller does not start",
            hint="write `PreemptMode: SUSPEND,GANG`",
        )


_OURS = {"Prolog": PROLOG, "Epilog": EPILOG}


@rule(
    "PCS036", NOTE, "nodes are looked at before and after each job",
    why="ultracluster's prolog takes a broken node out before the job starts on it, its epilog cleans up after it. With "
    "programs of your own instead, or none, neither runs.",
    source="https://slurm.schedmd.com/prolog_epilog.html", reads="compute orchestrator", where="slurm-settings",
)  # fmt: skip
def nodes_are_looked_at(design: Design) -> Iterator[Finding]:
    """Prolog, Epilog and PrologFlags of the profile, in a cluster with GPU nodes."""
    pcs = design.profile.orchestrator
    if not isinstance(pcs, Pcs) or design.pcs is None:
        return
    if not any(group.instance_type.is_gpu for group in design.groups):
        return
    found = design.pcs.settings
    for name, ours in _OURS.items():
        if name in pcs.settings and found.get(name) != ours:
            told = f"{name} is {found[name]}" if name in found else f"{name} is taken away"
            when = "before" if name == "Prolog" else "after"
            yield Finding(
                at=(*_SETTINGS, name),
                message=f"{told}: ultracluster's checks of a node {when} each job run "
                + ("only where it runs them" if name in found else "no more"),
                hint=f"run {ours} from yours" if name in found else f"take `{name}` out",
            )
    flags = {flag.strip().lower() for flag in found.get("PrologFlags", "").split(",")}
    if "PrologFlags" in pcs.settings and "Prolog" in found and not flags & {"alloc", "contain"}:
        yield Finding(
            at=(*_SETTINGS, "PrologFlags"),
            message=f"PrologFlags is {found.get('PrologFlags', 'taken away')}: the prolog runs with a job's first step, "
            "after the job has started",
            hint="write `PrologFlags: Alloc`, with other flags behind, or take it out",
        )


@rule(
    "PCS029", ERROR, "settings of accounting stand beside accounting",
    why="Without accounting there is no slurmdbd to set anything of, and Slurm's controller passes limits, accounts and "
    "shares over: jobs that were to be refused run.",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_AccountingRequest.html", reads="orchestrator",
    where="slurm-settings",
)  # fmt: skip
def accounting_is_there(design: Design) -> Iterator[Finding]:
    """`accounting_settings`, and settings of the cluster that need it, without `accounting`."""
    pcs = design.profile.orchestrator
    if not isinstance(pcs, Pcs) or pcs.accounting is not None:
        return
    if pcs.accounting_settings:
        yield Finding(
            at=("orchestrator", "accounting_settings"),
            message=f"{', '.join(sorted(pcs.accounting_settings))} of slurmdbd, and no accounting",
            hint="add `accounting: {}`, or take `accounting_settings` out",
        )
    for name, value in pcs.settings.items():
        if value is not None and name in slurm_values().of_accounting and _is_on(slurm_values(), name, value):
            yield Finding(
                at=(*_SETTINGS, name),
                message=f"{name} needs accounting, and there is none",
                hint=f"add `accounting: {{}}`, or take {name} out",
            )


def _is_on(facts: SlurmValues, name: str, value: str) -> bool:
    """False for a value that turns the setting off."""
    return facts.values["cluster"][name].kind not in ("flag", "number") or value.strip().upper() not in NO
