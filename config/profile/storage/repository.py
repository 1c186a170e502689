"""Links between a file system and S3, as a profile states them."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import ACCOUNT, KMS_KEY_ARN, REGION, Model, Sequence

RepositoryEvent = Literal["new", "changed", "deleted"]


class DataRepository(Model):
    """A data repository association: a directory of the file system linked with a prefix of a bucket."""

    path: Annotated[str, Field(description="Directory in the file system, from its root: /datasets.")]
    bucket: Annotated[str, Field(description="`new`, or the name of a bucket that exists.")]
    prefix: Annotated[str, Field(description="Prefix in the bucket; empty: the whole bucket.")] = ""
    import_events: Annotated[
        Sequence[RepositoryEvent],
        Field(alias="import", description="Changes in S3 that the file system follows."),
    ] = ()
    export_events: Annotated[
        Sequence[RepositoryEvent],
        Field(alias="export", description="Changes in the file system that go to S3."),
    ] = ()
    import_metadata_on_create: Annotated[
        bool,
        Field(
            description="List the bucket into the file system at creation; leave off for millions of objects."
        ),
    ] = False
    import_by_task: Annotated[
        bool,
        Field(
            description="List the bucket by a task that the deployment starts and does not wait for: for millions of "
            "objects."
        ),
    ] = False
    imported_chunk_mib: Annotated[
        int,
        Field(
            ge=1,
            le=512000,
            description="Size in MiB from which an imported file is striped over several servers.",
        ),
    ] = 1024
    bucket_region: Annotated[
        str | None,
        Field(pattern=REGION, description="Region of an existing bucket; default: the profile's."),
    ] = None
    bucket_account: Annotated[
        str | None,
        Field(pattern=ACCOUNT, description="Account of an existing bucket; default: the cluster's."),
    ] = None
    bucket_key_arn: Annotated[
        str | None,
        Field(pattern=KMS_KEY_ARN, description="KMS key that an existing bucket is encrypted with, if any."),
    ] = None
