"""What a check is: something that must hold of an account, and what an answer says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

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


def needs(action: str, *resources: str) -> Permission:
    """A permission; of everything where the action takes no resource."""
    return Permission(action=action, resources=resources or ("*",))


@dataclass(frozen=True, slots=True, kw_only=True)
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


Judge = Callable[[Ask], Verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that is asked. `service` is what people call the service, `subject` what it is asked about."""

    service: str
    subject: str
    permissions: tuple[Permission, ...]
    judge: Judge


@dataclass(frozen=True, slots=True, kw_only=True)
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
    try:
        verdict = check.judge(ask)
    except UnansweredError as error:
        return Result(service=check.service, subject=check.subject, state="not checked", said=str(error))
    except MissingError as error:  # a check that knows what that means says so itself
        return Result(service=check.service, subject=check.subject, state="not checked", said=str(error))
    except ODD as error:  # files may hold anything
        said = f"{UNLIKE} ({type(error).__name__}: {error})"
        return Result(service=check.service, subject=check.subject, state="not checked", said=said)
    wrong = any(one.code.severity is not Severity.NOTE for one in verdict.found)
    return Result(
        service=check.service,
        subject=check.subject,
        state="wrong" if wrong else "ok",
        said=verdict.said,
        found=verdict.found,
    )


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
