"""What is asked of names: those that the stack states, and file systems of the profile that are left."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from config.design.model import Design
from config.design.physical_names import FORMS, Form
from config.design.tags import PROFILE_TAG
from config.diagnostics import Path
from config.profile.observability.metrics import ManagedPrometheus
from config.rules.preflight import codes
from scripts.cli.preflight.asking import Ask, MissingError
from scripts.cli.preflight.checks import Check, Found, Verdict, needs
from scripts.cli.preflight.data import published
from scripts.cli.preflight.machines import parameters_of
from scripts.cli.preflight.place import Place
from scripts.cli.preflight.stack import is_deployed, permissions

_OWN = "the stack's own"


def checks(place: Place) -> Iterator[Check]:
    """All checks of names. Of a stack that is deployed they are its own."""
    design = place.design
    known = permissions(place)
    yield Check(
        service="Logs",
        subject="names of log groups",
        permissions=(needs("logs:DescribeLogGroups"), *known),
        judge=partial(_log_groups, place),
    )
    if _new_storage(design):
        yield Check(
            service="KMS",
            subject="names of aliases",
            permissions=(needs("kms:ListAliases"), *known),
            judge=partial(_aliases, place),
        )
        yield Check(
            service="FSx",
            subject="file systems that are left",
            permissions=(needs("fsx:DescribeFileSystems"), *known),
            judge=partial(_left, place),
        )
    if design.publishes and design.attachment is not None:
        arn = place.arn("ssm", f"parameter/ultracluster/{design.attachment.prefix.split('/')[2]}/*")
        yield Check(
            service="SSM",
            subject="names of parameters",
            permissions=(needs("ssm:GetParameters", arn), *known),
            judge=partial(_parameters, place),
        )
    yield from _clusters(place)


def _new_storage(design: Design) -> bool:
    home = design.owns_home and design.home is not None and design.home.existing is None
    return home or any(system.existing is None for system in design.own_file_systems)


def _clusters(place: Place) -> Iterator[Check]:
    design, known = place.design, permissions(place)
    hyperpod = design.hyperpod or design.hyperpod_eks
    if hyperpod is not None:
        arn = place.arn("sagemaker", "cluster/*")  # its ARN has an id that nobody knows
        yield Check(
            service="SageMaker",
            subject=f"the name {hyperpod.cluster_name}",
            permissions=(needs("sagemaker:DescribeCluster", arn), *known),
            judge=partial(_cluster, place, "sagemaker", "ClusterName", hyperpod.cluster_name),
        )
    if design.eks is not None:
        name = design.eks.control_plane.cluster_name
        yield Check(
            service="EKS",
            subject=f"the name {name}",
            permissions=(needs("eks:DescribeCluster", place.arn("eks", f"cluster/{name}")), *known),
            judge=partial(_cluster, place, "eks", "name", name),
        )
    if design.pcs is not None:
        yield Check(
            service="PCS",
            subject=f"the name {design.pcs.cluster_name}",
            permissions=(needs("pcs:ListClusters"), *known),
            judge=partial(_pcs_cluster, place, design.pcs.cluster_name),
        )


def _taken(place: Place, names: list[str], what: str, at: Path, hint: str) -> Verdict:
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    message = f"{len(names)} {what} {'are' if len(names) > 1 else 'is'} there already, of no stack of this profile: {shown}"
    return Verdict(f"{len(names)} taken", (Found(code=codes.NAMES, at=at, message=message, hint=hint),))


def log_group_forms(design: Design) -> Iterator[Form]:
    """The forms of log groups that this design makes."""
    wanted = design.profile.observability
    managed = wanted is not None and isinstance(wanted.prometheus, ManagedPrometheus)
    lustre = any(system.existing is None for system in design.own_file_systems)
    for form in FORMS:
        if form.type != "AWS::Logs::LogGroup":
            continue
        if form.shape.startswith("/aws/eks/") and design.eks is None:
            continue
        if form.shape.startswith("/aws/fsx/") and not lustre:
            continue
        if form.shape.startswith("/aws/vendedlogs/") and not managed:
            continue
        yield form


def _log_groups(place: Place, ask: Ask) -> Verdict:
    if is_deployed(place, ask):
        return Verdict(_OWN)
    name = place.design.profile.name
    found: set[str] = set()
    for form in log_group_forms(place.design):
        prefix = form.shape.partition("{word}")[0].partition("{hex}")[0].format(name=name)
        for one in ask("logs", "DescribeLogGroups", logGroupNamePrefix=prefix)["logGroups"]:
            match = form.pattern.fullmatch(one["logGroupName"])
            if match and match["name"] == name:
                found.add(one["logGroupName"])
    if not found:
        return Verdict("free")
    hint = "`aws logs delete-log-group` frees one, with what is in it; or write another `name`"
    return _taken(place, sorted(found), "log groups" if len(found) > 1 else "log group", ("name",), hint)


def _aliases(place: Place, ask: Ask) -> Verdict:
    if is_deployed(place, ask):
        return Verdict(_OWN)
    name = place.design.profile.name
    forms = [form for form in FORMS if form.type == "AWS::KMS::Alias" and form.shape.endswith("/storage")]
    told = ask("kms", "ListAliases")["Aliases"]
    there = [
        one["AliasName"]
        for one in told
        if any(one["AliasName"] == form.shape.format(name=name) for form in forms)
    ]
    if not there:
        return Verdict("free")
    hint = "`aws kms delete-alias` frees it, and leaves the key; or write another `name`"
    return _taken(place, sorted(there), "alias", ("name",), hint)


def _parameters(place: Place, ask: Ask) -> Verdict:
    if is_deployed(place, ask):
        return Verdict(_OWN)
    values = parameters_of(ask, published(place.design))
    there = sorted(name for name, value in values.items() if value is not None)
    if not there:
        return Verdict("free")
    hint = "`ultracluster teardown` of the earlier stack removes them, when no cluster reads them; or write another `name`"
    return _taken(place, there, "parameters" if len(there) > 1 else "parameter", ("name",), hint)


def _cluster(place: Place, service: str, key: str, name: str, ask: Ask) -> Verdict:
    try:
        ask(service, "DescribeCluster", **{key: name})
    except MissingError:
        return Verdict("free")
    return _of_cluster(place, name, ask)


def _pcs_cluster(place: Place, name: str, ask: Ask) -> Verdict:
    if name not in {one["name"] for one in ask("pcs", "ListClusters")["clusters"]}:
        return Verdict("free")
    return _of_cluster(place, name, ask)


def _of_cluster(place: Place, name: str, ask: Ask) -> Verdict:
    if is_deployed(place, ask):
        return Verdict(_OWN)
    return _taken(place, [name], "cluster", ("name",), "delete it, or write another `name`")


def _left(place: Place, ask: Ask) -> Verdict:
    if is_deployed(place, ask):
        return Verdict(_OWN)
    name = place.design.profile.name
    told = ask("fsx", "DescribeFileSystems")["FileSystems"]
    left = sorted(
        str(one["FileSystemId"])
        for one in told
        if any(tag["Key"] == PROFILE_TAG and tag["Value"] == name for tag in one.get("Tags", ()))
    )
    if not left:
        return Verdict("none")
    found = Found(
        code=codes.LEFT, at=("storage",),
        message=f"{', '.join(left)} of an earlier stack of {name} {'are' if len(left) > 1 else 'is'} still there",
        hint="to use what is there, state it as `kind: existing`; else a new, empty one is made beside it",
    )  # fmt: skip
    return Verdict(f"{len(left)} left", (found,))
