"""Rules for AWS PCS: cluster size, node groups, images and UltraServers."""

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
    "PCS020", ERROR, "the size of a PCS cluster allows all nodes of its groups",
    why="The size limits the number of nodes that the controller manages. Changing the size replaces the cluster.",
    source=f"{_API}/API_CreateCluster.html", reads="compute orchestrator", where="pcs",
    ages="how many nodes each size of a PCS cluster manages",
)  # fmt: skip
def size_allows_the_nodes(design: Design) -> Iterator[Finding]:
    """Check `size` against the total number of nodes."""
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
            message=f"the groups have {nodes} nodes, but a {pcs.size} cluster manages at most {most}",
            hint=f"set `size: {fitting.name}`, or remove `size`" if another else "create a second cluster",
        )


@rule(
    "PCS021", ERROR, "a PCS group has at least one node",
    why="PCS rejects a node group with a maximum of 0. A static group has `count` nodes, and a dynamic group has 0 to `count`.",
    source=_GROUPS, reads="compute orchestrator", where="pcs",
)  # fmt: skip
def groups_have_nodes(design: Design) -> Iterator[Finding]:
    """Report `count: 0`."""
    for at, group in _pcs_groups(design):
        if group.count == 0:
            yield Finding(
                at=(*at, "count"),
                message=f"group {group.name} has 0 nodes, but PCS requires at least 1",
                hint="set `count` to 1 or more, with `scaling: dynamic` if nodes should start only for jobs; or remove the group",
            )


@rule(
    "PCS027", ERROR, "login groups are static",
    why="PCS starts dynamic nodes for the jobs of a queue. A login group has no queue, so its nodes would never start.",
    source=_GROUPS, reads="compute orchestrator", where="pcs",
)  # fmt: skip
def login_nodes_are_static(design: Design) -> Iterator[Finding]:
    """Check `scaling` of login groups."""
    for at, group in _pcs_groups(design):
        if group.role == "login" and group.scaling == "dynamic":
            yield Finding(
                at=(*at, "scaling"),
                message=f"group {group.name} has the role login and is dynamic, so its nodes never start",
                hint="remove `scaling`",
            )


@rule(
    "PCS028", ERROR, "`idle_seconds` is set for dynamic groups only",
    why="PCS terminates idle nodes of dynamic groups only, and ignores `idle_seconds` of static groups.",
    source=_GROUPS, reads="compute orchestrator", where="pcs",
)  # fmt: skip
def idle_seconds_require_dynamic_groups(design: Design) -> Iterator[Finding]:
    """Report `idle_seconds` of static groups, and of a cluster without dynamic groups."""
    pcs = design.profile.orchestrator
    dynamic = any(group.scaling == "dynamic" for _, group in _pcs_groups(design))
    if isinstance(pcs, Pcs) and "idle_seconds" in pcs.model_fields_set and not dynamic:
        yield Finding(
            at=("orchestrator", "idle_seconds"),
            message=f"`idle_seconds: {pcs.idle_seconds}` has no effect, because no group is dynamic",
            hint="set `scaling: dynamic` for a group, or `idle_seconds: null`",
        )
    for at, group in _pcs_groups(design):
        if group.idle_seconds is not None and group.scaling == "static":
            yield Finding(
                at=(*at, "idle_seconds"),
                message=f"group {group.name} is static, so `idle_seconds` has no effect: PCS does not terminate its {group.count} "
                "nodes when they are idle",
                hint="set `scaling: dynamic`, or remove `idle_seconds`",
            )


@rule(
    "PCS030", NOTE, "the image of PCS nodes is pinned",
    why="PCS publishes its newest image in an SSM parameter without versions, and CloudFormation reads this parameter at every "
    "update. An update of another resource can therefore replace all nodes of a group, one after another when their jobs have "
    "finished.",
    source="https://github.com/awslabs/awsome-distributed-ai/tree/main/architectures/aws-pcs", reads="compute orchestrator", where="pcs",
)  # fmt: skip
def image_is_pinned(design: Design) -> Iterator[Finding]:
    """Report groups without `ami_id`."""
    unpinned = [group.name for _, group in _pcs_groups(design) if group.ami_id is None]
    if unpinned and design.pcs:
        names = sorted({plan.image_parameter for plan in design.pcs.groups if plan.image is None})
        command = f"aws ssm get-parameters --region {design.profile.region} --names {' '.join(names)}"
        each = (
            "prints the current image" if len(names) == 1 else "prints the current image of each architecture"
        )
        yield Finding(
            at=("compute", "groups"),
            message=f"the nodes of {', '.join(unpinned)} use the newest PCS image, so any stack update may replace the nodes",
            hint=f"set `ami_id:` of the group; `{command}` {each}",
        )


@rule(
    "PCS031", ERROR, "UltraServers have a prolog and the flags that IMEX requires",
    why="The nodes of a job share memory over NVLink only after a prolog has configured IMEX, before the job starts. This requires "
    "the flags Alloc and NoHold. ultracluster's prolog checks the node, but does not configure IMEX (USV005).",
    source=_IMEX, reads="compute orchestrator", where="pcs",
)  # fmt: skip
def ultraservers_have_a_prolog(design: Design) -> Iterator[Finding]:
    """Report `settings` that remove ultracluster's Prolog or its flags."""
    if design.pcs is None or not any(plan.instance_type.ultraserver_only for plan in design.groups):
        return
    settings = design.pcs.settings
    flags = {flag.strip().lower() for flag in settings.get("PrologFlags", "").split(",")}
    if "Prolog" not in settings:
        yield Finding(
            at=("orchestrator", "settings", "Prolog"),
            message="without `Prolog`, UltraServer nodes have no NVLink between nodes and are not checked before jobs",
            hint="set `Prolog` to a script that runs ultracluster's prolog and AWS's prolog for IMEX (see USV005)",
        )
    elif not {"alloc", "nohold"} <= flags:
        yield Finding(
            at=("orchestrator", "settings", "PrologFlags"),
            message=f"`PrologFlags` is {settings.get('PrologFlags', 'not set')}, but UltraServers require Alloc and NoHold",
            hint="set `PrologFlags: Alloc,NoHold`, followed by other flags, or remove `PrologFlags`",
        )


@rule(
    "PCS032", WARNING, "instances in reserved capacity run all the time",
    why="AWS bills reserved capacity for its whole duration, even if the instances do not run. Each start of an instance takes "
    "minutes of that time.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-pricing-billing.html",
    reads="compute orchestrator", where="pcs",
)  # fmt: skip
def reserved_instances_are_static(design: Design) -> Iterator[Finding]:
    """Report `scaling: dynamic` of groups in reserved capacity."""
    for at, group in _pcs_groups(design):
        if group.scaling == "dynamic" and group.capacity.reserved:
            yield Finding(
                at=(*at, "scaling"),
                message=f"AWS bills the {group.count} instances of group {group.name} for the whole duration of the {group.capacity.kind}, even when they do not run",
                hint=f"remove `scaling` from group {group.name}, so that the nodes always run",
            )


@rule(
    "PCS038", ERROR, "`efa_interface` is set for clusters with EFA only",
    why="A group without EFA has no EFA interface, so the setting has no effect.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html", reads="compute orchestrator", where="pcs",
)  # fmt: skip
def efa_interface_requires_efa(design: Design) -> Iterator[Finding]:
    """Report `efa_interface` if the cluster does not have EFA."""
    pcs = design.profile.orchestrator
    if not isinstance(pcs, Pcs) or "efa_interface" not in pcs.model_fields_set or not design.groups:
        return
    if not any(group.efa_per_node for group in design.groups):
        yield Finding(
            at=("orchestrator", "efa_interface"),
            message=f"`efa_interface: {pcs.efa_interface}` has no effect, because no group has EFA",
            hint="set `efa_interface: null`, or add a group with an instance type that has EFA",
        )


@rule(
    "PCS039", WARNING, "the Slurm version of the cluster has fixes for known vulnerabilities",
    why="In September 2026, SchedMD fixed eight vulnerabilities in the newer versions only (CVE-2026-65107 and others). Among "
    "them are an overflow in the step daemon and an injection into accounting queries.",
    source="https://github.com/SchedMD/slurm/releases/tag/slurm-25-11-8-1", reads="orchestrator", where="pcs",
    ages="the Slurm versions that have security fixes",
)  # fmt: skip
def slurm_has_fixes(design: Design) -> Iterator[Finding]:
    """Report a Slurm version without a release that fixes the vulnerabilities."""
    pcs, fixed = design.profile.orchestrator, catalog().pcs.fixed_in
    if isinstance(pcs, Pcs) and pcs.slurm_version not in fixed:
        yield Finding(
            at=("orchestrator", "slurm_version"),
            message=f"Slurm {pcs.slurm_version} has no release that fixes the vulnerabilities of September 2026",
            hint=f'set `slurm_version: "{max(fixed)}"`, and use images with Slurm {fixed[max(fixed)]} or newer',
        )


@rule(
    "PCS040", NOTE, "a custom image contains the PCS agent and the cluster's Slurm version",
    why="A node whose image lacks the agent or the Slurm version does not join the cluster, and PCS replaces it again and again. "
    "Nodes keep the Slurm release of their image.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/working-with_ami_custom.html",
    reads="compute orchestrator", where="pcs",
)  # fmt: skip
def custom_images_join_the_cluster(design: Design) -> Iterator[Finding]:
    """Report each `ami_id`; the image itself is not checked."""
    pcs, fixed = design.profile.orchestrator, catalog().pcs.fixed_in
    for at, group in _pcs_groups(design):
        if group.ami_id is not None and isinstance(pcs, Pcs):
            least = fixed.get(pcs.slurm_version, pcs.slurm_version)
            yield Finding(
                at=(*at, "ami_id"),
                message=f"ultracluster cannot check offline whether {group.ami_id} contains the PCS agent and Slurm "
                f"{pcs.slurm_version}",
                hint=f"install the newest PCS agent and Slurm {least} or newer in the image; if nodes are replaced again and again, "
                "read /var/log/amazon/pcs/bootstrap.log on a node",
            )
