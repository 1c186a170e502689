"""Checks of the sign-in to Grafana and of the image registry."""

from __future__ import annotations

from collections.abc import Iterator

from config.profile.observability.metrics import ManagedGrafana
from config.rules.preflight import codes
from scripts.cli.preflight.asking import Ask, UnansweredError
from scripts.cli.preflight.checks import Check, Found, Verdict, check, needs, wrong
from scripts.cli.preflight.place import Place
from scripts.cli.preflight.stack import is_deployed, permissions


def checks(place: Place) -> Iterator[Check]:
    """Yield the checks of Grafana and of the registry."""
    wanted = place.design.profile.observability
    grafana = wanted.grafana if wanted else None
    if isinstance(grafana, ManagedGrafana) and grafana.authentication == "identity-center":
        asked = needs("sso:ListInstances")
        yield check("Identity Center", "sign-in to Grafana", asked, _identity_center, place, grafana.region)
    elif isinstance(grafana, ManagedGrafana) and grafana.saml is not None:
        yield check("Grafana", "sign-in by SAML", (), _saml)
    yield from _registry(place)


def _identity_center(place: Place, region: str | None, ask: Ask) -> Verdict:
    answer = ask("sso-admin", "ListInstances", region=region)["Instances"]
    active = [one for one in answer if one.get("Status", "ACTIVE") == "ACTIVE"]
    if active:
        return Verdict(f"{len(active)} active")
    message = f"IAM Identity Center has no active instance in {region or place.region} ({len(answer)} instances in total)"
    hint = "enable IAM Identity Center, set `grafana.region` to the Region of its instance, or set `authentication: saml`"
    at = ("observability", "grafana", "authentication")
    return wrong("none", codes.IDENTITY_CENTER, at, message, hint)


def _saml(ask: Ask) -> Verdict:
    raise UnansweredError("Grafana reads the identity provider's metadata, which AWS cannot check")


def _registry(place: Place) -> Iterator[Check]:
    pulled = place.design.pulled
    if pulled is None:
        return
    own = place.design.images
    made = {one.name for one in own.repositories if one.made} if own else set()
    if pulled.repositories:
        asked = needs("ecr:DescribeRepositories", place.arn("ecr", "repository/*")) + permissions(place)
        names = tuple(one.name for one in pulled.repositories)
        yield check("ECR", "repositories", asked, _repositories, place, names, made)
    if pulled.caches:
        made = {one.prefix for one in own.caches if one.made} if own else set()
        asked = needs("ecr:DescribePullThroughCacheRules") + permissions(place)
        names = tuple(one.prefix for one in pulled.caches)
        yield check("ECR", "pull-through caches", asked, _caches, place, names, made)


def _repositories(place: Place, names: tuple[str, ...], made: set[str], ask: Ask) -> Verdict:
    there = {one["repositoryName"] for one in ask("ecr", "DescribeRepositories")["repositories"]}
    return _held_against(place, names, made, there, "repository", ask)


def _caches(place: Place, prefixes: tuple[str, ...], made: set[str], ask: Ask) -> Verdict:
    answer = ask("ecr", "DescribePullThroughCacheRules")["pullThroughCacheRules"]
    there = {one["ecrRepositoryPrefix"] for one in answer}
    return _held_against(place, prefixes, made, there, "cache", ask)


def _held_against(
    place: Place, names: tuple[str, ...], made: set[str], there: set[str], what: str, ask: Ask
) -> Verdict:
    """Check that items declared as existing exist, and that new items do not exist before a deployment."""
    key = "repositories" if what == "repository" else "caches"
    found = []
    for name in names:
        if name not in made and name not in there:
            # a data profile creates its own items, which this profile does not declare
            message = f"the {what} {name} does not exist in the registry of {place.region}, which has {len(there)} other {what if len(there) == 1 else key}"
            hint = (
                f"deploy the data profile that creates the {what}"
                if place.design.images is None
                else f"remove `existing`, so that the stack creates the {what}"
            )
            found.append(Found(codes.REGISTRY, _at(place, key), message, hint))
    taken = sorted(made & there)
    if taken and not is_deployed(place, ask):
        message = f"{', '.join(taken)} already {'exist' if len(taken) > 1 else 'exists'}, outside of this profile's stack"
        hint = f"declare the {what} under `existing`, or delete the {what}"
        found.append(Found(codes.NAMES, _at(place, key), message, hint))
    return Verdict(f"{len(set(names) & there)} of {len(names)} exist", tuple(found))


def _at(place: Place, key: str) -> tuple[str, ...]:
    return ("images", key) if place.design.images is not None else ("data", "profile")
