"""Profile keys of node labels and taints."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import LABEL_KEY, LABEL_VALUE, Model

LabelValue = Annotated[str, Field(pattern=LABEL_VALUE, max_length=63)]
Labels = dict[Annotated[str, Field(pattern=LABEL_KEY, max_length=317)], LabelValue]
"""Kubernetes labels by key."""


class Taint(Model):
    """A taint that keeps pods without a matching toleration off a node."""

    key: Annotated[
        str,
        Field(
            pattern=LABEL_KEY, min_length=1, max_length=317, description="Key of the taint: nvidia.com/gpu."
        ),
    ]
    value: Annotated[
        LabelValue | None, Field(min_length=1, description="Value of the taint. Default: no value.")
    ] = None
    effect: Annotated[
        Literal["no-schedule", "prefer-no-schedule", "no-execute"],
        Field(
            description="Effect on pods that do not tolerate the taint. no-schedule: new pods are not placed on the node. prefer-no-schedule: new pods are placed elsewhere if possible. no-execute: running pods are evicted too."
        ),
    ] = "no-schedule"
