"""Profile model of data repository associations."""

from typing import Annotated, Final, Literal

from pydantic import Field

from config.profile.base import ACCOUNT, KMS_KEY_ARN, REGION, Model, Sequence

RepositoryEvent = Literal["new", "changed", "deleted"]
EVENTS: Final[tuple[RepositoryEvent, ...]] = ("new", "changed", "deleted")


class DataRepository(Model):
    """A data repository association between a directory of the file system and an S3 prefix."""

    path: Annotated[
        str, Field(description="Directory, as a path from the root of the file system: `/datasets`.")
    ]
    bucket: Annotated[str, Field(description="`new`, or the name of an existing bucket.")]
    prefix: Annotated[str, Field(description="Prefix in the bucket. Empty: the whole bucket.")] = ""
    import_events: Annotated[
        Sequence[RepositoryEvent],
        Field(alias="import", description="S3 changes that FSx imports automatically."),
    ] = ()
    export_events: Annotated[
        Sequence[RepositoryEvent],
        Field(alias="export", description="File system changes that FSx exports automatically to S3."),
    ] = ()
    import_metadata_on_create: Annotated[
        bool,
        Field(
            description="Import the metadata of all objects at creation. The deployment waits: not for millions of objects."
        ),
    ] = False
    import_by_task: Annotated[
        bool,
        Field(
            description="Import the metadata of all objects by a task. The deployment does not wait for it: for millions of "
            "objects."
        ),
    ] = False
    imported_chunk_mib: Annotated[
        int,
        Field(
            ge=1,
            le=512000,
            description="File size in MiB above which an imported file is striped over several servers.",
        ),
    ] = 1024
    bucket_region: Annotated[
        str | None,
        Field(pattern=REGION, description="Region of an existing bucket. Default: the profile's Region."),
    ] = None
    bucket_account: Annotated[
        str | None,
        Field(pattern=ACCOUNT, description="Account of an existing bucket. Default: the cluster's account."),
    ] = None
    bucket_key_arn: Annotated[
        str | None,
        Field(pattern=KMS_KEY_ARN, description="ARN of the KMS key of an existing bucket, if it has one."),
    ] = None
