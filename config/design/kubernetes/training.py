"""Training frameworks; each framework and each shared dependency is installed only once."""

from __future__ import annotations

from config.design.kubernetes.model import Part
from config.design.kubernetes.steps import Release, Step
from config.profile.orchestrator import Eks, HyperPodEks

JOBSET = "jobset"
LEADER_WORKER_SET = "lws"
MPI_OPERATOR = "mpi-operator"
TRAINER = "kubeflow-trainer"


def frameworks(orchestrator: Eks | HyperPodEks) -> tuple[str, ...]:
    """Return the frameworks that the cluster installs, with their dependencies, by chart name.

    On HyperPod the MPI operator is part of HyperPod's chart.
    """
    declared = orchestrator.components.training
    wanted = (
        (JOBSET, "jobset" in declared or "trainer" in declared),
        (LEADER_WORKER_SET, "leader-worker-set" in declared),
        (MPI_OPERATOR, "mpi-operator" in declared and isinstance(orchestrator, Eks)),
        (TRAINER, "trainer" in declared),
    )
    return tuple(chart for chart, there in wanted if there)


def plan_training(orchestrator: Eks | HyperPodEks) -> Part:
    """Return the frameworks' releases; Kubeflow Trainer is after JobSet."""
    make = {JOBSET: _jobset, LEADER_WORKER_SET: _lws, MPI_OPERATOR: _mpi_operator, TRAINER: _trainer}
    return Part(steps=tuple(make[chart]() for chart in frameworks(orchestrator)))


def _jobset() -> Step:
    return Release(
        name=JOBSET,
        chart=JOBSET,
        namespace="jobset-system",
        values={"certManager": {"enable": False}, "prometheus": {"enable": False}},
    )


def _lws() -> Step:
    values = {"enableCertManager": False, "enablePrometheus": False}
    return Release(name=LEADER_WORKER_SET, chart=LEADER_WORKER_SET, namespace="lws-system", values=values)


def _mpi_operator() -> Step:
    """Return the MPI operator, whose chart is created from the project's manifest."""
    return Release(name=MPI_OPERATOR, chart=MPI_OPERATOR, namespace="mpi-operator", values={})


def _trainer() -> Step:
    """Return Kubeflow Trainer without its own copies of JobSet and LeaderWorkerSet.

    The Trainer's own runtimes are disabled, because they do not request EFA (NVIDIA/aicr #2275): jobs use
    their own runtimes.
    """
    return Release(
        name=TRAINER,
        chart=TRAINER,
        namespace="kubeflow-system",
        values={
            "jobset": {"install": False},
            "dataCache": {"enabled": False, "lws": {"install": False}},
            "runtimes": {"defaultEnabled": False},
        },
        after=(JOBSET,),
    )
