"""Lustre operations that CloudFormation does not support: root squash and import tasks."""

from __future__ import annotations

from collections.abc import Mapping

from constructs import Construct, IDependable

from config.design.storage.lustre import MAIN, LustrePlan
from config.design.storage.repositories import RepositoryPlan
from config.profile.model import Profile
from config.profile.storage.lustre import RootSquash as StatedSquash
from stacks.common import tags_of
from stacks.storage.buckets import Buckets
from stacks.storage.lustre import bucket_path, log_days
from ultracluster.storage import (
    ImportTask,
    ImportTaskProps,
    LustreFileSystem,
    LustreOperations,
    LustreOperationsProps,
    RootSquash,
    RootSquashProps,
)


def add_lustre_operations(
    scope: Construct,
    profile: Profile,
    made: Mapping[str, tuple[LustrePlan, LustreFileSystem]],
    buckets: Buckets,
) -> dict[str, IDependable]:
    """Set root squash and start import tasks on new file systems; return the root squash resources."""
    asked = {name: (plan, system) for name, (plan, system) in made.items() if _squash(plan) or _by_task(plan)}
    if not asked:
        return {}
    function = LustreOperations(
        scope,
        "LustreOperations",
        LustreOperationsProps(
            name=profile.name,
            file_system_ids=[system.file_system_id for _, system in asked.values()],
            log_retention_days=log_days(profile),
            tags=tags_of(profile),
        ),
    )
    squashes: dict[str, IDependable] = {}
    for name, (plan, system) in asked.items():
        suffix = "" if name == MAIN else f"-{name}"
        squash = _squash(plan)
        if squash:
            squashes[name] = RootSquash(
                scope,
                f"RootSquash{suffix}",
                RootSquashProps(
                    function_arn=function.function_arn,
                    file_system_id=system.file_system_id,
                    uid=squash.uid,
                    gid=squash.gid,
                    no_squash_nids=squash.except_clients,
                    keep_on_delete=not profile.disposable,
                    after=_quick_links(plan, system),
                ),
            ).resource
        links = _by_task(plan)
        if links:
            ImportTask(
                scope,
                f"ImportTask{suffix}",
                ImportTaskProps(
                    function_arn=function.function_arn,
                    file_system_id=system.file_system_id,
                    paths=[bucket_path(plan, link, buckets) for link in links],
                    links=tuple(system.links[link.name] for link in links),
                ),
            )
    return squashes


def _squash(plan: LustrePlan) -> StatedSquash | None:
    return plan.settings.root_squash if plan.settings else None


def _quick_links(plan: LustrePlan, system: LustreFileSystem) -> tuple[IDependable, ...]:
    """Return the associations without an initial import, which can last many hours (STORAGE-17)."""
    return tuple(system.links[link.name] for link in plan.repositories if not link.import_metadata_on_create)


def _by_task(plan: LustrePlan) -> list[RepositoryPlan]:
    return [link for link in plan.repositories if link.import_by_task]
