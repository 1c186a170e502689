"""What a cluster is for, as a profile states it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from config.profile.base import Model


class Workload(Model):
    """What the cluster is for: the storage plan and its advice follow from it."""

    parameters: Annotated[
        float, Field(ge=1, le=1e18, description="Parameters of the model, all experts counted: 405e9.")
    ]
    bytes_per_parameter: Annotated[
        float,
        Field(
            ge=0.1,
            le=1000,
            description="Bytes that a checkpoint holds per parameter: 14 is Adam with fp32 master weights, 2 bf16 "
            "weights alone.",
        ),
    ] = 14
    experts: Annotated[
        int,
        Field(
            ge=0,
            le=100000,
            description="Experts of a layer in a mixture of experts; 0: a dense model. More of them than GPUs in an "
            "NVLink domain exchange tokens over EFA.",
        ),
    ] = 0
    kept_checkpoints: Annotated[
        int,
        Field(
            ge=1,
            le=10000,
            description="Checkpoints that stay on the file system; the one being written comes on top.",
        ),
    ] = 3
    datasets_gib: Annotated[
        int, Field(ge=0, le=10**9, description="Space in GiB for everything that is no checkpoint.")
    ] = 0
    checkpoint_target_s: Annotated[
        float | None,
        Field(
            ge=0.001, le=1e7, description="Seconds that writing a checkpoint may take; default: any number."
        ),
    ] = None
    checkpoint_interval_s: Annotated[
        float | None,
        Field(
            ge=0.001,
            le=1e8,
            description="Seconds of training between two checkpoints; default: what loses least (Young/Daly).",
        ),
    ] = None
    mtbf_hours: Annotated[
        float | None,
        Field(
            ge=0.001,
            le=1e7,
            description="Mean time between failures of the whole run in hours; default: from the number of GPUs, at "
            "the rate that Meta published for Llama 3 on H100.",
        ),
    ] = None
