"""Checks of an account: each sends a query, and compares the answer with the profile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, TypeVarTuple

from botocore import xform_name

from config.diagnostics import Code, Path, Severity
from scripts.cli.preflight.asking import Ask, MissingError, UnansweredError

State = Literal["ok", "wrong", "not checked"]

UNLIKE = "the answer does not have the format of the service"
ODD = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""Exceptions that an answer in an unexpected format causes, such as the file of another command."""

_AT_ONCE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """An action and its resources; `*` if the action does not support resources."""

    action: str
    resources: tuple[str, ...]


def needs(action: str, *resources: str) -> tuple[Permission]:
    """Return one permission; its resource is `*` if none is given."""
    return (Permission(action=action, resources=resources or ("*",)),)


@dataclass(frozen=True, slots=True)
class Found:
    """One difference between account and profile, at a path of the profile."""

    code: Code
    at: Path
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a comparison: the answer as a short text, and the differences from the profile."""

    said: str
    found: tuple[Found, ...] = ()


def wrong(said: str, code: Code, at: Path, message: str, hint: str) -> Verdict:
    """Return a verdict with one difference."""
    return Verdict(said, (Found(code, at, message, hint),))


Values = TypeVarTuple("Values")
Judge = Callable[[Ask], Verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One query. `service` is the common name of the service, `subject` is the object of the query."""

    service: str
    subject: str
    permissions: tuple[Permission, ...]
    judge: Judge


def check(
    service: str,
    subject: str,
    permissions: tuple[Permission, ...],
    judge: Callable[[*Values, Ask], Verdict],
    *values: *Values,
) -> Check:
    """Return a check that compares the `values` with the account's answer."""
    return Check(
        service=service, subject=subject, permissions=permissions, judge=lambda ask: judge(*values, ask)
    )


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a check; `said` is the answer, or the reason why there is none."""

    service: str
    subject: str
    state: State
    said: str
    found: tuple[Found, ...] = ()


def run(
    checks: Sequence[Check], ask: Ask, progress: Callable[[int, int], None] = lambda _done, _of: None
) -> tuple[Result, ...]:
    """Run all checks in parallel, and return the results in order.

    `progress` receives the number of finished checks and the number of all checks.
    """
    if not checks:
        return ()
    with ThreadPoolExecutor(max_workers=min(_AT_ONCE, len(checks))) as pool:
        running = [pool.submit(_result, check, ask) for check in checks]
        found = []
        try:
            for number, one in enumerate(running, 1):
                found.append(one.result())
                progress(number, len(running))
        except BaseException:  # an interrupt, or no connection any more: skip the remaining queries
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return tuple(found)


def _result(check: Check, ask: Ask) -> Result:
    state: State
    try:
        verdict = check.judge(ask)
    except (UnansweredError, MissingError) as error:  # checks handle expected missing resources themselves
        state, verdict = "not checked", Verdict(str(error))
    except ODD as error:  # files can contain anything
        state, verdict = "not checked", Verdict(f"{UNLIKE} ({type(error).__name__}: {error})")
    else:
        state = "wrong" if any(one.code.severity is not Severity.NOTE for one in verdict.found) else "ok"
    return Result(check.service, check.subject, state, verdict.said, verdict.found)


def policy_of(checks: Iterable[Check]) -> dict[str, Any]:
    """Return the minimum IAM policy for these checks."""
    wanted: dict[str, set[str]] = {}
    for check in checks:
        for permission in check.permissions:
            wanted.setdefault(permission.action, set()).update(permission.resources)
    together: dict[tuple[str, ...], list[str]] = {}
    for action, resources in sorted(wanted.items()):
        named = ("*",) if "*" in resources else tuple(sorted(resources))
        together.setdefault(named, []).append(action)
    return {
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Action": actions, "Resource": list(named)}
            for named, actions in together.items()
        ],
    }


def by_id(things: Iterable[Mapping[str, Any]], key: str) -> dict[str, Mapping[str, Any]]:
    """Return the listed items by id."""
    return {str(one.get(key)): one for one in things}


def ec2_by_id(ask: Ask, things: str, key: str, *wanted: str, **further: Any) -> dict[str, Mapping[str, Any]]:
    """Return the `wanted` EC2 resources by id: `Vpcs` by their `VpcId`."""
    filters = [{"Name": xform_name(key, "-"), "Values": list(wanted)}]
    return by_id(ask("ec2", f"Describe{things}", Filters=filters, **further)[things], key)
