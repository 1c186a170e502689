"""Rules for buckets of data repositories: name, Region, account, key, policy and lifecycle rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

from config.design.model import Design
from config.design.names import is_bucket_name, is_directory_bucket
from config.profile.deployment import DEFAULT_QUALIFIER
from config.profile.orchestrator import HyperPodSlurm
from config.profile.slurm.hyperpod import CustomerManaged
from config.profile.storage.repository import DataRepository
from config.rules.registry import ERROR, NOTE, Finding, rule

_LINKS = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html"
_BUCKETS = "https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html"
_BUCKET_FACTS = ("bucket_region", "bucket_account", "bucket_key_arn")
_PREFIX = re.compile(r"[A-Za-z0-9!_.*'()/-]{0,1000}")


@rule(
    "DRA013", ERROR, "`bucket_region`, account and key are set for existing buckets only, and imports use a bucket in the "
    "profile's Region",
    why="The stack sets the Region, account and key of the buckets that it creates. FSx imports only from buckets in its own Region.",
    source=_LINKS, reads="storage region", where="data-repositories",
)  # fmt: skip
def bucket_facts_fit(design: Design) -> Iterator[Finding]:
    """Check the Region, account and key of each bucket."""
    for at, link in design.placed_repositories:
        if link.bucket_region is link.bucket_account is link.bucket_key_arn is None:
            continue
        for key in _BUCKET_FACTS if link.bucket == "new" else ():
            if getattr(link, key) is not None:
                yield Finding(
                    at=(*at, key),
                    message=f"`{key}` is set, but the stack creates the bucket",
                    hint=f"set `{key}: null`, or set `bucket` to the name of an existing bucket",
                )
        home = link.bucket_region or design.profile.region
        key_region = link.bucket_key_arn.split(":")[3] if link.bucket_key_arn else home
        imports = link.import_events or link.import_metadata_on_create or link.import_by_task
        without = f" and {_without_imports(link)}" if imports and key_region != design.profile.region else ""
        if link.bucket != "new" and key_region != home:
            yield Finding(
                at=(*at, "bucket_key_arn"),
                message=f"the key is in {key_region}, but the bucket is in {home}",
                hint=f"set `bucket_key_arn` to a key in {home}, or set `bucket_region: {key_region}`{without}",
            )
        elsewhere = link.bucket_region not in (None, design.profile.region)
        if link.bucket != "new" and elsewhere and imports:
            yield Finding(
                at=(*at, "bucket_region"),
                message=f"{link.path} imports from a bucket in {link.bucket_region}, but the file system is in "
                f"{design.profile.region}",
                hint=f"use a bucket in {design.profile.region}, or set {_without_imports(link)} to only export",
            )


def _without_imports(link: DataRepository) -> str:
    keys = ("import_metadata_on_create", "import_by_task")
    imports = ["`import: []`"] if link.import_events else []
    return " and ".join([*imports, *(f"`{key}: false`" for key in keys if getattr(link, key))])


@rule(
    "DRA004", ERROR, "a linked bucket is a general purpose bucket with a valid name",
    why="AWS does not document data repository associations with directory buckets (S3 Express). FSx rejects an invalid bucket name at creation.",
    source=_BUCKETS, reads="storage", where="data-repositories",
)  # fmt: skip
def bucket_can_be_linked(design: Design) -> Iterator[Finding]:
    """Check the name and the prefix of each bucket."""
    for at, repository in design.placed_repositories:
        name = repository.bucket
        if is_directory_bucket(name):
            yield Finding(
                at=(*at, "bucket"),
                message=f"{name} is a directory bucket, but FSx links only general purpose buckets",
                hint="set `bucket` to a general purpose bucket",
            )
        elif name != "new" and not is_bucket_name(name):
            hint = (
                f"set `bucket` to {name.removeprefix('s3://').partition('/')[0]}, and `prefix` to the path after that name"
                if name.startswith("s3://")
                else "set `bucket` to `new`, or to the bucket's name"
            )
            yield Finding(at=(*at, "bucket"), message=f"{name!r} is not a valid bucket name", hint=hint)
        prefix = repository.prefix
        if prefix and (not _PREFIX.fullmatch(prefix) or "//" in prefix):
            yield Finding(
                at=(*at, "prefix"),
                message=f"{repository.prefix!r} is not a valid prefix",
                hint="use letters, digits and . _ - between single slashes",
            )


@rule(
    "DRA007", NOTE, "an existing bucket grants access to the file system",
    why="When FSx creates the association, the bucket policy and the key policy must allow FSx's service-linked role. Other event "
    "notifications on the bucket break the association (STORAGE-07).",
    source=_LINKS, reads="storage", where="existing-bucket",
)  # fmt: skip
def existing_bucket_grants_access(design: Design) -> Iterator[Finding]:
    """Report each existing bucket, whose policies cannot be read offline."""
    for at, repository in design.placed_repositories:
        if repository.bucket != "new" and is_bucket_name(repository.bucket):
            key = " and of its key" if repository.bucket_key_arn else ""
            yield Finding(
                at=(*at, "bucket"),
                message=f"ultracluster cannot check offline whether FSx can access the bucket {repository.bucket}",
                hint=f"add the statements from `ultracluster plan --json` to the policies of the bucket{key}, and "
                "remove your own event notifications from the bucket"
                + ("" if key else "; if the bucket has a KMS key, set `bucket_key_arn`"),
            )


@rule(
    "DRA017", NOTE, "lifecycle rules do not expire or archive objects of an existing bucket with automatic import",
    why="Automatic import ignores objects that a lifecycle rule expires, and FSx cannot read objects in S3 Glacier Flexible "
    "Retrieval or Deep Archive. The file system then lists files that nodes cannot open.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/autoimport-data-repo-dra.html",
    reads="storage", where="existing-bucket",
)  # fmt: skip
def imported_buckets_retain_objects(design: Design) -> Iterator[Finding]:
    """Report existing buckets with automatic import."""
    for at, repository in design.placed_repositories:
        if repository.bucket != "new" and is_bucket_name(repository.bucket) and repository.import_events:
            yield Finding(
                at=(*at, "import"),
                message=f"lifecycle rules of the bucket {repository.bucket} may expire or archive objects, and the automatic "
                f"import of {repository.path} ignores this",
                hint="limit the lifecycle rules of the bucket to old versions and incomplete multipart uploads",
            )


@rule(
    "DRA018", ERROR, "files are not exported to the place of the node scripts",
    why="FSx exports deletions and new files. A user who deletes a directory below the linked path would delete the scripts of "
    "the nodes, and no later node could start.",
    source=_LINKS, reads="storage orchestrator deployment", where="data-repositories",
)  # fmt: skip
def scripts_are_not_exported_to(design: Design) -> Iterator[Finding]:
    """Compare the target of each export with the bucket and prefix of the node scripts."""
    orchestrator, deployment = design.profile.orchestrator, design.profile.deployment
    qualifier = (deployment.qualifier if deployment else None) or DEFAULT_QUALIFIER
    own = ""
    if isinstance(orchestrator, HyperPodSlurm) and isinstance(orchestrator.lifecycle, CustomerManaged):
        own = orchestrator.lifecycle.source_s3_uri.removeprefix("s3://")
    scripts, _, below = own.partition("/")
    for at, repository in design.placed_repositories:
        if not repository.export_events:
            continue
        assets = repository.bucket.startswith(f"cdk-{qualifier}-assets-")
        if assets or (repository.bucket == scripts and _overlap(repository.prefix or "", below)):
            yield Finding(
                at=(*at, "bucket"),
                message=f"{repository.path} exports to the bucket {repository.bucket}, which contains the node scripts",
                hint="set `bucket` to another bucket"
                + ("" if assets else ", or `prefix` to a folder without the scripts"),
            )


def _overlap(one: str, other: str) -> bool:
    first, second = (f"{prefix.strip('/')}/".lstrip("/") for prefix in (one, other))
    return first.startswith(second) or second.startswith(first)


@rule(
    "DRA008", NOTE, "the buckets of a disposable profile are emptied before the stack is deleted",
    why="S3 does not delete a bucket that contains objects, and the stack then has the status DELETE_FAILED. ultracluster does "
    "not empty the bucket, because the bucket contains the exported files.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/delete-bucket.html", reads="storage disposable", where="data-repositories",
)  # fmt: skip
def disposable_buckets_are_emptied(design: Design) -> Iterator[Finding]:
    """Report the new buckets of a disposable profile."""
    if not design.profile.disposable:
        return
    new = [repository.path for _, repository in design.placed_repositories if repository.bucket == "new"]
    if new:
        yield Finding(
            at=("disposable",),
            message=f"the stack can delete the buckets of {', '.join(new)} only if these buckets are empty",
            hint="delete all objects and versions before you run `cdk destroy`",
        )
