"""Container images of a stack: repositories and caches."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from config.design.nodes.containers import ImagesPlan, PulledImages
from config.profile.model import Profile
from stacks.common import retention_of, tags_of
from ultracluster.nodes import (
    ImageCache,
    ImageCacheProps,
    ImageCacheRole,
    ImageCacheRoleProps,
    ImageRepository,
    ImageRepositoryProps,
)
from ultracluster.nodes.permissions import NodeImageAccess

_REGISTRY = "${AWS::AccountId}.dkr.ecr.${AWS::Region}.${AWS::URLSuffix}"
"""Address of the account's ECR registry, for Fn::Sub."""


def add_images(scope: Construct, profile: Profile, plan: ImagesPlan) -> None:
    """Create the repositories and caches; skip existing ones."""
    for repository in plan.repositories:
        if repository.made:
            ImageRepository(
                scope,
                f"Repository-{repository.declared}",
                ImageRepositoryProps(
                    name=repository.name,
                    immutable_tags=repository.immutable,
                    moving_tags=repository.moving_tags,
                    scan_on_push=repository.scan_on_push,
                    lifecycle=repository.lifecycle,
                    key_arn=plan.key_arn,
                    retention=retention_of(profile),
                    tags=tags_of(profile),
                ),
            )
    _caches(scope, profile, plan)


def _caches(scope: Construct, profile: Profile, plan: ImagesPlan) -> None:
    caches = [cache for cache in plan.caches if cache.made]
    if not caches:
        return
    prefixes = [cache.prefix for cache in caches]
    props = ImageCacheRoleProps(prefixes=prefixes, key_arn=plan.key_arn, tags=tags_of(profile))
    role = ImageCacheRole(scope, "CacheRole", props)
    for cache in caches:
        ImageCache(
            scope,
            f"Cache-{cache.prefix}",
            ImageCacheProps(
                prefix=cache.prefix,
                upstream=cache.upstream,
                url=cache.url,
                role_arn=role.role_arn,
                secret_arn=cache.secret_arn,
                lifecycle=cache.lifecycle,
                key_arn=plan.key_arn,
                repository_tags=tags_of(profile),
            ),
        )


def image_access(pulled: PulledImages | None) -> NodeImageAccess | None:
    """Return the repositories and caches that nodes may pull from, including those of the data profile."""
    if pulled is None:
        return None
    return NodeImageAccess(repository_names=pulled.repository_names, cache_prefixes=pulled.cache_prefixes)


def registry_output() -> str:
    """Return the address of the account's ECR registry."""
    return cdk.Fn.sub(_REGISTRY)
