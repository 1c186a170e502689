"""Frameworks of jobs: each with one owner, and what two of them stand on installed once."""

from __future__ import annotations

from config.design.kubernetes.model import Part
from config.design.kubernetes.steps import Release, Step
from config.profile.orchestrator import Eks, HyperPodEks

JOBSET = "jobset"
LEADER_WORKER_SET = "lws"
MPI_OPERATOR = "mpi-operator"
TRAINER = "kubeflow-trainer"


def frameworks(orchestrator: Eks | HyperPodEks) -> tuple[str, ...]:
    """The frameworks that this cluster installs, with those that others stand on, by their charts' names.

    The MPI operator of HyperPod is that of its own chart.
    """
    stated = orchestrator.components.training
    wanted = (
        (JOBSET, "jobset" in stated or "trainer" in stated),
        (LEADER_WORKER_SET, "leader-worker-set" in stated),
        (MPI_OPERATOR, "mpi-operator" in stated and isinstance(orchestrator, Eks)),
        (TRAINER, "trainer" in stated),
    )
    return tuple(chart for chart, there in wanted if there)


def plan_training(orchestrator: Eks | HyperPodEks) -> Part:
    """The frameworks' releases, Kubeflow Trainer after JobSet."""
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
    """The project publishes a manifest and no chart: the vendored folder wraps the one as the other."""
    return Release(name=MPI_OPERATOR, chart=MPI_OPERATOR, namespace="mpi-operator", values={})


def _trainer() -> Step:
    """Kubeflow Trainer, without the JobSet and LeaderWorkerSet that its chart would install a second time.

    The runtimes that it ships ask for no EFA (NVIDIA/aicr #2275): jobs bring their own.
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
