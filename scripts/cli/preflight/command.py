"""`ultracluster preflight`."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from config.cluster import load_cluster
from config.design.model import Design
from config.diagnostics import has_errors
from config.profile.source.loader import load
from scripts.cli.output import console, heading, line, refuse, write_diagnostics, write_json, write_table

if TYPE_CHECKING:
    from scripts.cli.preflight.all_checks import Report
    from scripts.cli.preflight.asking import Source

_LONGEST_WORD = 26
_NARROW = 160
_HEADINGS = ("service", "check", "state", "answer")


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """The account or folder that is queried, and its title."""

    source: Source
    account: str | None
    on: bool
    now: datetime
    title: str


def preflight(
    profile: str,
    *,
    orchestrator: str | None,
    embedded: bool,
    policy: bool,
    answers: str | None,
    record: str | None,
    as_json: bool,
) -> int:
    """Compare an account with a profile."""
    cluster = load_cluster(profile, orchestrator=orchestrator)
    if cluster.exit_status or cluster.design is None:
        write_diagnostics(cluster.diagnostics, stderr=True)
        return cluster.exit_status
    design = cluster.design
    if policy:
        from scripts.cli.preflight.all_checks import checks_of
        from scripts.cli.preflight.checks import policy_of

        write_json(policy_of(checks_of(design)))
        return 0
    # importing boto3 is slow, and not needed if the profile has errors
    from scripts.cli.images.ask import UnreachableError
    from scripts.cli.preflight.asking import GoneError
    from scripts.cli.preflight.recorded import UnreadableError

    try:
        asked = _asked(design, embedded=embedded, answers=answers)
        return _held_against(design, profile, orchestrator, asked, record, as_json=as_json)
    except (UnreachableError, UnreadableError) as error:
        return refuse(str(error), error.hint, as_json=as_json, profile=design.profile.name)
    except GoneError as error:
        return refuse(
            f"AWS no longer answers: {error}",
            "sign in again",
            as_json=as_json,
            profile=design.profile.name,
        )


def _asked(design: Design, *, embedded: bool, answers: str | None) -> _Asked:
    region = design.profile.region
    if answers is not None:
        from scripts.cli.preflight.recorded import read_folder

        recorded = read_folder(answers, region)
        of = f", recorded {recorded.asked}" if recorded.asked else ""
        return _Asked(
            source=recorded, account=None, on=True, now=datetime.now(UTC), title=f"answers in {answers}{of}"
        )
    from scripts.cli.preflight.account import find_account

    account = find_account(region, embedded=embedded)
    return _Asked(
        source=account,
        account=account.number,
        on=account.on,
        now=account.now,
        title=f"account {account.number}",
    )


def _held_against(
    design: Design,
    profile: str,
    orchestrator: str | None,
    asked: _Asked,
    record: str | None,
    *,
    as_json: bool,
) -> int:
    from scripts.cli.preflight.all_checks import hold_against
    from scripts.cli.preflight.recorded import Recorder, make_folder

    if record is not None:  # before the first query
        make_folder(record)
    region = design.profile.region
    recorder = Recorder(asked.source, own=asked.account or "", region=region) if record is not None else None
    layered = load(profile, orchestrator=orchestrator).layered
    report = hold_against(
        design,
        layered,
        recorder or asked.source,
        account=asked.account,
        on=asked.on,
        now=asked.now,
        progress=_progress,
    )
    if recorder is not None and record is not None:
        written = recorder.write(record, asked.now)
        print(f"wrote {written} answers to {record}, without account numbers", file=sys.stderr)
    if as_json:
        write_json(_as_json(design, asked, report))
    else:
        _write_report(design, asked, report)
    return 1 if has_errors(report.diagnostics) else 0


def _progress(done: int, of: int) -> None:
    if sys.stderr.isatty():
        end = "\r" if done < of else "\r\033[K"
        print(f"{done} of {of} checks", end=end, file=sys.stderr, flush=True)


def _as_json(design: Design, asked: _Asked, report: Report) -> dict[str, Any]:
    return {
        "profile": design.profile.name,
        "region": design.profile.region,
        "account": asked.account,
        "at": asked.now.astimezone(UTC).isoformat(timespec="seconds"),
        "checks": [
            {"service": one.service, "asked": one.subject, "state": one.state, "answer": one.said}
            for one in report.results
        ],
        "diagnostics": [one.as_dict() for one in report.diagnostics],
    }


def _write_report(design: Design, asked: _Asked, report: Report) -> None:
    line(f"{design.profile.name}: {asked.title}, {design.profile.region}")
    print()
    last, rows = "", []
    for one in report.results:
        rows.append(
            (one.service if one.service != last else "", _short(one.subject), one.state, _short(one.said))
        )
        last = one.service
    write_table(_HEADINGS, rows)
    if report.diagnostics:
        heading("findings")
        write_diagnostics(report.diagnostics)
    counts = Counter(one.state for one in report.results)
    totals = [f"{counts[state]} {state}" for state in ("ok", "wrong", "not checked") if counts[state]]
    print()
    line(", ".join(totals))
    if any(one.said.startswith("needs ") for one in report.results):
        line("`--policy` prints the permissions that preflight needs, which only read")


def _short(text: str) -> str:
    """Shorten long ids and ARNs in the middle, for a narrow terminal."""
    if console().width > _NARROW:
        return text
    words = (word if len(word) <= _LONGEST_WORD else f"{word[:11]}...{word[-12:]}" for word in text.split())
    return " ".join(words)
