"""Checks that the stack's physical names are free, and that no file system of an earlier stack remains."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from config.design.model import Design
from config.design.physical_names import FORMS, Form
from config.design.tags import PROFILE_TAG
from config.profile.observability.metrics import ManagedPrometheus
from config.rules.preflight import codes
from scripts.cli.preflight.asking import Ask, MissingError
from scripts.cli.preflight.checks import Check, Verdict, check, needs, wrong
from scripts.cli.preflight.data import published
from scripts.cli.preflight.machines import parameters_of
from scripts.cli.preflight.place import Place
from scripts.cli.preflight.stack import is_deployed, permissions

_OWN = "the stack's own"


def checks(place: Place) -> Iterator[Check]:
    """Yield the checks of names; a deployed stack already owns its names."""
    design = place.design
    known = permissions(place)
    yield check(
        "Logs", "names of log groups", needs("logs:DescribeLogGroups") + known, _of_others, place, _log_groups
    )
    if _new_storage(design):
        yield check("KMS", "names of aliases", needs("kms:ListAliases") + known, _of_others, place, _aliases)
        subject = "remaining file systems"
        yield check("FSx", subject, needs("fsx:DescribeFileSystems") + known, _of_others, place, _left)
    if design.publishes and design.attachment is not None:
        arn = place.arn("ssm", f"parameter/ultracluster/{design.attachment.prefix.split('/')[2]}/*")
        yield check(
            "SSM",
            "names of parameters",
            needs("ssm:GetParameters", arn) + known,
            _of_others,
            place,
            _parameters,
        )
    yield from _clusters(place)


def _new_storage(design: Design) -> bool:
    home = design.owns_home and design.home is not None and design.home.existing is None
    return home or any(system.existing is None for system in design.own_file_systems)


def _clusters(place: Place) -> Iterator[Check]:
    design, known = place.design, permissions(place)
    hyperpod = design.hyperpod or design.hyperpod_eks
    if hyperpod is not None:
        name, there = hyperpod.cluster_name, _cluster("sagemaker", "ClusterName")
        # its ARN contains an id that is not known in advance
        asked = needs("sagemaker:DescribeCluster", place.arn("sagemaker", "cluster/*"))
        yield check("SageMaker", f"the name {name}", asked + known, _of_cluster, place, name, there)
    if design.eks is not None:
        name, there = design.eks.control_plane.cluster_name, _cluster("eks", "name")
        asked = needs("eks:DescribeCluster", place.arn("eks", f"cluster/{name}"))
        yield check("EKS", f"the name {name}", asked + known, _of_cluster, place, name, there)
    if design.pcs is not None:
        name, asked = design.pcs.cluster_name, needs("pcs:ListClusters")
        yield check("PCS", f"the name {name}", asked + known, _of_cluster, place, name, _pcs_cluster)


def _taken(names: list[str], what: str, hint: str, plural: str = "s") -> Verdict:
    if not names:
        return Verdict("free")
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    noun, verb = (f"{what}{plural}", "exist") if len(names) > 1 else (what, "exists")
    message = f"{len(names)} {noun} that this profile's stack would create {verb} already: {shown}"
    return wrong(f"{len(names)} {verb}", codes.NAMES, ("name",), message, hint)


def log_group_forms(design: Design) -> Iterator[Form]:
    """Yield the forms of log group names that this design creates."""
    wanted = design.profile.observability
    managed = wanted is not None and isinstance(wanted.prometheus, ManagedPrometheus)
    lustre = any(system.existing is None for system in design.own_file_systems)
    made = {"/aws/eks/": design.eks is not None, "/aws/fsx/": lustre, "/aws/vendedlogs/": managed}
    absent = tuple(prefix for prefix, there in made.items() if not there)
    for form in FORMS:
        if form.type == "AWS::Logs::LogGroup" and not form.shape.startswith(absent):
            yield form


def _of_others(place: Place, judge: Callable[[Place, Ask], Verdict], ask: Ask) -> Verdict:
    """Return the verdict of `judge`; if the stack is deployed, accept existing names as its own."""
    return Verdict(_OWN) if is_deployed(place, ask) else judge(place, ask)


def _log_groups(place: Place, ask: Ask) -> Verdict:
    name = place.design.profile.name
    found: set[str] = set()
    for form in log_group_forms(place.design):
        prefix = form.shape.partition("{word}")[0].partition("{hex}")[0].format(name=name)
        for one in ask("logs", "DescribeLogGroups", logGroupNamePrefix=prefix)["logGroups"]:
            match = form.pattern.fullmatch(one["logGroupName"])
            if match and match["name"] == name:
                found.add(one["logGroupName"])
    hint = "delete the log group and its logs with `aws logs delete-log-group`, or write another `name`"
    return _taken(sorted(found), "log group", hint)


def _aliases(place: Place, ask: Ask) -> Verdict:
    name = place.design.profile.name
    forms = [form for form in FORMS if form.type == "AWS::KMS::Alias" and form.shape.endswith("/storage")]
    wanted = {form.shape.format(name=name) for form in forms}
    there = [one["AliasName"] for one in ask("kms", "ListAliases")["Aliases"] if one["AliasName"] in wanted]
    hint = "delete the alias with `aws kms delete-alias`, which retains the key, or write another `name`"
    return _taken(sorted(there), "alias", hint, plural="es")


def _parameters(place: Place, ask: Ask) -> Verdict:
    values = parameters_of(ask, published(place.design))
    there = sorted(name for name, value in values.items() if value is not None)
    hint = "when no cluster reads these parameters, delete them with `ultracluster teardown` of the earlier stack; or write another `name`"
    return _taken(there, "parameter", hint)


def _cluster(service: str, key: str) -> Callable[[str, Ask], bool]:
    def there(name: str, ask: Ask) -> bool:
        try:
            ask(service, "DescribeCluster", **{key: name})
        except MissingError:
            return False
        return True

    return there


def _pcs_cluster(name: str, ask: Ask) -> bool:
    return name in {one["name"] for one in ask("pcs", "ListClusters")["clusters"]}


def _of_cluster(place: Place, name: str, there: Callable[[str, Ask], bool], ask: Ask) -> Verdict:
    if not there(name, ask):
        return Verdict("free")
    if is_deployed(place, ask):
        return Verdict(_OWN)
    return _taken([name], "cluster", "delete the cluster, or write another `name`")


def _left(place: Place, ask: Ask) -> Verdict:
    name = place.design.profile.name
    answer = ask("fsx", "DescribeFileSystems")["FileSystems"]
    left = sorted(
        str(one["FileSystemId"])
        for one in answer
        if any(tag["Key"] == PROFILE_TAG and tag["Value"] == name for tag in one.get("Tags", ()))
    )
    if not left:
        return Verdict("none")
    message = f"{', '.join(left)} {'remain' if len(left) > 1 else 'remains'} from an earlier stack of profile `{name}`"
    hint = "to use this file system, declare it as `kind: existing`; otherwise the stack creates a new, empty file system"
    remain = "1 remains" if len(left) == 1 else f"{len(left)} remain"
    return wrong(remain, codes.LEFT, ("storage",), message, hint)
