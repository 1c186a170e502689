"""Facts about checkpoints: failure rates, checkpoint sizes, S3 request rates and recovery features."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from config.catalog.files import read_one
from config.catalog.hardware import Sourced, Sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Failures:
    """The unexpected interruptions of a published training run, and its number of GPUs."""

    interruptions: int
    days: int
    gpus: int
    gpu: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredCheckpoint:
    """A published checkpoint size: parameters in 10^9, size in GB."""

    model: str
    parameters_b: float
    gb: float
    source: str

    @property
    def bytes_per_parameter(self) -> float:
        """Bytes per parameter."""
        return self.gb / self.parameters_b


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketRates:
    """Minimum requests per second that a general purpose bucket supports for each prefix."""

    writes_per_prefix: int
    reads_per_prefix: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiered:
    """HyperPod managed tiered checkpointing: checkpoints in node memory, some of them copied to S3.

    `copies` is the minimum number of copies in memory: one on the node, and one on another node.
    """

    control_planes: tuple[str, ...]
    memory_percent_least: int
    memory_percent_most: int
    copies: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpointless:
    """HyperPod checkpointless training: a node that joins copies the state of a replica.

    `replicas` is the minimum number of copies of model and optimizer state in GPU memory.
    """

    control_planes: tuple[str, ...]
    verified_instance_types: tuple[str, ...]
    replicas: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoints(Sourced):
    """Facts of the checkpoint plan. `fill_at_most` is the maximum used share of a file system, up to 1.

    `bytes_per_parameter` has pairs of bytes per parameter and the content of the checkpoint. `formulas` has
    the sources of each formula of the plan (config/design/storage/formulas.py).
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
    """Return the facts about checkpoints; the file is read on the first call."""
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
