"""Pull-through caches of images."""

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
    """The caches that the stack makes."""
    return ((at, cache) for at, cache in caches_of(design) if not cache.existing)


@rule(
    "IMG002", ERROR, "the prefix of a cache has the length that ECR takes",
    why="Repositories of a cache begin with its prefix, the profile's name and the registry's unless stated.",
    source=f"{_API}/API_CreatePullThroughCacheRule.html", reads="images name", where="image-caches",
)  # fmt: skip
def prefixes_have_their_length(design: Design) -> Iterator[Finding]:
    """The prefix, stated or not."""
    facts = registries()
    for at, cache in _made(design):
        prefix = prefix_of(design.profile.name, cache)
        if not facts.min_prefix_length <= len(prefix) <= facts.max_prefix_length:
            yield Finding(
                at=(*at, "prefix"),
                message=f"{prefix} has {len(prefix)} characters; ECR takes "
                f"{facts.min_prefix_length} to {facts.max_prefix_length}",
                hint=f"write a shorter `prefix:`, such as {upstream_of(cache).short}",
            )


@rule(
    "IMG003", ERROR, "what is cached and what is pushed do not share names",
    why="Under the prefix of a cache ECR makes the repositories: one of another cache or of one's own there would be the "
    "one or the other by chance.",
    source=_CACHES, reads="images name", where="image-caches",
)  # fmt: skip
def names_are_not_shared(design: Design) -> Iterator[Finding]:
    """Prefixes of caches against each other and against repositories."""
    name = design.profile.name
    caches = [(at, prefix_of(name, cache)) for at, cache in caches_of(design)]
    for (_, one), (at, other) in combinations(caches, 2):
        if same_place(one.split("/"), other.split("/")):
            yield Finding(
                at=(*at, "prefix"),
                message=f"the caches {one} and {other} share their names"
                if one != other
                else f"two caches have the prefix {one}",
                hint="write another `prefix:` for one of them",
            )
    for at, repository in repositories_of(design):
        own = repository.existing or f"{name}/{repository.name}"
        for _, prefix in caches:
            if same_place(prefix.split("/"), own.split("/")):
                yield Finding(
                    at=(*at, "name"),
                    message=f"the repository {own} lies among those of the cache {prefix}",
                    hint="give it another name",
                )


@rule(
    "IMG004", ERROR, "a cache signs in where its registry asks for it",
    why="ECR refuses a cache of a registry with sign-in that names no secret.",
    source=_CACHES, reads="images", where="image-caches",
)  # fmt: skip
def caches_sign_in(design: Design) -> Iterator[Finding]:
    """secret_arn of registries that ask for one."""
    for at, cache in _made(design):
        if upstream_of(cache).secret and cache.secret_arn is None:
            prefix, region = registries().secret_name, design.profile.region
            yield Finding(
                at=at,
                message=f"{cache.upstream} asks for a user name and a token, and the cache has no secret",
                hint=f"write `secret_arn: arn:aws:secretsmanager:{region}:ACCOUNT:secret:{prefix}NAME`, of a secret with "
                "`username` and `accessToken`",
            )


@rule(
    "IMG005", ERROR, "a cache's secret is one that ECR reads",
    why="ECR reads secrets whose names begin with ecr-pullthroughcache/, in the account and Region of the cache.",
    source=_RULES, reads="images region account", where="image-caches",
)  # fmt: skip
def secrets_are_ones_that_ecr_reads(design: Design) -> Iterator[Finding]:
    """Name, Region and account of secret_arn."""
    profile, begins = design.profile, registries().secret_name
    for at, cache in _made(design):
        if cache.secret_arn is None:
            continue
        _, _, _, region, account, _, name = cache.secret_arn.split(":", 6)
        place = (*at, "secret_arn")
        if not name.startswith(begins) or name == begins:
            message = f"the secret is called {name}; ECR reads those that begin with {begins}"
            yield Finding(
                at=place, message=message, hint=f"copy it to a secret {begins}NAME, and name that one"
            )
        if region != profile.region:
            message = f"the secret is in {region}, the cache in {profile.region}"
            yield Finding(at=place, message=message, hint=f"name a secret of {profile.region}")
        if profile.account is not None and account != profile.account:
            message = f"the secret is in account {account}, the cache in {profile.account}"
            yield Finding(at=place, message=message, hint=f"name a secret of {profile.account}")


@rule(
    "IMG006", ERROR, "the Region has pull-through caches",
    why="ECR makes no pull-through caches in some partitions, and the deployment would fail.",
    source="https://github.com/awsdocs/amazon-ecr-user-guide/blob/1e8d7c3ff7874609fcc8561366be5851583eb4c7/doc_source/pull-through-cache.md",
    reads="images region", where="image-caches",
    ages="the Regions without pull-through caches",
)  # fmt: skip
def regions_have_caches(design: Design) -> Iterator[Finding]:
    """The profile's Region."""
    region = design.profile.region
    if region in registries().regions_without_caches and any(_made(design)):
        yield Finding(
            at=("images", "caches"),
            message=f"{region} has no pull-through caches",
            hint="write `caches: []`, and push the images to `repositories`",
        )


@rule(
    "IMG007", ERROR, "a registry of Azure has its address, and the others have theirs",
    why="Every user of Azure has a registry of an own address; those of the others are known.",
    source=f"{_API}/API_CreatePullThroughCacheRule.html", reads="images", where="image-caches",
)  # fmt: skip
def hosts_are_stated_where_they_differ(design: Design) -> Iterator[Finding]:
    """The address, where one has to be stated."""
    for at, cache in caches_of(design):
        upstream = upstream_of(cache)
        if upstream.url is None and cache.host is None:
            yield Finding(
                at=at,
                message=f"{cache.upstream} is not told which registry",
                hint=f"write `host: NAME.{upstream.host}`",
            )
        if upstream.url is not None and cache.host is not None:
            yield Finding(
                at=(*at, "host"),
                message=f"{cache.upstream} is at {upstream.url}, not at {cache.host}",
                hint="take `host` out",
            )


@rule(
    "IMG010", WARNING, "a closed network finds in its caches what it pulls",
    why="Behind interface endpoints ECR fetches an image for the first time only where there is a route to the internet; "
    "every later pull needs none.",
    source="https://docs.aws.amazon.com/AmazonECR/latest/userguide/vpc-endpoints.html",
    reads="images network data", where="image-caches",
)  # fmt: skip
def closed_networks_find_what_they_pull(design: Design) -> Iterator[Finding]:
    """Caches of clusters whose network is closed."""
    caches = design.images.caches if design.images else ()
    if caches and design.network is not None and design.network.closed:
        command = f"aws ecr batch-get-image --region {design.profile.region} --repository-name {caches[0].prefix}/IMAGE"
        yield Finding(
            at=("images", "caches"),
            message="the network is closed, and the first pull of each image needs a way to the internet",
            hint=f"pull each image once from outside the network: `{command} --image-ids imageTag=TAG`",
        )


@rule(
    "IMG011", WARNING, "a prefix is of this profile alone",
    why="A registry has each prefix once: the second cluster of an account with the same one would fail to deploy.",
    source=_RULES, reads="images name", where="image-caches",
)  # fmt: skip
def prefixes_are_of_the_profile(design: Design) -> Iterator[Finding]:
    """The prefix, where stated."""
    name = design.profile.name
    for at, cache in _made(design):
        if cache.prefix is not None and cache.prefix.split("/")[0] != name:
            shorter = f"{name}/{upstream_of(cache).short}"
            fits = len(shorter) <= registries().max_prefix_length
            yield Finding(
                at=(*at, "prefix"),
                message=f"another stack of this account and Region may have a cache {cache.prefix} already",
                hint=f"take `prefix` out: it is {shorter} then"
                if fits
                else "see that no other stack has it; a shorter name of the profile would fit before it",
            )


@rule(
    "IMG012", ERROR, "a registry has room for the caches",
    why="ECR holds so many pull-through caches in one registry, those of other clusters included.",
    source=_RULES, reads="images", where="image-caches",
    ages="how many pull-through caches a registry holds",
)  # fmt: skip
def registries_have_room(design: Design) -> Iterator[Finding]:
    """How many caches."""
    count, most = sum(1 for _ in _made(design)), registries().max_caches
    if count > most:
        yield Finding(
            at=("images", "caches"),
            message=f"{count} caches, a registry holds {most}",
            hint=f"take {count - most} out",
        )


@rule(
    "IMG015", NOTE, "what a cache has made stays when its stack goes",
    why="ECR makes the repositories of a cache, not CloudFormation: they and what they are billed for stay.",
    source=_CACHES, reads="images disposable", where="image-caches",
)  # fmt: skip
def cached_images_stay(design: Design) -> Iterator[Finding]:
    """Caches of a disposable profile, of which nothing else stays."""
    made = [cache for cache in design.images.caches if cache.made] if design.images else []
    if design.profile.disposable and made:
        prefixes = ", ".join(f"{cache.prefix}/" for cache in made)
        yield Finding(
            at=("images", "caches"),
            message=f"repositories under {prefixes} stay when the stack is deleted",
            hint="delete them with `aws ecr delete-repository --force`, once the stack is gone",
        )
