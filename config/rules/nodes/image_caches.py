"""Rules for ECR pull-through caches."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from config.catalog.registries import registries
from config.design.model import Design
from config.design.nodes.containers import prefix_of, same_place, upstream_of
from config.diagnostics import Path
from config.profile.images import ImageCache
from config.rules.nodes.images import caches_of, repositories_of
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule

_GUIDE = "https://docs.aws.amazon.com/AmazonECR/latest/userguide"
_RULES = f"{_GUIDE}/pull-through-cache-creating-rule.html"
_CACHES = f"{_GUIDE}/pull-through-cache.html"
_API = "https://docs.aws.amazon.com/AmazonECR/latest/APIReference"


def _made(design: Design) -> Iterator[tuple[Path, ImageCache]]:
    """Yield the caches that the stack creates."""
    return ((at, cache) for at, cache in caches_of(design) if not cache.existing)


@rule(
    "IMG002", ERROR, "the prefix of a cache has an allowed length",
    why="ECR rejects a prefix that is too short or too long. By default, the prefix is the profile's name and a short name of the "
    "registry.",
    source=f"{_API}/API_CreatePullThroughCacheRule.html", reads="images name", where="image-caches",
)  # fmt: skip
def prefixes_have_an_allowed_length(design: Design) -> Iterator[Finding]:
    """Check the length of the prefix, which is set or the default."""
    facts = registries()
    for at, cache in _made(design):
        prefix = prefix_of(design.profile.name, cache)
        if not facts.min_prefix_length <= len(prefix) <= facts.max_prefix_length:
            yield Finding(
                at=(*at, "prefix"),
                message=f"the prefix {prefix} has {len(prefix)} characters, but {facts.min_prefix_length} to "
                f"{facts.max_prefix_length} are allowed",
                hint=f"set another `prefix`, such as {upstream_of(cache).short}",
            )


@rule(
    "IMG003", ERROR, "caches and repositories do not share names",
    why="For each image that is pulled through a cache, ECR creates a repository under the prefix of the cache. With the same "
    "prefix on two caches, or on a cache and a repository, an image name is ambiguous.",
    source=_CACHES, reads="images name", where="image-caches",
)  # fmt: skip
def names_are_not_shared(design: Design) -> Iterator[Finding]:
    """Compare the prefixes of caches with each other and with repositories."""
    name = design.profile.name
    caches = [(at, prefix_of(name, cache)) for at, cache in caches_of(design)]
    for (_, one), (at, other) in combinations(caches, 2):
        if same_place(one.split("/"), other.split("/")):
            yield Finding(
                at=(*at, "prefix"),
                message=f"the cache prefixes {one} and {other} overlap"
                if one != other
                else f"two caches have the prefix {one}",
                hint="set another `prefix` for one of the caches",
            )
    for at, repository in repositories_of(design):
        own = repository.existing or f"{name}/{repository.name}"
        for _, prefix in caches:
            if same_place(prefix.split("/"), own.split("/")):
                yield Finding(
                    at=(*at, "name"),
                    message=f"the repository {own} is under the prefix of the cache {prefix}",
                    hint="set another `name` for the repository",
                )


@rule(
    "IMG004", ERROR, "a cache has a secret if its registry requires credentials",
    why="ECR rejects a cache without a secret for a registry that requires credentials.",
    source=_CACHES, reads="images", where="image-caches",
)  # fmt: skip
def caches_have_a_secret(design: Design) -> Iterator[Finding]:
    """Check `secret_arn` of registries that require credentials."""
    for at, cache in _made(design):
        if upstream_of(cache).secret and cache.secret_arn is None:
            prefix, region = registries().secret_name, design.profile.region
            yield Finding(
                at=at,
                message=f"{cache.upstream} requires a user name and a token, but the cache has no `secret_arn`",
                hint=f"set `secret_arn: arn:aws:secretsmanager:{region}:ACCOUNT:secret:{prefix}NAME` to a secret with "
                "`username` and `accessToken`",
            )


@rule(
    "IMG005", ERROR, "ECR can read the secret of a cache",
    why="ECR reads only secrets whose names begin with ecr-pullthroughcache/, in the account and Region of the cache.",
    source=_RULES, reads="images region account", where="image-caches",
)  # fmt: skip
def ecr_can_read_the_secrets(design: Design) -> Iterator[Finding]:
    """Check name, Region and account of `secret_arn`."""
    profile, begins = design.profile, registries().secret_name
    for at, cache in _made(design):
        if cache.secret_arn is None:
            continue
        _, _, _, region, account, _, name = cache.secret_arn.split(":", 6)
        place = (*at, "secret_arn")
        if not name.startswith(begins) or name == begins:
            message = (
                f"the secret {name} cannot be used: ECR reads only secrets whose names begin with {begins}"
            )
            yield Finding(
                at=place,
                message=message,
                hint=f"copy the secret to a new secret {begins}NAME, and set `secret_arn` to the ARN of the new secret",
            )
        if region != profile.region:
            message = f"the secret is in {region}, but the cache is in {profile.region}"
            yield Finding(at=place, message=message, hint=f"set `secret_arn` to a secret in {profile.region}")
        if profile.account is not None and account != profile.account:
            message = f"the secret is in account {account}, but the cache is in account {profile.account}"
            hint = f"set `secret_arn` to a secret of account {profile.account}"
            yield Finding(at=place, message=message, hint=hint)


@rule(
    "IMG006", ERROR, "the Region supports pull-through caches",
    why="ECR does not support pull-through caches in all partitions. In a Region without support, the deployment fails.",
    source="https://github.com/awsdocs/amazon-ecr-user-guide/blob/1e8d7c3ff7874609fcc8561366be5851583eb4c7/doc_source/pull-through-cache.md",
    reads="images region", where="image-caches",
    ages="the Regions without pull-through caches",
)  # fmt: skip
def region_supports_caches(design: Design) -> Iterator[Finding]:
    """Check the profile's Region."""
    region = design.profile.region
    if region in registries().regions_without_caches and any(_made(design)):
        yield Finding(
            at=("images", "caches"),
            message=f"ECR does not support pull-through caches in {region}",
            hint="set `caches: []`, and push the images to repositories that you declare in `repositories`",
        )


@rule(
    "IMG007", ERROR, "`host` is only set for an Azure registry",
    why="Each Azure customer has a registry with its own address. All other registries have fixed addresses.",
    source=f"{_API}/API_CreatePullThroughCacheRule.html", reads="images", where="image-caches",
)  # fmt: skip
def host_is_set_for_azure(design: Design) -> Iterator[Finding]:
    """Check `host` of each cache."""
    for at, cache in caches_of(design):
        upstream = upstream_of(cache)
        if upstream.url is None and cache.host is None:
            yield Finding(
                at=at,
                message=f"the cache of {cache.upstream} requires `host`, which is not set",
                hint=f"set `host: NAME.{upstream.host}` to the address of your registry",
            )
        if upstream.url is not None and cache.host is not None:
            yield Finding(
                at=(*at, "host"),
                message=f"{cache.upstream} has the fixed address {upstream.url}, not {cache.host}",
                hint="remove `host`",
            )


@rule(
    "IMG010", WARNING, "in a closed network, each image is in the cache before nodes pull it",
    why="With interface endpoints, the first pull of an image through a cache needs a route to the internet. Later pulls do not.",
    source="https://docs.aws.amazon.com/AmazonECR/latest/userguide/vpc-endpoints.html",
    reads="images network data", where="image-caches",
)  # fmt: skip
def closed_networks_need_cached_images(design: Design) -> Iterator[Finding]:
    """Report caches of a cluster in a closed network."""
    caches = design.images.caches if design.images else ()
    if caches and design.network is not None and design.network.closed:
        command = f"aws ecr batch-get-image --region {design.profile.region} --repository-name {caches[0].prefix}/IMAGE"
        yield Finding(
            at=("images", "caches"),
            message="the network is closed, but the first pull of each image needs a route to the internet",
            hint=f"pull each image once from outside the network: `{command} --image-ids imageTag=TAG`",
        )


@rule(
    "IMG011", WARNING, "the prefix of a cache begins with the profile's name",
    why="A prefix is unique in a registry. If two profiles in one account and Region use the same prefix, the second deployment "
    "fails.",
    source=_RULES, reads="images name", where="image-caches",
)  # fmt: skip
def prefixes_begin_with_the_profiles_name(design: Design) -> Iterator[Finding]:
    """Check `prefix`, if set."""
    name = design.profile.name
    for at, cache in _made(design):
        if cache.prefix is not None and cache.prefix.split("/")[0] != name:
            shorter = f"{name}/{upstream_of(cache).short}"
            fits = len(shorter) <= registries().max_prefix_length
            yield Finding(
                at=(*at, "prefix"),
                message=f"another stack in this account and Region may already have a cache with the prefix {cache.prefix}",
                hint=f"remove `prefix`; the default is {shorter}"
                if fits
                else "check that no other stack uses this prefix, or set a shorter `name` for the profile and remove `prefix`",
            )


@rule(
    "IMG012", ERROR, "the number of caches does not exceed ECR's limit",
    why="ECR limits the number of pull-through cache rules in a registry. Caches of other clusters in the account and Region also "
    "count toward this limit.",
    source=_RULES, reads="images", where="image-caches",
    ages="the maximum number of pull-through caches in a registry",
)  # fmt: skip
def number_of_caches_is_within_the_limit(design: Design) -> Iterator[Finding]:
    """Check the number of caches."""
    count, most = sum(1 for _ in _made(design)), registries().max_caches
    if count > most:
        yield Finding(
            at=("images", "caches"),
            message=f"the profile has {count} caches, but a registry has at most {most}",
            hint=f"remove {count - most} of the caches",
        )


@rule(
    "IMG015", NOTE, "repositories of a cache are deleted manually",
    why="ECR creates the repositories of a cache, not CloudFormation. When the stack is deleted, these repositories are retained, "
    "and their storage is still billed.",
    source=_CACHES, reads="images disposable", where="image-caches",
)  # fmt: skip
def cached_images_are_retained(design: Design) -> Iterator[Finding]:
    """Report caches of a disposable profile: their repositories are not deleted with the stack."""
    made = [cache for cache in design.images.caches if cache.made] if design.images else []
    if design.profile.disposable and made:
        prefixes = ", ".join(f"{cache.prefix}/" for cache in made)
        yield Finding(
            at=("images", "caches"),
            message=f"repositories under {prefixes} are retained when the stack is deleted",
            hint="delete the repositories with `aws ecr delete-repository --force` after the stack is deleted",
        )
