"""Software on the nodes: limits, environment, NCCL plugin, NVLink between nodes, and device checks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from config.design.slurm.defaults import PROLOG
from config.proof import sources
from config.proof.artefacts import Artefacts, Bundle, Found, Object, text_of
from config.proof.jobs import pod_of
from config.proof.model import Link, Maker, Named, Place
from config.proof.nodes import Nodes
from config.proof.wanted import Wanted, WantedGroup

MEMLOCK = Named(
    name="memlock",
    title="locked memory has no limit",
    why="EFA locks the memory that it registers: with a limit on locked memory, registrations fail",
    source=sources.BOTTLEROCKET_EFA,
)
ENVIRONMENT = Named(
    name="environment",
    title="no variable turns EFA off",
    why=(
        "current plugins find EFA automatically, and a single variable in an old script can switch NCCL "
        "to TCP"
    ),
    source=sources.CHEATSHEET,
)
NCCL_PLUGIN = Named(
    name="nccl-plugin",
    title="NCCL's EFA plugin supports the type",
    why="NCCL uses EFA only through aws-ofi-nccl, which has specific settings for each type",
    source=sources.OFI_NCCL,
)
NVLINK = Named(
    name="nvlink-domain",
    title="NVLink between nodes is set up in addition to EFA",
    why=(
        "in an UltraServer, NCCL uses NVLink between nodes if IMEX is set up for the job's nodes, and "
        "otherwise EFA"
    ),
    source=sources.ULTRASERVERS_EKS,
)
DEVICE_CHECK = Named(
    name="device-check",
    title="all EFA devices of a node are checked before each job",
    why="a node with a lost device slows the whole job down, without an error",
    source=sources.PROLOG,
)

START_CHECK = Named(
    name="start-check",
    title="HyperPod tests EFA when a node starts",
    why="deep health checks measure EFA on the node and between nodes before a job runs on a faulty node",
    source=sources.DEEP_HEALTH,
)

_RELEASES = "https://github.com/aws/aws-ofi-nccl/"
PLUGIN_SINCE: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "p5.4xlarge": ("1.16.2", f"{_RELEASES}blob/v1.16.2/RELEASENOTES.md"),
        "p5.48xlarge": ("1.7.3", f"{_RELEASES}releases/tag/v1.7.3-aws"),
        "p5en.48xlarge": ("1.13.0", f"{_RELEASES}releases/tag/v1.13.0-aws"),
        "p6-b200.48xlarge": ("1.15.0", f"{_RELEASES}pull/918"),
        "p6e-gb200.36xlarge": ("1.16.1", f"{_RELEASES}pull/961"),
    }
)
"""First release of aws-ofi-nccl that names the type in its release notes or was tested on the type."""

_REFUSED: Mapping[str, Callable[[str], bool]] = MappingProxyType(
    {
        "FI_PROVIDER": lambda value: value != "efa",
        "FI_EFA_USE_DEVICE_RDMA": lambda value: value.lower() in ("0", "no", "false", "off"),
        "NCCL_NET": lambda value: value.lower() in ("socket", "ib"),
        "NCCL_NET_PLUGIN": lambda value: value.lower() == "none",
    }
)
"""Variables, each with a test for values that prevent NCCL from using EFA."""

_ASSIGNED = re.compile(rf"\b({'|'.join(_REFUSED)})(?::?=|:\s+)[\"']?([\w.;,^-]+)")
_LOCKED = re.compile(
    r"LimitMEMLOCK=(?!infinity)\S+|ulimit -[HS]*l (?!unlimited)\S+|\bmemlock\s+(?!unlimited|-1)\d+"
    r"|RLIMIT_MEMLOCK|--memlock[= ](?!unlimited)\S+"
)


def software_links(
    wanted: Wanted,
    group: WantedGroup,
    nodes: Nodes,
    bundle: Bundle | None,
    artefacts: Artefacts,
    made: Maker,
) -> Iterator[Link]:
    """Yield the proof's links for software on the nodes."""
    job = artefacts.jobs.get(group.name, ())
    texts = list(_texts(nodes, bundle))
    yield _memlock(nodes, texts, made)
    yield _environment(wanted, group, nodes, texts, job, made)
    yield _nccl_plugin(wanted, group, nodes, job, made)
    yield _nvlink(wanted, group, nodes, job, made)
    if group.launched_by == "hyperpod":
        yield _start_check(group, nodes, made)
    if wanted.scheduler is None:
        yield _device_check(wanted, group, nodes, bundle, artefacts, made)


def _texts(nodes: Nodes, bundle: Bundle | None) -> Iterator[tuple[str, Place]]:
    """Yield every line that nodes run, with its location."""
    if nodes.user_data is not None:
        for number, line in enumerate(text_of(nodes.user_data.value).splitlines(), 1):
            place = nodes.user_data.place
            yield line, Place(artefact=place.artefact, at=place.at, path=place.path, line=number)
    for file, number, line in bundle.lines() if bundle else ():
        yield line, bundle.place(file, number)  # type: ignore[union-attr]  # lines are those of one


def _memlock(nodes: Nodes, texts: Sequence[tuple[str, Place]], made: Maker) -> Link:
    limited = [(found[0], place) for line, place in texts if (found := _LOCKED.search(line))]
    if limited:
        faults = [f"`{text}` sets a limit" for text, _ in limited]
        return made.broken(MEMLOCK, faults, *(place for _, place in limited))
    evidence = "the image sets the limit, and no script on the nodes lowers it"
    return made.service(MEMLOCK, evidence, nodes.place)


def _environment(
    wanted: Wanted,
    group: WantedGroup,
    nodes: Nodes,
    texts: Sequence[tuple[str, Place]],
    job: Sequence[Object],
    made: Maker,
) -> Link:
    faults, places = [], list[Place]()
    for line, place in texts:
        if line.lstrip().startswith("#"):
            continue
        for name, declared in _ASSIGNED.findall(line):
            value = declared.rstrip(";")
            if _REFUSED[name](value):
                faults.append(f"{name}={value}")
                places.append(place)
    for one in _variables(group.name, job):
        name, value = str(one.get("name")), str(one.get("value", ""))
        if name in _REFUSED and _REFUSED[name](value):
            faults.append(f"{name}={value}")
            places.append(one.place)
    evidence = f"scripts and jobs do not set {', '.join(_REFUSED)} to a value that turns EFA off"
    if not wanted.scripted and wanted.orchestrator != "eks":
        evidence += "; the proof does not read your scripts"
    return made.judged(
        ENVIRONMENT, faults, evidence, places or [nodes.bundle.place if nodes.bundle else nodes.place]
    )


def _variables(group: str, job: Sequence[Object]) -> Iterator[Found]:
    pod = pod_of(job, group) if job else None
    for container in pod.items("containers") if pod else ():
        yield from container.items("env")


def _nccl_plugin(
    wanted: Wanted, group: WantedGroup, nodes: Nodes, job: Sequence[Object], made: Maker
) -> Link:
    version, source = PLUGIN_SINCE.get(group.instance.name, (None, ""))
    least = f"aws-ofi-nccl {version} or newer" if version else "a current aws-ofi-nccl"
    pod = pod_of(job, group.name) if job else None
    if wanted.scheduler is not None:
        image = pod.at("containers", 0, "image") if pod else None
        evidence = f"the image of your jobs must contain {least} for {group.instance.name}"
        return made.yours(NCCL_PLUGIN, evidence, *([image.place] if image else []), source=source)
    evidence = f"the container image of a job, or else the node's image, must contain {least}"
    return made.yours(NCCL_PLUGIN, evidence, nodes.place, source=source)


def _nvlink(wanted: Wanted, group: WantedGroup, nodes: Nodes, job: Sequence[Object], made: Maker) -> Link:
    if not group.instance.ultraserver_only:
        evidence = f"{group.instance.name} has NVLink only within a node"
        return made.not_needed(NVLINK, evidence, nodes.place)
    if group.compute_domains:
        return _compute_domain(group, nodes, job, made)
    if wanted.orchestrator == "hyperpod-slurm":
        evidence = (
            "HyperPod sets up UltraServers; the HyperPod guide describes jobs with NVLink between nodes"
        )
        return made.service(NVLINK, evidence, nodes.place, source=sources.HYPERPOD_ULTRASERVERS)
    if wanted.orchestrator == "pcs":
        evidence = (
            "your prolog must configure IMEX with a job's nodes (USV005); otherwise all traffic uses EFA"
        )
        return made.yours(NVLINK, evidence, nodes.place, source=sources.PCS_IMEX)
    evidence = "a plugin provides GPUs without compute domains, so all traffic between nodes uses EFA"
    return made.not_needed(NVLINK, evidence, nodes.place, source=sources.HYPERPOD_ULTRASERVERS)


def _compute_domain(group: WantedGroup, nodes: Nodes, job: Sequence[Object], made: Maker) -> Link:
    faults, places = [], list[Place]()
    domain = next((one for one in job if one.get("kind") == "ComputeDomain"), None)
    channel = (domain or {}).get("spec", {}).get("channel", {}).get("resourceClaimTemplate", {}).get("name")
    pod = pod_of(job, group.name) if job else None
    claims = pod.at("resourceClaims") if pod else None
    if job and domain is None:
        faults.append("the job has no ComputeDomain")
    elif job:
        places.append(Place(artefact=f"job of {group.name}", at="ComputeDomain", path="spec.channel"))
        claimed = [one.get("resourceClaimTemplateName") for one in claims.items()] if claims else []
        if channel not in claimed:
            faults.append(f"the job's pods do not claim {channel}")
    lines = list(_texts(nodes, None))
    masked = next((p for line, p in lines if "mask" in line and "nvidia-imex.service" in line), None)
    if masked is None:
        faults.append(
            "the host's nvidia-imex.service is not masked, and prevents the domain's IMEX from starting"
        )
    where = [*places, masked or nodes.place]
    return made.judged(NVLINK, faults, "a ComputeDomain of the job, and the host's IMEX is off", where)


def _start_check(group: WantedGroup, nodes: Nodes, made: Maker) -> Link:
    place = nodes.checks.place if nodes.checks else nodes.place
    if not group.deep_health_checks:
        evidence = "the group has no deep health checks, so HyperPod runs only its basic EFA check"
        return made.not_needed(START_CHECK, evidence, place)
    found = [text_of(one.value) for one in nodes.checks.items()] if nodes.checks else []
    missing = [name for name in group.deep_health_checks if name not in found]
    if missing:
        return made.broken(
            START_CHECK, [f"the template does not have the checks {' and '.join(missing)}"], place
        )
    return made.holds(START_CHECK, ", ".join(found), place)


def _device_check(
    wanted: Wanted,
    group: WantedGroup,
    nodes: Nodes,
    bundle: Bundle | None,
    artefacts: Artefacts,
    made: Maker,
) -> Link:
    if bundle is None:
        return made.yours(DEVICE_CHECK, "nodes run your scripts, so ultracluster does not check devices")
    declared = bundle.setting("EFA_DEVICES_WANTED")
    place = declared.place if declared else bundle.place("settings.env")
    if group.layout is None and group.instance.ultraserver_only:
        evidence = f"HyperPod's interfaces of {group.instance.name} are not documented and not checked"
        return made.not_needed(DEVICE_CHECK, evidence, place, source=sources.HYPERPOD_ULTRASERVERS)
    counts = dict(word.partition("=")[::2] for word in (declared.value if declared else "").split())
    found = counts.get(group.instance.name)
    faults = (
        []
        if found == str(group.efa)
        else [f"the scripts expect {found or 'no'} EFA devices, not {group.efa}"]
    )
    prolog = bundle.first("prolog.sh", r"boot\.sh\S* job")
    if prolog is None:
        faults.append("the prolog does not check the node")
    faults += _prolog_faults(wanted, artefacts, bundle)
    evidence = f"EFA_DEVICES_WANTED has {group.instance.name}={found}, and the prolog checks it"
    return made.judged(DEVICE_CHECK, faults, evidence, [place, *([prolog.place] if prolog else [])])


def _prolog_faults(wanted: Wanted, artefacts: Artefacts, bundle: Bundle) -> Iterator[str]:
    """Yield a fault if Slurm does not run the prolog; PCS settings or HyperPod's scripts configure it."""
    if wanted.orchestrator == "pcs":
        for cluster in artefacts.own("AWS::PCS::Cluster"):
            settings = {
                text_of(one.get("ParameterName")): text_of(one.get("ParameterValue"))
                for one in cluster.items("SlurmConfiguration", "SlurmCustomSettings")
            }
            if "Prolog" not in settings:
                yield "the cluster has no Prolog"
            elif settings["Prolog"] != PROLOG:
                return  # the profile's own prolog; a rule requires that it runs ultracluster's prolog
    elif bundle.first("library.sh", r"one_setting Prolog") is None:
        yield "no script writes Prolog to slurm.conf"
