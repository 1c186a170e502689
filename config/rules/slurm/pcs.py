"""What AWS PCS asks of a profile: its size, its groups, its image."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from config.catalog import catalog
from config.design.model import Design
from config.design.slurm.pcs import nodes_of
from config.diagnostics import Path
from config.profile.capacity.groups import Group
from config.profile.slurm.pcs import Pcs
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_API = "https://docs.aws.amazon.com/pcs/latest/APIReference"
_GROUPS = "https://docs.aws.amazon.com/pcs/latest/userguide/working-with_cng_create.html"
_IMEX = "https://docs.aws.amazon.com/pcs/latest/userguide/capacity-blocks-nvidia-imex.html"


def _pcs_groups(design: Design) -> Sequence[tuple[Path, Group]]:
    return design.placed_groups if isinstance(design.profile.orchestrator, Pcs) else ()


@rule(
    "PCS020", ERROR, "a PCS cluster's size holds all nodes of its groups",
    why="The controller manages so many nodes and no more; another size is another cluster.",
    source=f"{_API}/API_CreateCluster.html", reads="compute orchestrator", where="pcs",
    ages="how many nodes each size of a PCS cluster manages",
)  # fmt: skip
def size_holds_the_nodes(design: Design) -> Iterator[Finding]:
    """`size` against the sum of the counts."""
    pcs = design.profile.orchestrator
    if not isinstance(pcs, Pcs) or pcs.size is None:
        return
    nodes, sizes = nodes_of(design.profile), catalog().pcs.sizes
    most = next(size.nodes for size in sizes if size.name == pcs.size)
    if nodes > most:
        fitting = catalog().pcs.size_for(nodes)
        another = nodes <= fitting.nodes
        yield Finding(
            at=("orchestrator", "size"),
            message=f"{nodes} nodes; a {pcs.size} cluster manages {most}",
            hint=f"write `size: {fitting.name}`, or take it out" if another else "make a second cluster",
        )


@rule(
    "PCS021", ERROR, "a PCS group has at least one node",
    why="Static capacity is as many nodes at least as at most, dynamic capacity none to some: PCS refuses a group of none.",
    source=_GROUPS, reads="compute orchestrator", where="pcs",
)  # fmt: skip
def groups_have_nodes(design: Design) -> Iterator[Finding]:
    """`count: 0`."""
    for at, group in _pcs_groups(design):
        if group.count == 0:
            yield Finding(
                at=(*at, "count"),
                message=f"group {group.name} has 0 nodes, PCS takes 1 or more",
                hint="write `count: 1` or more, with `scaling: dynamic` for nodes that come with jobs; or take the group out",
            )


@rule(
    "PCS027", ERROR, "login nodes are there without jobs",
    why="Dynamic capacity comes when a queue has jobs for it; a login group has no queue, so that no node would ever start.",
    source=_GROUPS, reads="compute orchestrator", where="pcs",
)  # fmt: skip
def login_nodes_are_static(design: Design) -> Iterator[Finding]:
    """`scaling: dynamic` of a login group."""
    for at, group in _pcs_groups(design):
        if group.role == "login" and group.scaling == "dynamic":
            yield Finding(
                at=(*at, "scaling"),
                message=f"login group {group.name} would never have a node: no queue asks for one",
                hint="take `scaling` out",
            )


@rule(
    "PCS028", ERROR, "idle time is stated of nodes that go when idle",
    why="Nodes of a static group stay whatever they do: the setting would be ignored.",
    source=_GROUPS, reads="compute orchestrator", where="pcs",
)  # fmt: skip
def idle_time_is_of_dynamic_groups(design: Design) -> Iterator[Finding]:
    """`idle_seconds` of a static group, and of a cluster without a dynamic one."""
    pcs = design.profile.orchestrator
    dynamic = any(group.scaling == "dynamic" for _, group in _pcs_groups(design))
    if isinstance(pcs, Pcs) and "idle_seconds" in pcs.model_fields_set and not dynamic:
        yield Finding(
            at=("orchestrator", "idle_seconds"),
            message=f"no group is dynamic: no node goes after {pcs.idle_seconds} s",
            hint="write `scaling: dynamic` for a group, or `idle_seconds: null`",
        )
    for at, group in _pcs_groups(design):
        if group.idle_seconds is not None and group.scaling == "static":
            yield Finding(
                at=(*at, "idle_seconds"),
                message=f"group {group.name} is static: its {group.count} nodes stay when they are idle",
                hint="write `scaling: dynamic`, or take `idle_seconds` out",
            )


@rule(
    "PCS030", NOTE, "the image of PCS nodes is pinned",
    why="PCS publishes its image under a parameter without versions, which CloudFormation reads again at every update: "
    "an update of anything else may then replace all nodes of a group, one by one as their jobs end.",
    source="https://github.com/awslabs/awsome-distributed-ai/tree/main/architectures/aws-pcs", reads="compute orchestrator", where="pcs",
)  # fmt: skip
def image_is_pinned(design: Design) -> Iterator[Finding]:
    """Groups without `ami_id`."""
    loose = [group.name for _, group in _pcs_groups(design) if group.ami_id is None]
    if loose and design.pcs:
        names = sorted({plan.image_parameter for plan in design.pcs.groups if plan.image is None})
        ask = f"aws ssm get-parameters --region {design.profile.region} --names {' '.join(names)}"
        each = "tells today's" if len(names) == 1 else "tells today's of each architecture"
        yield Finding(
            at=("compute", "groups"),
            message=f"nodes of {', '.join(loose)} have the newest image of PCS, which any update may change",
            hint=f"write `ami_id:`; `{ask}` {each}",
        )


@rule(
    "PCS031", ERROR, "UltraServers have a prolog, with the flags that IMEX needs",
    why="A job's nodes exchange memory over NVLink once IMEX knows them, and a prolog is where it is told, before the job "
    "starts: with the flags Alloc and NoHold. ultracluster's own prolog checks the node and does not tell IMEX (USV005).",
    source=_IMEX, reads="compute orchestrator", where="pcs",
)  # fmt: skip
def ultraservers_have_a_prolog(design: Design) -> Iterator[Finding]:
    """`settings` that take ultracluster's Prolog or its flags away."""
    if design.pcs is None or not any(plan.instance_type.ultraserver_only for plan in design.groups):
        return
    settings = design.pcs.settings
    flags = {flag.strip().lower() for flag in settings.get("PrologFlags", "").split(",")}
    if "Prolog" not in settings:
        yield Finding(
            at=("orchestrator", "settings", "Prolog"),
            message="UltraServers without a Prolog have no NVLink between their nodes, and no check before jobs",
            hint="write the path of one that runs ultracluster's and AWS's for IMEX (USV005 says how)",
        )
    elif not {"alloc", "nohold"} <= flags:
        yield Finding(
            at=("orchestrator", "settings", "PrologFlags"),
            message=f"PrologFlags is {settings.get('PrologFlags', 'not set')}; UltraServers need Alloc and NoHold",
            hint="write `PrologFlags: Alloc,NoHold`, with other flags behind, or take it out",
        )


@rule(
    "PCS032", WARNING, "machines that are reserved run",
    why="A reservation bills for every machine in it from the first minute to the last, whether it runs or not; to start "
    "again takes minutes of that time.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-pricing-billing.html",
    reads="compute orchestrator", where="pcs",
)  # fmt: skip
def reserved_machines_run(design: Design) -> Iterator[Finding]:
    """`scaling: dynamic` of reserved machines."""
    for at, group in _pcs_groups(design):
        if group.scaling == "dynamic" and group.capacity.reserved:
            yield Finding(
                at=(*at, "scaling"),
                message=f"the {group.count} machines of group {group.name} are billed by their {group.capacity.kind} also while they are off",
                hint="take `scaling` out: the nodes are then there all the time",
            )


@rule(
    "PCS038", ERROR, "the kind of EFA interfaces is stated of nodes that have some",
    why="Without EFA there is no such interface: the setting would be ignored.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html", reads="compute orchestrator", where="pcs",
)  # fmt: skip
def efa_interface_is_of_efa(design: Design) -> Iterator[Finding]:
    """`efa_interface` of a cluster without EFA."""
    pcs = design.profile.orchestrator
    if not isinstance(pcs, Pcs) or "efa_interface" not in pcs.model_fields_set or not design.groups:
        return
    if not any(group.efa_per_node for group in design.groups):
        yield Finding(
            at=("orchestrator", "efa_interface"),
            message=f"`efa_interface: {pcs.efa_interface}`, and no group has EFA",
            hint="write `efa_interface: null`, or a group of a type with EFA",
        )
