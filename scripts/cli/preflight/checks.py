"""What a check is: something that must hold of an account, and what an answer says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal, TypeVarTuple

from botocore import xform_name

from config.diagnostics import Code, Path, Severity
from scripts.cli.preflight.asking import Ask, MissingError, UnansweredError

State = Literal["ok", "wrong", "not checked"]

UNLIKE = "the answer has another form than the service's"
ODD = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What comes of reading an answer that is none, such as the file of another command."""

_AT_ONCE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """An action, and the resources that it is asked of: `*` where it takes none."""

    action: str
    resources: tuple[str, ...]


def needs(action: str, *resources: str) -> tuple[Permission]:
    """One permission; of everything where the action takes no resource."""
    return (Permission(action=action, resources=resources or ("*",)),)


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that does not hold, at a place of the profile."""

    code: Code
    at: Path
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the answer says in a few words, and what does not hold."""

    said: str
    found: tuple[Found, ...] = ()


def wrong(said: str, code: Code, at: Path, message: str, hint: str) -> Verdict:
    """A verdict with one thing that does not hold."""
    return Verdict(said, (Found(code, at, message, hint),))


Given = TypeVarTuple("Given")
Judge = Callable[[Ask], Verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that is asked. `service` is what people call the service, `subject` what it is asked about."""

    service: str
    subject: str
    permissions: tuple[Permission, ...]
    judge: Judge


def check(
    service: str,
    subject: str,
    permissions: tuple[Permission, ...],
    judge: Callable[[*Given, Ask], Verdict],
    *given: *Given,
) -> Check:
    """A check that judges what is `given` by what the account answers."""
    return Check(
        service=service, subject=subject, permissions=permissions, judge=lambda ask: judge(*given, ask)
    )


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a check; `said` is the answer, or why there is none."""

    service: str
    subject: str
    state: State
    said: str
    found: tuple[Found, ...] = ()


def run(
    checks: Sequence[Check], ask: Ask, progress: Callable[[int, int], None] = lambda _done, _of: None
) -> tuple[Result, ...]:
    """All checks, several at once, in their order; `progress` is told how many are done, and of how many."""
    if not checks:
        return ()
    with ThreadPoolExecutor(max_workers=min(_AT_ONCE, len(checks))) as pool:
        running = [pool.submit(_result, check, ask) for check in checks]
        found = []
        try:
            for number, one in enumerate(running, 1):
                found.append(one.result())
                progress(number, len(running))
        except BaseException:  # an interrupt, or nobody to ask any more: what is not asked yet is left out
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return tuple(found)


def _result(check: Check, ask: Ask) -> Result:
    state: State
    try:
        verdict = check.judge(ask)
    except (UnansweredError, MissingError) as error:  # a check that knows what is missing says so itself
        state, verdict = "not checked", Verdict(str(error))
    except ODD as error:  # files may hold anything
        state, verdict = "not checked", Verdict(f"{UNLIKE} ({type(error).__name__}: {error})")
    else:
        state = "wrong" if any(one.code.severity is not Severity.NOTE for one in verdict.found) else "ok"
    return Result(check.service, check.subject, state, verdict.said, verdict.found)


def policy_of(checks: Iterable[Check]) -> dict[str, Any]:
    """The least that these checks need, as a policy of IAM."""
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
    """What a service lists, by the id of each."""
    return {str(one.get(key)): one for one in things}


def ec2_by_id(ask: Ask, things: str, key: str, *wanted: str, **further: Any) -> dict[str, Mapping[str, Any]]:
    """The `wanted` ones of what EC2 has, by the id of each: `Vpcs` by their `VpcId`."""
    filters = [{"Name": xform_name(key, "-"), "Values": list(wanted)}]
    return by_id(ask("ec2", f"Describe{things}", Filters=filters, **further)[things], key)
