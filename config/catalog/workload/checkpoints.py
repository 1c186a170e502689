"""What decides how often a training run is saved, where to, and how it recovers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from config.catalog.files import read_one
from config.catalog.hardware import Sourced, Sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """How often one published training run was interrupted, by accident, on how many GPUs."""

    interruptions: int
    days: int
    gpus: int
    gpu: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCheckpoint:
    """A checkpoint that somebody published: parameters in 10^9, size in GB."""

    model: str
    parameters_b: float
    gb: float
    source: str

    @property
    def bytes_per_parameter(self) -> float:
        """Bytes of each parameter."""
        return self.gb / self.parameters_b


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketRates:
    """Requests a second that a general purpose bucket takes at least, for each prefix."""

    writes_per_prefix: int
    reads_per_prefix: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiered:
    """Managed tiered checkpointing: checkpoints in the memory of nodes, some of them on to S3.

    `copies` is how often a checkpoint lies in memory at least: on its node, and on another one.
    """

    control_planes: tuple[str, ...]
    memory_percent_least: int
    memory_percent_most: int
    copies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpointless:
    """Checkpointless training: a node that joins takes the state of a replica over.

    `replicas` is how often the state of model and optimizer lies in GPU memory at least.
    """

    control_planes: tuple[str, ...]
    verified_instance_types: tuple[str, ...]
    replicas: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoints(Sourced):
    """Facts behind the plan of checkpoints. `fill_at_most` is how full a file system may get, of 1.

    `bytes_per_parameter` has what a checkpoint may hold of each parameter, and how many bytes that is.
    `formulas` names the sources of each formula of the plan (config/design/storage/formulas.py).
    """

    failures: Failures
    bytes_per_parameter: tuple[tuple[int, str], ...]
    measured: tuple[MeasuredCheckpoint, ...]
    fill_at_most: float
    s3: BucketRates
    tiered: Tiered
    checkpointless: Checkpointless
    formulas: Mapping[str, tuple[str, ...]] = field(hash=False)
    sources: Sources = field(hash=False)
    notes: tuple[str, ...] = ()


@cache
def checkpoint_facts() -> Checkpoints:
    """Build the facts from their data file."""
    document = read_one("checkpoints")
    return Checkpoints(
        failures=Failures(**document["failures"]),
        bytes_per_parameter=document["bytes_per_parameter"],
        measured=tuple(MeasuredCheckpoint(**row) for row in document["measured"]),
        fill_at_most=document["capacity"]["fill_at_most"],
        s3=BucketRates(**document["s3"]),
        tiered=Tiered(**document["tiered"]),
        checkpointless=Checkpointless(**document["checkpointless"]),
        formulas=document["formulas"],
        sources=document["sources"],
        notes=document["notes"],
    )
