"""Setup that HyperPod nodes lack if they do not run ultracluster's scripts."""

from __future__ import annotations

from collections.abc import Iterator

from config.profile.model import Profile
from config.profile.orchestrator import HyperPodEks, HyperPodSlurm
from config.profile.slurm.hyperpod import Extended
from config.profile.storage.lustre import NewLustre
from config.profile.storage.tiers import Storage


def missing_setup(profile: Profile) -> tuple[str, ...]:
    """Return phrases for the tasks that the scripts would do; empty if the nodes run the scripts.

    The service itself mounts `storage.lustre` and `storage.home`
    (https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html).
    """
    hyperpod, storage = profile.orchestrator, profile.storage or Storage()
    if isinstance(hyperpod, HyperPodEks):
        return () if hyperpod.lifecycle is None else (*_on_kubernetes(storage), *_OF_KUBERNETES_NODES)
    if not isinstance(hyperpod, HyperPodSlurm) or isinstance(hyperpod.lifecycle, Extended):
        return ()
    return (*_of_storage(storage), *_OF_EVERY_NODE)


_OF_EVERY_NODE = (
    "checks of GPUs and storage around jobs (prolog and epilog) and between jobs (timer)",
    "metrics of these checks",
    "the pinned kernel version of the image",
)

_OF_KUBERNETES_NODES = ("container and kubelet data on a disk with enough space",)


def _on_kubernetes(storage: Storage) -> Iterator[str]:
    # CSI drivers mount file systems with Kubernetes, but nodes configure LNet over EFA
    if storage.local_nvme is not None:
        yield "`storage.local_nvme`"
    if storage.lustre is not None and storage.lustre.efa:
        yield "setup, check and tuning of Lustre over EFA"


def _of_storage(storage: Storage) -> Iterator[str]:
    declared = [lustre for lustre in (storage.lustre, *storage.additional_lustre) if lustre is not None]
    if any(lustre.efa for lustre in declared):
        yield "setup, check and tuning of Lustre over EFA"
    elif declared:
        yield "check and tuning of Lustre"
    if storage.local_nvme is not None:
        yield "`storage.local_nvme`"
    if storage.additional_lustre:
        yield "`storage.additional_lustre`"
    if any(isinstance(lustre, NewLustre) and lustre.checkpoint_paths for lustre in declared):
        yield "`checkpoint_paths`"
    if any(lustre.gpudirect for lustre in declared):
        yield "`gpudirect`"
