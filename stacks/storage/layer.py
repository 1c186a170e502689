"""The storage layer: file systems, KMS key, buckets and data repository associations."""

from __future__ import annotations

from constructs import Construct, IDependable

from config.design.model import Design
from config.design.storage.home import HomePlan
from config.design.storage.lustre import MAIN, ExistingFileSystem, LustrePlan
from stacks.attachment import read_express, read_file_system, read_home
from stacks.common import retention_of, tags_of
from stacks.foundation import FileSystem, HomeSystem, NodeNetwork, SharedStorage
from stacks.storage.buckets import Buckets, add_buckets
from stacks.storage.client_access import Access, add_access, dns_name_of
from stacks.storage.home import add_express, add_home
from stacks.storage.lustre import lustre_props
from stacks.storage.lustre_operations import add_lustre_operations
from ultracluster.storage import (
    LustreFileSystem,
    StorageKey,
    StorageKeyProps,
)


def add_storage(scope: Construct, design: Design, node_network: NodeNetwork) -> SharedStorage:
    """Return the shared storage; create the parts that neither exist nor belong to the data profile."""
    made = tuple(system for system in design.own_file_systems if system.settings)
    own_home = design.home if design.home and design.owns_home else None
    key_arn = _key(scope, design, made, own_home)
    access = add_access(scope, design, node_network)
    own = _file_systems(scope, design, made, node_network, key_arn, access)
    return SharedStorage(
        file_systems=tuple(own.get(plan.name) or _attached(design, plan) for plan in design.file_systems),
        home=_home(scope, design, own_home, node_network, key_arn, access),
        express_bucket_name=_express(scope, design),
    )


def _file_systems(
    scope: Construct,
    design: Design,
    made: tuple[LustrePlan, ...],
    node_network: NodeNetwork,
    key_arn: str | None,
    access: Access,
) -> dict[str, FileSystem]:
    """Create the file systems that the profile declares; return them by name."""
    buckets = add_buckets(scope, design.profile, made, key_arn)
    new = {plan.name: (plan, _new(scope, design, plan, node_network, key_arn, buckets)) for plan in made}
    squashes = add_lustre_operations(scope, design.profile, new, buckets)
    found = {
        name: FileSystem(
            plan=plan,
            file_system_id=lustre.file_system_id,
            dns_name=lustre.dns_name,
            mount_name=lustre.mount_name,
            # root squash must be on before the first client mounts
            rules=(*lustre.mount_ready, *((squashes[name],) if name in squashes else ())),
            exports=_exports(plan, lustre),
        )
        for name, (plan, lustre) in new.items()
    }
    existing = {
        plan.name: _existing(design, plan, plan.existing, access)
        for plan in design.own_file_systems
        if plan.existing
    }
    return found | existing


def _attached(design: Design, plan: LustrePlan) -> FileSystem:
    assert design.attachment is not None
    return read_file_system(design.attachment, plan)


def _home(
    scope: Construct,
    design: Design,
    own: HomePlan | None,
    node_network: NodeNetwork,
    key_arn: str | None,
    access: Access,
) -> HomeSystem | None:
    if own:
        return add_home(scope, design, own, node_network, key_arn, access)
    if design.home is None:
        return None
    assert design.attachment is not None
    return read_home(design.attachment, design.home)


def _express(scope: Construct, design: Design) -> str | None:
    if design.express is None:
        return None
    if design.owns_express:
        return add_express(scope, design, design.express).bucket_name
    assert design.attachment is not None
    return read_express(design.attachment)


def _key(scope: Construct, design: Design, made: tuple[LustrePlan, ...], home: HomePlan | None) -> str | None:
    """Create the stack's KMS key if a resource uses it; return its ARN, or None if no key is created."""
    own_buckets = any(link.bucket is None for system in made for link in system.repositories)
    of_lustre = any(
        system.kind.kms_key and system.settings and not system.settings.key_arn for system in made
    )
    of_home = home is not None and home.existing is None and not home.key_arn
    if not (own_buckets or of_lustre or of_home):
        return None
    return StorageKey(
        scope,
        "Key",
        StorageKeyProps(
            alias=f"ultracluster/{design.profile.name}/storage",
            description=f"File system and buckets of {design.profile.name}",
            retention=retention_of(design.profile),
            fsx_data_repositories=any(system.repositories for system in made),
            tags=tags_of(design.profile),
        ),
    ).key_arn


def _new(
    scope: Construct,
    design: Design,
    plan: LustrePlan,
    node_network: NodeNetwork,
    key_arn: str | None,
    buckets: Buckets,
) -> LustreFileSystem:
    assert plan.settings is not None
    props = lustre_props(design.profile, plan, plan.settings, node_network, key_arn, buckets)
    return LustreFileSystem(scope, "Lustre" if plan.name == MAIN else f"Lustre-{plan.name}", props)


def _exports(plan: LustrePlan, lustre: LustreFileSystem) -> tuple[IDependable, ...]:
    """Return the associations that export, except those with an initial import of many hours (STORAGE-17)."""
    return tuple(
        lustre.links[repository.name]
        for repository in plan.repositories
        if repository.export_events and not repository.import_metadata_on_create
    )


def _existing(design: Design, plan: LustrePlan, existing: ExistingFileSystem, access: Access) -> FileSystem:
    return FileSystem(
        plan=plan,
        file_system_id=existing.file_system_id,
        dns_name=dns_name_of(design, existing.file_system_id),
        mount_name=existing.mount_name,
        rules=access[existing.security_group_id],
    )
