"""HyperPod with Slurm, as a profile states it: how nodes come, what runs on them, and where jobs are accounted."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import (
    ALARM_NAME,
    AURORA_VERSION,
    CRON,
    DATABASE_NAME,
    ENDPOINT,
    FILE_NAME,
    KMS_KEY_ARN,
    S3_FOLDER,
    SECRET_ARN,
    SECURITY_GROUP_ID,
    Model,
    Sequence,
)

AlarmName = Annotated[str, Field(pattern=ALARM_NAME, max_length=255)]

NodeRecovery = Annotated[
    Literal["automatic", "none"],
    Field(description="automatic: HyperPod reboots or replaces faulty nodes."),
]


class Bootstrap(Model):
    """Nodes as HyperPod sets them up: no script of anybody runs."""

    kind: Literal["bootstrap"]


class Extended(Model):
    """HyperPod sets nodes up, ultracluster's scripts run after it, and a script of your own last."""

    kind: Literal["extended"]
    script: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=1024,
            description="Path of a script that runs as root on every node after ultracluster's, as seen from the file "
            "that states it; its text is vendored, and `ultracluster validate` has bash read it. Default: none.",
        ),
    ] = None


class CustomerManaged(Model):
    """Scripts of your own, from a bucket of your own, in the place of HyperPod's set-up and ultracluster's."""

    kind: Literal["customer-managed"]
    source_s3_uri: Annotated[
        str,
        Field(
            pattern=S3_FOLDER,
            max_length=1024,
            description="Folder of the scripts: s3://my-bucket/hyperpod/v1/.",
        ),
    ]
    entry: Annotated[
        str, Field(pattern=FILE_NAME, max_length=128, description="File in it that runs first: on_create.sh.")
    ]


AnyLifecycle = Bootstrap | Extended | CustomerManaged


class NewAccounting(Model):
    """A database of the cluster's own: Aurora MySQL, serverless, with a secret that opens it."""

    kind: Literal["new"]
    min_acu: Annotated[
        float,
        Field(ge=0.5, le=256, description="Least capacity in steps of 0.5, units of Aurora of 2 GiB each."),
    ] = 0.5
    max_acu: Annotated[
        float,
        Field(ge=1, le=256, description="Most capacity in steps of 0.5, units of Aurora of 2 GiB each."),
    ] = 8.0
    engine_version: Annotated[
        str,
        Field(
            pattern=AURORA_VERSION,
            description="Version of Aurora MySQL; default: one of 3.10, which has long-term support.",
        ),
    ] = "8.0.mysql_aurora.3.10.3"
    standby: Annotated[
        bool,
        Field(description="True: a second instance in another zone takes over when the first one fails."),
    ] = False
    backup_retention_days: Annotated[
        int, Field(ge=1, le=35, description="Days to keep the daily backups.")
    ] = 7
    key_arn: Annotated[
        str | None,
        Field(
            pattern=KMS_KEY_ARN,
            description="KMS key of database and secret; default: the account's own keys.",
        ),
    ] = None


class ExistingAccounting(Model):
    """A MySQL-compatible database that exists already; facts are stated, never looked up."""

    kind: Literal["existing"]
    endpoint: Annotated[
        str, Field(pattern=ENDPOINT, max_length=255, description="Host name of the database.")
    ]
    secret_arn: Annotated[
        str,
        Field(
            pattern=SECRET_ARN,
            max_length=2048,
            description="ARN of the secret with `username` and `password` of a user who may create the database.",
        ),
    ]
    port: Annotated[
        int, Field(ge=1, le=65535, description="Port of the database; one of its bounds is 65535.")
    ] = 3306
    database: Annotated[
        str | None,
        Field(
            pattern=DATABASE_NAME,
            max_length=64,
            description="Name of the database in it, of this cluster alone; default: made of the cluster's name.",
        ),
    ] = None
    security_group_id: Annotated[
        str | None,
        Field(
            pattern=SECURITY_GROUP_ID,
            description="Its security group, to which the rules for the nodes are added; default: they reach it already.",
        ),
    ] = None
    secret_key_arn: Annotated[
        str | None,
        Field(pattern=KMS_KEY_ARN, description="KMS key of the secret; default: the account's own."),
    ] = None


AnyAccounting = NewAccounting | ExistingAccounting


class HyperPodSlurm(Model):
    """SageMaker HyperPod with Slurm, configured through the API."""

    kind: Literal["hyperpod-slurm"]
    provisioning: Annotated[
        Literal["all-at-once", "continuous"],
        Field(
            description="all-at-once: the cluster is there when all nodes are; continuous: it is there with its "
            "controller, and nodes come as there is capacity. Another one makes another cluster."
        ),
    ] = "all-at-once"
    slurm_config_strategy: Annotated[
        Literal["managed", "overwrite", "merge"] | None,
        Field(
            description="What an update does with changes made on the nodes by hand. managed: stop and say so; "
            "overwrite: the profile wins; merge: keep them. Default: merge, since scripts write into slurm.conf; "
            "continuous provisioning merges and takes none."
        ),
    ] = None
    node_recovery: NodeRecovery = "automatic"
    lifecycle: Annotated[
        AnyLifecycle,
        Field(
            discriminator="kind",
            description="What runs on a node before jobs do; default: ultracluster's scripts.",
        ),
    ] = Extended.model_construct(kind="extended")
    accounting: Annotated[
        Annotated[AnyAccounting, Field(discriminator="kind")] | None,
        Field(
            description="Database of Slurm's accounting, outside of the controller; default: MariaDB on the controller. "
            "There is no way back."
        ),
    ] = None


class NodeBatch(Model):
    """So many nodes at a time."""

    kind: Literal["nodes"]
    value: Annotated[int, Field(ge=1, le=6758, description="Nodes at a time.")]


class ShareBatch(Model):
    """A part of the group's nodes at a time."""

    kind: Literal["per-cent"]
    value: Annotated[int, Field(ge=1, le=100, description="Per cent of the group's nodes at a time.")]


AnyBatch = NodeBatch | ShareBatch


class Deployment(Model):
    """How a new image goes over the nodes of a group."""

    batch: Annotated[
        AnyBatch | None,
        Field(discriminator="kind", description="How many nodes at a time; default: the whole group."),
    ] = None
    rollback_batch: Annotated[
        AnyBatch | None,
        Field(
            discriminator="kind",
            description="How many nodes at a time go back; default: as many as go forth.",
        ),
    ] = None
    wait_s: Annotated[
        int | None, Field(ge=0, le=3600, description="Seconds to wait between batches of nodes.")
    ] = None
    alarms: Annotated[
        Sequence[AlarmName],
        Field(
            max_length=10, description="CloudWatch alarms by name: one that goes off rolls the update back."
        ),
    ] = ()


class ScheduledUpdate(Model):
    """The newest image by the clock: what runs on the nodes then is lost."""

    schedule: Annotated[
        str,
        Field(
            pattern=CRON, max_length=256, description="When, in UTC: cron(0 3 ? * SUN *) is Sunday at three."
        ),
    ]
    deployment: Annotated[
        Deployment | None, Field(description="How it goes over the nodes; default: over all at once.")
    ] = None


class AutoPatch(Model):
    """Security patches of the image as they appear, on nodes that run no job."""

    strategy: Annotated[
        Literal["when-idle", "when-all-idle", "drain-first"],
        Field(
            description="when-idle: each node once it is idle; when-all-idle: all nodes once all are idle; drain-first: "
            "of Kubernetes alone, and not in CloudFormation."
        ),
    ]
    deployment: Annotated[
        Deployment | None, Field(description="How it goes over the nodes; default: as HyperPod does.")
    ] = None
