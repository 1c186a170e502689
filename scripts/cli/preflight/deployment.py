"""Checks for the deployment: CDK bootstrap, permissions boundary, service-linked roles."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.capacity.purchase import purchase_of
from config.design.model import Design
from config.diagnostics import Path
from config.profile.deployment import DEFAULT_QUALIFIER
from config.profile.observability.metrics import ManagedGrafana
from config.rules.preflight import codes
from scripts.cli.preflight.account import partition_of
from scripts.cli.preflight.asking import Ask, MissingError
from scripts.cli.preflight.checks import Check, Verdict, check, needs, wrong
from scripts.cli.preflight.machines import parameters_of
from scripts.cli.preflight.place import Place
from scripts.cli.preflight.recorded import OWN

BOOTSTRAP_VERSION = 6
"""Bootstrap version that the manifest of our stacks requires (`requiresBootstrapStackVersion`); a test compares
it with a synthesized manifest."""


def checks(place: Place) -> Iterator[Check]:
    """Yield the checks for the deployment."""
    declared = place.design.profile.deployment
    qualifier = declared.qualifier if declared and declared.qualifier else DEFAULT_QUALIFIER
    parameter = f"/cdk-bootstrap/{qualifier}/version"
    asked = needs("ssm:GetParameters", place.arn("ssm", f"parameter{parameter}"))
    yield check("SSM", f"the CDK bootstrap {qualifier}", asked, _bootstrap, place, parameter, qualifier)
    boundary = declared.permissions_boundary if declared else None
    if boundary and "::aws:policy/" not in boundary:
        by_name = place.arn("iam", f"policy/{boundary}", anywhere=True)
        arn = boundary if boundary.startswith("arn:") else by_name
        name, asked = boundary.rpartition("/")[2], needs("iam:GetPolicy", arn)
        yield check("IAM", f"the boundary {name}", asked, _boundary, place, boundary)
    for service, role, at in linked_roles(place.design):
        path = f"role/aws-service-role/{service}/{role}"
        asked = needs("iam:GetRole", place.arn("iam", path, anywhere=True))
        yield check("IAM", f"the role {role}", asked, _linked_role, service, role, at)


def _bootstrap(place: Place, parameter: str, qualifier: str, ask: Ask) -> Verdict:
    value = parameters_of(ask, (parameter,))[parameter]
    declared = place.design.profile.deployment
    at: Path = ("deployment", "qualifier") if declared and declared.qualifier else ("region",)
    own = f" --qualifier {qualifier}" if qualifier != DEFAULT_QUALIFIER else ""
    hint = f"run `cdk bootstrap aws://{place.account or 'ACCOUNT'}/{place.region}{own}`"
    if value is None:
        message = (
            f"{place.region} has no bootstrap stack {qualifier}: the parameter {parameter} does not exist"
        )
        return wrong("does not exist", codes.BOOTSTRAP, at, message, hint)
    version = int(value) if value.isdecimal() else 0
    if version < BOOTSTRAP_VERSION:
        message = f"the bootstrap stack {qualifier} has version {value}, but version {BOOTSTRAP_VERSION} is required"
        return wrong(f"version {value}", codes.BOOTSTRAP, at, message, hint)
    return Verdict(f"version {value}, {BOOTSTRAP_VERSION} required")


def _boundary(place: Place, boundary: str, ask: Ask) -> Verdict:
    arn = boundary
    if not boundary.startswith("arn:"):
        # recorded answers contain a placeholder instead of the account
        account = place.account or OWN
        arn = f"arn:{partition_of(place.region)}:iam::{account}:policy/{boundary}"
    try:
        ask("iam", "GetPolicy", PolicyArn=arn)
    except MissingError:
        message = f"the policy {boundary} does not exist in the account"
        hint = "create the policy, or use one from `aws iam list-policies --scope Local`"
        return wrong("does not exist", codes.BOUNDARY, ("deployment", "permissions_boundary"), message, hint)
    return Verdict("exists")


def linked_roles(design: Design) -> Iterator[tuple[str, str, Path]]:
    """Yield the service-linked roles of the stack's services: service, role, and the profile path that needs it.

    Sources: https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-service-linked-roles.html,
    https://docs.aws.amazon.com/eks/latest/userguide/using-service-linked-roles-eks.html,
    https://docs.aws.amazon.com/eks/latest/userguide/using-service-linked-roles-eks-nodegroups.html,
    https://docs.aws.amazon.com/pcs/latest/userguide/service-linked-roles.html,
    https://docs.aws.amazon.com/sagemaker/latest/dg/security-iam-awsmanpol-AmazonSageMakerHyperPodServiceRolePolicy.html,
    https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/UsingWithRDS.IAM.ServiceLinkedRoles.html,
    https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/service-linked-roles-spot-instance-requests.html and
    https://docs.aws.amazon.com/grafana/latest/userguide/using-service-linked-roles.html.
    """
    own_home = design.owns_home and design.home is not None and design.home.existing is None
    if own_home or any(system.existing is None for system in design.own_file_systems):
        yield "fsx.amazonaws.com", "AWSServiceRoleForAmazonFSx", ("storage",)
    if design.eks is not None:
        yield "eks.amazonaws.com", "AWSServiceRoleForAmazonEKS", ("orchestrator",)
        if design.hyperpod_eks is None:
            yield "eks-nodegroup.amazonaws.com", "AWSServiceRoleForAmazonEKSNodegroup", ("orchestrator",)
    if design.hyperpod is not None or design.hyperpod_eks is not None:
        yield "hyperpod.sagemaker.amazonaws.com", "AWSServiceRoleForSageMakerHyperPod", ("orchestrator",)
    if design.pcs is not None:
        yield "pcs.amazonaws.com", "AWSServiceRoleForPCS", ("orchestrator",)
    spot = next((at for at, group in design.placed_groups if purchase_of(group.capacity).interruptible), None)
    if spot is not None:
        yield "spot.amazonaws.com", "AWSServiceRoleForEC2Spot", (*spot, "capacity")
    accounting = design.hyperpod.accounting if design.hyperpod else None
    if accounting is not None and accounting.new is not None:
        yield "rds.amazonaws.com", "AWSServiceRoleForRDS", ("orchestrator", "accounting")
    wanted = design.profile.observability
    if wanted is not None and isinstance(wanted.grafana, ManagedGrafana) and wanted.grafana.subnet_ids:
        yield "grafana.amazonaws.com", "AWSServiceRoleForAmazonGrafana", ("observability", "grafana")


def _linked_role(service: str, role: str, at: Path, ask: Ask) -> Verdict:
    try:
        ask("iam", "GetRole", RoleName=role)
    except MissingError:
        message = (
            f"the role {role} does not exist yet; {service} creates the role at its first use, if the "
            "deployer has the permission for this"
        )
        hint = f"run `aws iam create-service-linked-role --aws-service-name {service}` to create the role before the deployment"
        return wrong("created at first use", codes.LINKED_ROLE, at, message, hint)
    return Verdict("exists")
