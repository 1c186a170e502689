"""How a plan tells what a cluster of Amazon EKS is."""

from __future__ import annotations

from config.design.report.eks import EksReport, NodeGroupReport
from scripts.cli.plan.document import Writer

_SUPPORT = {
    "standard": "upgraded by EKS when its standard support ends",
    "extended": "kept for 12 months beyond standard support, at a higher price then",
}


def write_eks(out: Writer, eks: EksReport) -> None:
    """The control plane, who may use it, its add-ons and its node groups."""
    out.fact(
        "EKS",
        "; ".join(
            [f"Kubernetes {eks.kubernetes_version}, {_SUPPORT[eks.support]}", _endpoint(eks), _secrets(eks)]
        ),
    )
    if eks.logs:
        out.fact("logs", f"{', '.join(eks.logs)}, for {eks.log_retention_days} days")
    if eks.deployer_access:
        out.fact("access", "who deploys the stack administers the cluster")
    for entry in eks.access:
        out.fact("access", f"{entry.principal.partition('/')[2]}: {', '.join(entry.gets)}")
    chosen = (f"{addon.name} {addon.version or '(of EKS)'}" for addon in eks.addons)
    out.fact("add-ons", ", ".join(chosen))
    held = ", ".join(f"{release.chart} {release.version}" for release in eks.releases)
    if held:
        out.fact("charts", f"{held}; beside them {eks.objects} objects: queues, volumes, namespaces")
    for group in eks.groups:
        out.fact(group.group, _group(group))


def _endpoint(eks: EksReport) -> str:
    if eks.public_cidrs is None:
        return "its API answers in the VPC alone"
    return f"its API answers in the VPC and to {', '.join(eks.public_cidrs)}"


def _secrets(eks: EksReport) -> str:
    if eks.secrets_key is None:
        return "secrets have EKS's own key"
    return (
        "secrets have a key of the cluster" if eks.secrets_key == "new" else f"secrets have {eks.secrets_key}"
    )


def _group(group: NodeGroupReport) -> str:
    release = group.release or "(the newest)"
    update = "a node goes before its successor comes" if group.minimal_update else "a successor comes first"
    return f"{group.image} {release}; at an update {update}; {group.repair}"
