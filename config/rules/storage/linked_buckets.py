"""The buckets of data repositories: their names, their facts, and what they grant and keep."""

from __future__ import annotations

import re
from collections.abc import Iterator

from config.design.model import Design
from config.design.names import is_bucket_name, is_directory_bucket
from config.profile.storage.repository import DataRepository
from config.rules.registry import ERROR, NOTE, Finding, rule

_LINKS = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html"
_BUCKETS = "https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html"
_BUCKET_FACTS = ("bucket_region", "bucket_account", "bucket_key_arn")
_PREFIX = re.compile(r"[A-Za-z0-9!_.*'()/-]{0,1000}")


@rule(
    "DRA013", ERROR, "the facts of a bucket are those of one that exists, and imports come from the Region",
    why="The stack decides Region, account and key of its own buckets; FSx imports from buckets of its own Region alone.",
    source=_LINKS, reads="storage region", where="data-repositories",
)  # fmt: skip
def bucket_facts_fit(design: Design) -> Iterator[Finding]:
    """Region, account and key of a bucket."""
    for at, link in design.placed_repositories:
        if link.bucket_region is link.bucket_account is link.bucket_key_arn is None:
            continue
        for key in _BUCKET_FACTS if link.bucket == "new" else ():
            if getattr(link, key) is not None:
                yield Finding(
                    at=(*at, key),
                    message=f"{key} of a bucket that the stack makes",
                    hint=f"write `{key}: null`, or the name of the bucket that exists",
                )
        home = link.bucket_region or design.profile.region
        key_region = link.bucket_key_arn.split(":")[3] if link.bucket_key_arn else home
        imports = link.import_events or link.import_metadata_on_create or link.import_by_task
        without = f" and {_without_imports(link)}" if imports and key_region != design.profile.region else ""
        if link.bucket != "new" and key_region != home:
            yield Finding(
                at=(*at, "bucket_key_arn"),
                message=f"the key is in {key_region}, the bucket in {home}",
                hint=f"name the bucket's own key, or write `bucket_region: {key_region}`{without}",
            )
        elsewhere = link.bucket_region not in (None, design.profile.region)
        if link.bucket != "new" and elsewhere and imports:
            yield Finding(
                at=(*at, "bucket_region"),
                message=f"{link.path} imports from {link.bucket_region}, the file system is in {design.profile.region}",
                hint=f"import from a bucket in the same Region, or export only: {_without_imports(link)}",
            )


def _without_imports(link: DataRepository) -> str:
    keys = ("import_metadata_on_create", "import_by_task")
    words = ["`import: []`"] if link.import_events else []
    return " and ".join([*words, *(f"`{key}: false`" for key in keys if getattr(link, key))])


@rule(
    "DRA004", ERROR, "a linked bucket is a general purpose bucket with a valid name",
    why="No source shows that FSx links directory buckets (S3 Express), and an invalid name fails the creation.",
    source=_BUCKETS, reads="storage", where="data-repositories",
)  # fmt: skip
def bucket_can_be_linked(design: Design) -> Iterator[Finding]:
    """The form of a bucket's name and prefix."""
    for at, repository in design.placed_repositories:
        name = repository.bucket
        if is_directory_bucket(name):
            yield Finding(
                at=(*at, "bucket"),
                message=f"{name} is a directory bucket",
                hint="link a general purpose bucket",
            )
        elif name != "new" and not is_bucket_name(name):
            hint = (
                f"write {name.removeprefix('s3://').partition('/')[0]}, and the rest as `prefix`"
                if name.startswith("s3://")
                else "write `new`, or the bucket's name alone"
            )
            yield Finding(at=(*at, "bucket"), message=f"{name!r} is not the name of a bucket", hint=hint)
        prefix = repository.prefix
        if prefix and (not _PREFIX.fullmatch(prefix) or "//" in prefix):
            yield Finding(
                at=(*at, "prefix"),
                message=f"{repository.prefix!r} is not a prefix that files can have",
                hint="use letters, digits and . _ - between single slashes",
            )


@rule(
    "DRA007", NOTE, "an existing bucket lets the file system in",
    why="FSx checks its access when the link is made: the bucket's policy and key must allow its service-linked role, "
    "and other notifications of the bucket break the link (STORAGE-07).",
    source=_LINKS, reads="storage", where="existing-bucket",
)  # fmt: skip
def existing_bucket_grants_access(design: Design) -> Iterator[Finding]:
    """What an existing bucket must allow."""
    for at, repository in design.placed_repositories:
        if repository.bucket != "new" and is_bucket_name(repository.bucket):
            key = " and of its key" if repository.bucket_key_arn else ""
            yield Finding(
                at=(*at, "bucket"),
                message=f"the access of FSx to {repository.bucket} cannot be checked offline",
                hint=f"`ultracluster plan --json` has the statements that the policies of the bucket{key} must hold; "
                "the bucket has no event notifications of your own"
                + ("" if key else "; if it has a KMS key, state it as `bucket_key_arn`"),
            )


@rule(
    "DRA017", NOTE, "an existing bucket that is followed keeps what is in it",
    why="Automatic import does not follow lifecycle expirations or the deletion of versions, and objects in S3 Glacier "
    "Flexible Retrieval or Deep Archive cannot be read back: the file system lists files that it cannot open.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/autoimport-data-repo-dra.html",
    reads="storage", where="existing-bucket",
)  # fmt: skip
def followed_buckets_keep_objects(design: Design) -> Iterator[Finding]:
    """Existing buckets that are imported from."""
    for at, repository in design.placed_repositories:
        if repository.bucket != "new" and is_bucket_name(repository.bucket) and repository.import_events:
            yield Finding(
                at=(*at, "import"),
                message=f"{repository.path} does not follow what lifecycle rules of {repository.bucket} expire or archive",
                hint="let its lifecycle rules expire old versions and abandoned uploads alone",
            )


@rule(
    "DRA008", NOTE, "a disposable profile's buckets are emptied before it is destroyed",
    why="S3 refuses to delete a bucket that holds objects, and the stack stays in DELETE_FAILED; nothing empties it "
    "for you, since a linked bucket holds what the file system exported.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/delete-bucket.html", reads="storage disposable", where="data-repositories",
)  # fmt: skip
def disposable_buckets_are_emptied(design: Design) -> Iterator[Finding]:
    """New buckets of a disposable profile."""
    if not design.profile.disposable:
        return
    new = [repository.path for _, repository in design.placed_repositories if repository.bucket == "new"]
    if new:
        yield Finding(
            at=("disposable",),
            message=f"the buckets of {', '.join(new)} go with the stack, if they are empty by then",
            hint="empty them, versions too, before `cdk destroy`",
        )
