"""Profile section of HyperPod with Slurm: provisioning, lifecycle scripts, accounting and updates."""

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
    """HyperPod sets nodes up; no other scripts run."""

    kind: Literal["bootstrap"]


class Extended(Model):
    """HyperPod sets nodes up, then ultracluster's scripts run, and then the user's script."""

    kind: Literal["extended"]
    script: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=1024,
            description="Path of a script that runs as root on every node after ultracluster's scripts, relative to the "
            "profile. Its text is stored in the stack's assets; `ultracluster validate` checks its syntax with bash. Default: no script.",
        ),
    ] = None


class CustomerManaged(Model):
    """The user's scripts from the user's bucket, instead of the setup by HyperPod and ultracluster."""

    kind: Literal["customer-managed"]
    source_s3_uri: Annotated[
        str,
        Field(
            pattern=S3_FOLDER,
            max_length=1024,
            description="S3 folder of the scripts, for example s3://my-bucket/hyperpod/v1/.",
        ),
    ]
    entry: Annotated[
        str,
        Field(
            pattern=FILE_NAME,
            max_length=128,
            description="File in that folder that runs first, for example on_create.sh.",
        ),
    ]


AnyLifecycle = Bootstrap | Extended | CustomerManaged


class NewAccounting(Model):
    """A new Aurora MySQL Serverless database for this cluster, with a secret for its credentials."""

    kind: Literal["new"]
    min_acu: Annotated[
        float,
        Field(
            ge=0.5,
            le=256,
            description="Minimum capacity in Aurora capacity units (ACU, 2 GiB each), in steps of 0.5.",
        ),
    ] = 0.5
    max_acu: Annotated[
        float,
        Field(ge=1, le=256, description="Maximum capacity in ACU (2 GiB each), in steps of 0.5."),
    ] = 8.0
    engine_version: Annotated[
        str,
        Field(
            pattern=AURORA_VERSION,
            description="Version of Aurora MySQL; default: a version of 3.10, which has long-term support.",
        ),
    ] = "8.0.mysql_aurora.3.10.3"
    standby: Annotated[
        bool,
        Field(
            description="True: a second instance in another Availability Zone takes over if the first one fails."
        ),
    ] = False
    backup_retention_days: Annotated[
        int, Field(ge=1, le=35, description="Days to retain the daily backups.")
    ] = 7
    key_arn: Annotated[
        str | None,
        Field(
            pattern=KMS_KEY_ARN,
            description="KMS key of the database and the secret; default: AWS managed keys.",
        ),
    ] = None


class ExistingAccounting(Model):
    """An existing MySQL-compatible database; its properties are set here and are not looked up."""

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
    port: Annotated[int, Field(ge=1, le=65535, description="TCP port of the database server.")] = 3306
    database: Annotated[
        str | None,
        Field(
            pattern=DATABASE_NAME,
            max_length=64,
            description="Name of the database on the server, used only by this cluster; default: built from the cluster's name.",
        ),
    ] = None
    security_group_id: Annotated[
        str | None,
        Field(
            pattern=SECURITY_GROUP_ID,
            description="Security group of the server, to which rules for the nodes are added; default: nodes already have access.",
        ),
    ] = None
    secret_key_arn: Annotated[
        str | None,
        Field(pattern=KMS_KEY_ARN, description="KMS key of the secret; default: the AWS managed key."),
    ] = None


AnyAccounting = NewAccounting | ExistingAccounting


class HyperPodSlurm(Model):
    """SageMaker HyperPod with Slurm, configured through the API."""

    kind: Literal["hyperpod-slurm"]
    provisioning: Annotated[
        Literal["all-at-once", "continuous"],
        Field(
            description="all-at-once: the cluster is ready when all nodes are; continuous: it is ready with its controller, and "
            "nodes are added when capacity is available. A change replaces the cluster."
        ),
    ] = "all-at-once"
    slurm_config_strategy: Annotated[
        Literal["managed", "overwrite", "merge"] | None,
        Field(
            description="How an update treats manual changes of Slurm's configuration. managed: the update fails. overwrite: the "
            "profile replaces them. merge: they are kept. Default: merge, because scripts write into slurm.conf. Continuous "
            "provisioning always merges and does not accept this key."
        ),
    ] = None
    node_recovery: NodeRecovery = "automatic"
    lifecycle: Annotated[
        AnyLifecycle,
        Field(
            discriminator="kind",
            description="Scripts that run on a node before it accepts jobs; default: ultracluster's scripts.",
        ),
    ] = Extended.model_construct(kind="extended")
    accounting: Annotated[
        Annotated[AnyAccounting, Field(discriminator="kind")] | None,
        Field(
            description="Slurm accounting database outside of the controller; default: MariaDB on the controller. "
            "It cannot be moved back to the controller."
        ),
    ] = None


class NodeBatch(Model):
    """Size of an update step: a number of nodes."""

    kind: Literal["nodes"]
    value: Annotated[int, Field(ge=1, le=6758, description="Nodes at a time.")]


class ShareBatch(Model):
    """Size of an update step: a percentage of the group's nodes."""

    kind: Literal["per-cent"]
    value: Annotated[int, Field(ge=1, le=100, description="Percentage of the group's nodes at a time.")]


AnyBatch = NodeBatch | ShareBatch


class Deployment(Model):
    """Rollout of a new image to the nodes of a group."""

    batch: Annotated[
        AnyBatch | None,
        Field(discriminator="kind", description="Nodes updated at a time; default: the whole group."),
    ] = None
    rollback_batch: Annotated[
        AnyBatch | None,
        Field(
            discriminator="kind",
            description="Nodes rolled back at a time; default: the same as `batch`.",
        ),
    ] = None
    wait_s: Annotated[int | None, Field(ge=0, le=3600, description="Seconds to wait between batches.")] = None
    alarms: Annotated[
        Sequence[AlarmName],
        Field(
            max_length=10,
            description="Names of CloudWatch alarms; an alarm in state ALARM rolls the update back.",
        ),
    ] = ()


class ScheduledUpdate(Model):
    """Updates to the newest image on a schedule; jobs that run on the nodes at that time are lost."""

    schedule: Annotated[
        str,
        Field(
            pattern=CRON, max_length=256, description="Time in UTC; cron(0 3 ? * SUN *) is Sunday at 03:00."
        ),
    ]
    deployment: Annotated[
        Deployment | None, Field(description="Rollout to the nodes; default: all nodes at once.")
    ] = None


class AutoPatch(Model):
    """Automatic security patches of the image, on nodes without jobs."""

    strategy: Annotated[
        Literal["when-idle", "when-all-idle", "drain-first"],
        Field(
            description="when-idle: each node when it is idle. when-all-idle: all nodes when all are idle. drain-first: "
            "only with Kubernetes, and not available in CloudFormation."
        ),
    ]
    deployment: Annotated[
        Deployment | None, Field(description="Rollout to the nodes; default: HyperPod's default.")
    ] = None
