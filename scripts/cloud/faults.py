"""Fault injection: faults with their types, their places and their numbers of failures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from threading import Lock
from typing import Any, Literal, get_args

Kind = Literal["refused", "throttled", "slow", "expired", "capacity"]
ACTIONS = ("create", "update", "delete")
KINDS: tuple[str, ...] = get_args(Kind)
# codes and messages of the services' common errors:
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
_SAID: Mapping[str, tuple[str, str]] = {
    "refused": ("InvalidRequest", "the request was rejected"),
    "throttled": ("Throttling", "Rate exceeded"),
    "slow": ("", ""),
    "expired": ("ExpiredToken", "The security token included in the request is expired"),
    "capacity": (
        "InsufficientInstanceCapacity",
        "We currently do not have sufficient capacity in the Availability Zone you requested",
    ),
}

CODES = frozenset(code for code, _ in _SAID.values() if code)


class FaultError(ValueError):
    """An invalid fault; the message lists the valid values."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One type of failure that occurs at a resource type, a logical id, a lifecycle action or an API call.

    `call` has the format `fsx:CreateFileSystem`. `times` is the number of failures; None means no limit.
    `seconds` is the delay of `slow` on the simulated clock, or the time until `capacity` fails.
    """

    kind: Kind
    type: str | None = None
    logical_id: str | None = None
    action: Literal["create", "update", "delete"] | None = None
    call: str | None = None
    times: int | None = None
    seconds: float = 0.0
    message: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise FaultError(f"{self.kind!r} is not a fault type: use {', '.join(KINDS[:-1])} or {KINDS[-1]}")
        if not (self.type or self.logical_id or self.call):
            raise FaultError("a fault requires a place: set type=, logical_id= or call=")
        if self.action not in (None, *ACTIONS):
            raise FaultError(f"action={self.action} is not valid: use {', '.join(ACTIONS)}")
        if (self.times is not None and self.times < 1) or self.seconds < 0:
            raise FaultError("times= must be 1 or more, and seconds= 0 or more")

    @classmethod
    def parse(cls, text: str) -> Fault:
        """Parse `KIND name=value ...`, for example `capacity type=AWS::SageMaker::Cluster times=1`."""
        kind, *pairs = text.split() or [""]
        settings: dict[str, Any] = {}
        known = {field.name for field in fields(cls)} - {"kind"}
        for pair in pairs:
            name, _, value = pair.partition("=")
            if name not in known or not value:
                raise FaultError(
                    f"{pair!r} in {text!r} is not valid: use name=value with {', '.join(sorted(known))}"
                )
            settings[name] = _number(name, value)
        return cls(kind=kind, **settings)  # type: ignore[arg-type]  # checked in __post_init__

    @property
    def code(self) -> str:
        """The service's error code."""
        return _SAID[self.kind][0]

    @property
    def text(self) -> str:
        """The service's error message."""
        return self.message or _SAID[self.kind][1]


def _number(name: str, value: str) -> Any:
    convert = {"times": int, "seconds": float}.get(name)
    if convert is None:
        return value
    try:
        return convert(value)
    except ValueError:
        raise FaultError(f"{name}={value} is not valid: {name} must be a number") from None


class InjectedError(Exception):
    """An injected fault. The resource fails `after_s` simulated seconds after the start of the action."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(
            f'Resource handler returned message: "{fault.text}" (HandlerErrorCode: {fault.code})'
        )
        self.fault = fault
        self.after_s = fault.seconds


class Faults:
    """The faults of a cloud, each with its remaining number of failures; thread-safe."""

    def __init__(self, faults: Iterable[Fault] = ()) -> None:
        self._lock = Lock()
        self._left: list[tuple[Fault, int | None]] = [(fault, fault.times) for fault in faults]

    def inject(self, fault: Fault) -> None:
        """Add a fault."""
        with self._lock:
            self._left.append((fault, fault.times))

    def clear(self) -> None:
        """Remove all faults."""
        with self._lock:
            self._left = []

    def listed(self) -> list[dict[str, Any]]:
        """Return the faults that still have failures to inject."""
        with self._lock:
            return [asdict(fault) | {"times": left} for fault, left in self._left]

    @property
    def any_calls(self) -> bool:
        """Whether a fault of an API call still has failures to inject."""
        return any(fault.call is not None for fault, _ in self._left)

    def at_resource(self, resource_type: str, logical_id: str, action: str) -> Fault | None:
        """Return the fault for this action on a resource, and count one failure; None if none is left."""
        return self._strike(
            lambda fault: (
                fault.call is None
                and fault.type in (None, resource_type)
                and fault.logical_id in (None, logical_id)
                and fault.action in (None, action)
            )
        )

    def at_call(self, call: str) -> Fault | None:
        """Return the fault for a call such as `fsx:CreateFileSystem`, and count one failure."""
        return self._strike(lambda fault: fault.call == call)

    def _strike(self, strikes: Any) -> Fault | None:
        with self._lock:
            for number, (fault, left) in enumerate(self._left):
                if strikes(fault):
                    if left is not None and left <= 1:
                        del self._left[number]
                    elif left is not None:
                        self._left[number] = (fault, left - 1)
                    return fault
        return None
