"""The EKS facts of a plan."""

from __future__ import annotations

from config.design.report.eks import EksReport, NodeGroupReport
from scripts.cli.plan.document import Writer, amount

_SUPPORT = {
    "standard": "EKS upgrades this version when standard support ends",
    "extended": "with 12 months of extended support at a higher price after standard support",
}


def write_eks(out: Writer, eks: EksReport) -> None:
    """Write the control plane, who has access to it, its add-ons and its node groups."""
    out.fact(
        "Amazon EKS",
        "; ".join(
            [f"Kubernetes {eks.kubernetes_version}, {_SUPPORT[eks.support]}", _endpoint(eks), _secrets(eks)]
        ),
    )
    if eks.logs:
        out.fact("logs", f"{', '.join(eks.logs)}, retained for {amount(eks.log_retention_days, 'day')}")
    if eks.deployer_access:
        out.fact("access", "the principal that deploys the stack is a cluster administrator")
    for entry in eks.access:
        out.fact("access", f"{entry.principal.partition('/')[2]}: {', '.join(entry.gets)}")
    chosen = (f"{addon.name} {addon.version or '(version chosen by EKS)'}" for addon in eks.addons)
    out.fact("add-ons", ", ".join(chosen))
    held = ", ".join(f"{release.chart} {release.version}" for release in eks.releases)
    if held:
        objects = f"{amount(eks.objects, 'Kubernetes object')} (queues, volumes, namespaces)"
        out.fact("Helm charts", f"{held}; also {objects}")
    for group in eks.groups:
        out.fact(group.group, _group(group))


def _endpoint(eks: EksReport) -> str:
    if eks.public_cidrs is None:
        return "the API endpoint is reachable only from the VPC"
    return f"the API endpoint is reachable from the VPC and from {', '.join(eks.public_cidrs)}"


def _secrets(eks: EksReport) -> str:
    if eks.secrets_key is None:
        return "Kubernetes secrets are encrypted with an AWS owned key"
    key = "a new KMS key" if eks.secrets_key == "new" else eks.secrets_key
    return f"Kubernetes secrets are encrypted with {key}"


def _group(group: NodeGroupReport) -> str:
    release = group.release or "(newest release)"
    order = "after the old node is terminated" if group.minimal_update else "before the old node is drained"
    return f"{group.image} {release}, {group.repair}; an update launches each new node {order}"
