"""What Kubernetes knows the nodes of a group by: labels, and taints that keep other pods off."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import LABEL_KEY, LABEL_VALUE, Model

LabelValue = Annotated[str, Field(pattern=LABEL_VALUE, max_length=63)]
Labels = dict[Annotated[str, Field(pattern=LABEL_KEY, max_length=317)], LabelValue]
"""Labels of Kubernetes by key."""


class Taint(Model):
    """What keeps pods off that do not tolerate it."""

    key: Annotated[
        str,
        Field(
            pattern=LABEL_KEY, min_length=1, max_length=317, description="Key of the taint: nvidia.com/gpu."
        ),
    ]
    value: Annotated[
        LabelValue | None, Field(min_length=1, description="Value of the taint; default: none.")
    ] = None
    effect: Annotated[
        Literal["no-schedule", "prefer-no-schedule", "no-execute"],
        Field(
            description="no-schedule: pods that do not tolerate it stay off; prefer-no-schedule: where they can; "
            "no-execute: those that run there go too."
        ),
    ] = "no-schedule"
