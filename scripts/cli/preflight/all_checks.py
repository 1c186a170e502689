"""Run all checks of a profile against an account or recorded answers, and return the findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from config.design.model import Design
from config.diagnostics import Diagnostic, in_reading_order
from config.profile.source.merge import Layered
from config.rules.codes import CODES
from config.rules.waivers import waive
from scripts.cli.preflight import (
    buckets,
    data,
    deployment,
    file_systems,
    keys,
    machines,
    names,
    network,
    place,
    quotas,
    reservations,
    services,
    stack,
)
from scripts.cli.preflight.asking import Shared, Source
from scripts.cli.preflight.checks import Check, Result, run
from scripts.cli.preflight.place import Place

_PARTS = (
    place, quotas, reservations, machines, network, buckets, file_systems, keys, deployment, stack, names,
    data, services,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The results of all checks; `diagnostics` are their findings in reading order, with waivers applied."""

    results: tuple[Result, ...]
    diagnostics: tuple[Diagnostic, ...]


def checks_of(
    design: Design, *, account: str | None = None, on: bool = True, now: datetime | None = None
) -> tuple[Check, ...]:
    """Return every check of a profile, in the order of the report."""
    where = Place(design=design, account=account, on=on, now=now or datetime.now(UTC))
    return tuple(_by_service([check for part in _PARTS for check in part.checks(where)]))


def _by_service(checks: Sequence[Check]) -> Iterator[Check]:
    """Group checks by service, in the order in which the services first appear."""
    for service in dict.fromkeys(check.service for check in checks):
        yield from (check for check in checks if check.service == service)


def hold_against(
    design: Design,
    layered: Layered,
    source: Source,
    *,
    account: str | None,
    on: bool = True,
    now: datetime,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> Report:
    """Run all checks and return the report; if the account is not the profile's, run only its account check."""
    checks = checks_of(design, account=account, on=on, now=now)
    if account is not None and design.profile.account not in (None, account):
        checks = tuple(check for check in checks if check.service in ("STS", "profile"))
    results = run(checks, Shared(source), progress)
    found = [
        layered.diagnose(one.code, one.at, one.message, one.hint)
        for result in results
        for one in result.found
    ]
    waived = waive(design.profile.waive, found, layered, CODES, frozenset())
    mine = [one for one in waived if one.code.startswith("PRE")]
    return Report(results=results, diagnostics=tuple(in_reading_order(mine)))
