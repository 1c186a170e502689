"""Parser for the ARN of a SageMaker training plan."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_ARN = re.compile(
    r"arn:aws[a-z-]*:sagemaker:(?P<region>[a-z0-9-]+):(?P<account>[0-9]{12}):training-plan/(?P<name>[a-zA-Z0-9-]{1,63})"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanArn:
    """The parts of a training plan's ARN."""

    region: str
    account: str
    name: str


@lru_cache(maxsize=1024)
def plan_arn(text: str) -> PlanArn | None:
    """Return the parts of a training plan's ARN; None for any other text."""
    match = _ARN.fullmatch(text)
    return PlanArn(**match.groupdict()) if match else None
