"""Requests of a job for EFA, huge pages, all GPUs and the right nodes, and the queue that counts them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from config.proof import sources
from config.proof.artefacts import Artefacts, Found, Object, mapping, sequence, text_of
from config.proof.kubernetes import tolerates, unlike_labels
from config.proof.model import Link, Maker, Named, Place
from config.proof.nodes import GROUP_LABEL, Nodes
from config.proof.wanted import Wanted, WantedGroup

REQUEST = Named(
    name="job-request",
    title="a job requests all EFA interfaces of its nodes",
    why="a pod without a request gets no EFA device, and NCCL uses TCP without an error",
    source=sources.LOST_REQUEST,
)
HUGE_PAGES = Named(
    name="huge-pages",
    title="huge pages for EFA buffers",
    why="libfabric allocates its buffers from huge pages, and a pod gets huge pages only if it requests them",
    source=sources.EKS_NODE_EFA,
)
GPUS = Named(
    name="gpudirect",
    title="EFA transfers data from and to the memory of all GPUs",
    why=(
        "if a pod has some GPUs of a node without their interfaces, NCCL sees a wrong topology and does "
        "not use EFA"
    ),
    source=sources.PARTIAL_NODE,
)
JOB_NODES = Named(
    name="job-nodes",
    title="the job's pods run on the group's nodes only",
    why=(
        "a pod without the group's label can run on other nodes, and a pod without tolerations cannot "
        "run on tainted nodes"
    ),
    source=sources.TAINTS,
)
QUEUE = Named(
    name="queue",
    title="the job's queue counts EFA and huge pages",
    why="a job waits forever if it requests a resource that its queue does not count",
    source=sources.KUEUE_QUOTA,
)

_EFA, _GPU, _HUGE = "vpc.amazonaws.com/efa", "nvidia.com/gpu", "hugepages-2Mi"
_EFA_CLASS, _GPU_CLASS = "efa.networking.k8s.aws", "gpu.nvidia.com"
_LEAST_MIB = 5120


def job_links(
    wanted: Wanted, group: WantedGroup, nodes: Nodes, artefacts: Artefacts, made: Maker
) -> Iterator[Link]:
    """Yield the proof's links for the jobs of a group."""
    if wanted.scheduler is None:
        yield from _of_slurm(wanted, group, nodes, made)
        return
    job = artefacts.jobs.get(group.name)
    pod = pod_of(job, group.name) if job else None
    if job is None or pod is None:
        evidence = "task governance creates the queues: you write the jobs, with the requests in their pods"
        evidence = evidence if wanted.governed else "a group without nodes has no job"
        for named in (REQUEST, HUGE_PAGES, GPUS, JOB_NODES, QUEUE):
            yield made.yours(named, evidence)
        return
    container = pod.at("containers", 0)
    assert container is not None
    yield _request(group, job, container, made)
    yield _huge_pages(group, container, made)
    yield _gpus(group, job, container, made)
    yield _job_nodes(nodes, pod, made)
    yield _queue(wanted, group, container, artefacts, made)


def pod_of(job: Sequence[Object], group: str) -> Found | None:
    """Return the pod spec of a job's last object."""
    one = job[-1]
    place = Place(artefact=f"job of {group}", at=f"{one.get('kind')}/{one.get('metadata', {}).get('name')}")
    found = Found(one, place)
    return found.at("spec", "template", "spec") or found.at("spec", "tasks", 0, "template", "spec")


def _limits(container: Found) -> Found:
    return container.at("resources", "limits") or Found({}, container.place.below("resources"))


def _claimed(job: Sequence[Object], group: str, device_class: str) -> Found | None:
    """Return the number of devices that a job's claims request from a class; None if no claim does."""
    for one in job:
        if one.get("kind") == "ResourceClaimTemplate":
            name = one.get("metadata", {}).get("name")
            found = Found(one, Place(artefact=f"job of {group}", at=f"ResourceClaimTemplate/{name}"))
            for request in found.items("spec", "spec", "devices", "requests"):
                if request.get("exactly", {}).get("deviceClassName") == device_class:
                    return request.at("exactly", "count")
    return None


def _asked(
    group: WantedGroup,
    job: Sequence[Object],
    container: Found,
    resource: str,
    device_class: str,
    *,
    dra: bool,
) -> tuple[int, Place]:
    if dra:
        found = _claimed(job, group.name, device_class)
        place = found.place if found else container.place.below("resources")
        return (int(found.value) if found and container.items("resources", "claims") else 0), place
    limits = _limits(container)
    asked = limits.at(resource)
    return (int(asked.value) if asked and str(asked.value).isdecimal() else 0), (asked or limits).place


def _request(group: WantedGroup, job: Sequence[Object], container: Found, made: Maker) -> Link:
    dra = group.efa_owner == "dra"
    asked, place = _asked(group, job, container, _EFA, _EFA_CLASS, dra=dra)
    named = f"the device class {_EFA_CLASS}" if dra else _EFA
    if asked != group.job_efa:
        fault = f"{named}: {asked}, but a node has {group.job_efa}"
        return made.broken(REQUEST, [fault], place)
    evidence = f"{named}: {asked}, all interfaces of a node"
    if group.layout is None and group.job_efa != group.efa:
        evidence = f"{named}: {asked}, as in AWS's table for the type; HyperPod's number is not documented"
    return made.holds(REQUEST, evidence, place)


def _huge_pages(group: WantedGroup, container: Found, made: Maker) -> Link:
    limits, requests = _limits(container), container.at("resources", "requests")
    asked = limits.at(_HUGE)
    if group.instance.ultraserver_only and asked is None:
        evidence = f"AWS's example jobs for {group.instance.name} do not request huge pages"
        source = "https://github.com/awslabs/awsome-distributed-ai/tree/main/micro-benchmarks/nccl-tests"
        return made.not_needed(HUGE_PAGES, evidence, limits.place, source=source)
    amount = str(asked.value) if asked else "none"
    faults = []
    if _mib(amount) < _LEAST_MIB:
        faults.append(f"{_HUGE}: {amount}, but AWS's example jobs request {_LEAST_MIB}Mi")
    elif requests is None or requests.get(_HUGE) != amount:
        faults.append(f"{_HUGE} is {amount} in the limits, but not in the requests")
    return made.judged(HUGE_PAGES, faults, f"{_HUGE}: {amount}", [(asked or limits).place])


def _mib(amount: str) -> int:
    units = {"Mi": 1, "Gi": 1024}
    number, unit = amount[:-2], amount[-2:]
    return int(number) * units[unit] if unit in units and number.isdecimal() else 0


def _gpus(group: WantedGroup, job: Sequence[Object], container: Found, made: Maker) -> Link:
    asked, place = _asked(group, job, container, _GPU, _GPU_CLASS, dra=group.gpu_owner == "dra")
    wanted = group.instance.gpu.count if group.instance.gpu else 0
    if asked != wanted:
        return made.broken(GPUS, [f"the job requests {asked} of the {wanted} GPUs of a node"], place)
    if group.instance.gpudirect_rdma is False:
        evidence = f"{group.instance.name} has no GPUDirect RDMA: data is copied through host memory"
        return made.not_needed(GPUS, evidence, place, source=sources.OFI_NCCL)
    evidence = (
        "one GPU with its EFA" if wanted == 1 else f"all {wanted} GPUs of a node with all EFA interfaces"
    )
    return made.holds(GPUS, evidence, place)


def _job_nodes(nodes: Nodes, pod: Found, made: Maker) -> Link:
    selector, listed = pod.at("nodeSelector"), pod.at("tolerations")
    wanted = mapping(selector)
    faults = unlike_labels(wanted, nodes)
    if GROUP_LABEL not in wanted:
        faults.append(f"the pod does not select the group by {GROUP_LABEL}")
    tolerated = [one.value for one in pod.items("tolerations")]
    for taint in nodes.taints:
        key = str(taint.get("Key", taint.get("key", "")))
        if key.endswith("/agent-not-ready"):
            continue
        if not any(tolerates(one, taint.value) for one in tolerated):
            faults.append(f"the taint {key} of the nodes is not tolerated")
    places = [found.place for found in (selector, listed, nodes.labels) if found]
    evidence = ", ".join(f"{key}: {value}" for key, value in wanted.items())
    return made.judged(JOB_NODES, faults, f"{evidence}, and the taints are tolerated", places or [pod.place])


def _queue(wanted: Wanted, group: WantedGroup, container: Found, artefacts: Artefacts, made: Maker) -> Link:
    asked = [name for name in (_EFA, _HUGE) if name in _limits(container).value]
    if wanted.scheduler == "kai":
        evidence = "KAI queues limit only GPUs, CPU cores and memory"
        return made.not_needed(QUEUE, evidence, source=sources.KAI_QUEUES)
    if not asked:
        return made.not_needed(QUEUE, "the devices are claimed, and huge pages are not requested")
    if wanted.scheduler == "volcano":
        return _of_volcano(asked, artefacts, made)
    flavors = {
        _name(found)
        for _, found in artefacts.objects("ResourceFlavor")
        if (labels := found.at("spec", "nodeLabels")) and labels.get(GROUP_LABEL) == group.name
    }
    faults, places, evidence = [], list[Place](), ""
    for _, queue in artefacts.objects("ClusterQueue"):
        for one in queue.items("spec", "resourceGroups"):
            mine = [f for f in one.items("flavors") if text_of(f.get("name")) in flavors]
            covered = one.at("coveredResources")
            if not mine or covered is None:
                continue
            places.append(covered.place)
            missing = [name for name in asked if name not in sequence(covered.value)]
            if missing:
                faults.append(f"{_name(queue)} does not count {' and '.join(missing)}")
            evidence = f"{_name(queue)} counts {' and '.join(asked)}"
    if not places:
        return made.broken(QUEUE, [f"no queue contains nodes of {group.name}"])
    return made.judged(QUEUE, faults, evidence, places)


def _name(found: Found) -> str:
    return text_of(mapping(found.get("metadata")).get("name"))


def _of_volcano(asked: list[str], artefacts: Artefacts, made: Maker) -> Link:
    faults, places = [], list[Place]()
    for _, queue in artefacts.objects("Queue"):
        bound = queue.at("spec", "capability") or queue.at("spec", "deserved")
        if bound is None:
            continue
        places.append(bound.place)
        missing = [name for name in asked if name not in mapping(bound.value)]
        if missing:
            faults.append(f"{_name(queue)} does not count {' and '.join(missing)}")
    evidence = f"every queue counts {' and '.join(asked)}"
    return made.judged(QUEUE, faults, evidence, places, source=sources.VOLCANO_QUOTA)


def _of_slurm(wanted: Wanted, group: WantedGroup, nodes: Nodes, made: Maker) -> Iterator[Link]:
    place = nodes.place
    evidence = "Slurm counts GPUs only. Every job on a node can use its RDMA devices: request whole nodes"
    yield made.not_needed(REQUEST, evidence, place, source=sources.GRES)
    image = "HyperPod's image" if wanted.orchestrator == "hyperpod-slurm" else "PCS's DLAMI"
    if group.image is not None:
        yield made.yours(
            HUGE_PAGES, f"the EFA installer reserves huge pages on your image {group.image}", place
        )
    else:
        evidence = f"the EFA installer reserves 5128 pages of 2 MiB on {image}"
        yield made.service(HUGE_PAGES, evidence, place)
    if group.instance.gpudirect_rdma is False:
        evidence = f"{group.instance.name} has no GPUDirect RDMA: data is copied through host memory"
        yield made.not_needed(GPUS, evidence, place, source=sources.OFI_NCCL)
    else:
        evidence = (
            f"the drivers on {image} let EFA access GPU memory; a job has all GPUs of its requested nodes"
        )
        yield made.service(GPUS, evidence, place, source=sources.EFA)
