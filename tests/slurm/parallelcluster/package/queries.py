"""Queries ParallelCluster's own package about configurations, all in one process."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from scripts.tools.setup.bootstrap import ROOT
from tests.slurm.parallelcluster.package.environment import PclusterMissingError, ensure_environment, settings

Json = dict[str, Any]
Operation = Literal["schema", "validate", "synthesize"]

PATIENCE_S = 240


@dataclass(frozen=True, kw_only=True)
class AccountState:
    """The account for ParallelCluster, with all resources that a configuration names.

    `subnets` are ids in `zone`. `images` are architectures by id, and are also the images that
    ParallelCluster publishes. The other records are in the format of the EC2 API. Records of `instance_types`
    are used if moto has no captured record. `file_systems` (Lustre) and `volumes` (OpenZFS) are ids; they
    allow only the first of the `security_groups`. `buckets` have object keys; `placement_groups` are names.
    """

    region: str
    zone: str
    subnets: Sequence[str]
    images: Mapping[str, str]
    instance_types: Mapping[str, Json] = field(default_factory=dict)
    capacity_reservations: Sequence[Json] = ()
    capacity_block_statuses: Sequence[Json] = ()
    security_groups: Sequence[str] = ()
    file_systems: Sequence[str] = ()
    volumes: Sequence[str] = ()
    buckets: Mapping[str, Sequence[str]] = field(default_factory=dict)
    placement_groups: Sequence[str] = ()


@dataclass(frozen=True, kw_only=True)
class Question:
    """A configuration and the operations on it; its schema is always checked first."""

    name: str
    configuration: Json
    operations: Sequence[Operation]


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A failure of a semantic validator."""

    validator: str
    level: str
    message: str


@dataclass(frozen=True, kw_only=True)
class Answer:
    """ParallelCluster's result for a configuration.

    Attributes:
        schema_errors: Invalid keys and values, by key; the other operations then do not run.
        failures: Failures of the semantic validators, of all levels.
        launch_templates: LaunchTemplateData by `queue/compute resource`, with the keys of `driver.SHOWN`.
        error: The exception that the package raised, if any.
    """

    schema_errors: Json = field(default_factory=dict)
    failures: Sequence[Failure] = ()
    launch_templates: Mapping[str, Json] = field(default_factory=dict)
    error: str | None = None

    def failures_of(self, validator: str) -> list[Failure]:
        """Return the failures of one validator, by its class name."""
        return [failure for failure in self.failures if failure.validator == validator]


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The answers by question, and the records of the instance types."""

    by_name: Mapping[str, Answer]
    instance_types: Mapping[str, Json]
    captured: Sequence[str]
    """Types whose record moto captured from EC2; the records of other types are from the account."""
    limits: Json
    """Limits of the package."""


def ask(account_state: AccountState, questions: Sequence[Question], root: Path = ROOT) -> Answers:
    """Query the package in its own environment, which is created on demand.

    Raises:
        PclusterMissingError: the environment cannot be created.
        RuntimeError: the driver failed; the text contains the end of its output.
    """
    python = ensure_environment(root)
    done = subprocess.run(
        [str(python), "-m", "tests.slurm.parallelcluster.package.driver"],
        input=json.dumps(
            {
                "account_state": asdict(account_state),
                "questions": [asdict(question) for question in questions],
            }
        ),
        cwd=root,
        env=settings() | {"AWS_DEFAULT_REGION": account_state.region},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the driver of aws-parallelcluster failed: {done.stderr.strip()[-2000:]}")
    found = json.loads(done.stdout)
    return Answers(
        by_name={name: _answer(answer) for name, answer in found["answers"].items()},
        instance_types=found["instance_types"],
        captured=found["captured"],
        limits=found["limits"],
    )


def _answer(found: Json) -> Answer:
    return Answer(
        **found | {"failures": [Failure(**failure) for failure in found.get("failures", ())]},
    )


__all__ = ["AccountState", "Answer", "Answers", "Failure", "PclusterMissingError", "Question", "ask"]
