"""Who works on a cluster, and how they get to its nodes, as a profile states it."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.access.people import Id, User, UserGroup
from config.profile.base import (
    ABSOLUTE_PATH,
    ACCOUNT_NAME,
    BUCKET_NAME,
    CERTIFICATES,
    DISTINGUISHED_NAME,
    KEY_PREFIX,
    KMS_KEY_ARN,
    LDAP_URI,
    PEOPLE_FILE,
    SECRET_ARN,
    WHOLE,
    Model,
    Sequence,
)

RetentionDays = Literal[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653]  # fmt: skip


class _Directory(Model):
    """What both kinds of directory have in common: sssd on every node asks it over TLS."""

    uris: Annotated[
        Sequence[Annotated[str, Field(pattern=LDAP_URI, max_length=255)]],
        Field(min_length=1, max_length=8, description="Servers in order; ldap:// is upgraded by StartTLS."),
    ]
    base_dn: Annotated[
        str, Field(pattern=DISTINGUISHED_NAME, max_length=255, description="Where people and groups are.")
    ]
    bind_dn: Annotated[
        str, Field(pattern=DISTINGUISHED_NAME, max_length=255, description="Account that nodes read with.")
    ]
    bind_secret_arn: Annotated[
        str, Field(pattern=SECRET_ARN, description="Secret whose text is that account's password.")
    ]
    bind_secret_key_arn: Annotated[
        str | None,
        Field(pattern=KMS_KEY_ARN, description="KMS key of the secret, where it is not the account's own."),
    ] = None
    ca_certificate: Annotated[
        str | None,
        Field(
            pattern=CERTIFICATES,
            max_length=20000,
            description="Certificates (PEM) that the servers' are checked with; default: those of the image.",
        ),
    ] = None
    login_groups: Annotated[
        Sequence[Annotated[str, Field(pattern=ACCOUNT_NAME, max_length=32)]],
        Field(max_length=50, description="Groups whose members may log in; default: everybody in it."),
    ] = ()
    least_id: Annotated[
        Id | None, Field(description="Lowest POSIX id that people and groups of it have.")
    ] = None
    largest_id: Annotated[
        Id | None, Field(description="Highest POSIX id that people and groups of it have.")
    ] = None


class Ldap(_Directory):
    """An LDAP directory that states POSIX ids."""

    kind: Literal["ldap"]
    group_schema: Annotated[
        Literal["rfc2307", "rfc2307bis"],
        Field(description="How groups name their members: by name (rfc2307) or by DN (rfc2307bis)."),
    ] = "rfc2307"


class ActiveDirectory(_Directory):
    """Active Directory, asked over LDAP."""

    kind: Literal["active-directory"]
    posix_ids: Annotated[
        Literal["mapped", "stated"],
        Field(
            description="mapped: from the SID, the same on every node; stated: uidNumber and gidNumber of the directory."
        ),
    ] = "mapped"


Directory = Annotated[Ldap | ActiveDirectory, Field(discriminator="kind")]


class SessionLogs(Model):
    """What is typed and shown in sessions, as it comes, in a log group of CloudWatch."""

    retention_days: Annotated[RetentionDays, WHOLE, Field(description="Days that they are kept.")] = 365
    key_arn: Annotated[
        str | None,
        Field(pattern=KMS_KEY_ARN, description="KMS key of the log group; default: CloudWatch's own."),
    ] = None


class SessionBucket(Model):
    """A bucket that exists, which gets the log of each session at its end."""

    name: Annotated[str, Field(pattern=BUCKET_NAME, description="Name of the bucket, in this Region.")]
    prefix: Annotated[str, Field(pattern=KEY_PREFIX, max_length=200, description="Folder in it.")] = (
        "sessions"
    )
    key_arn: Annotated[
        str | None, Field(pattern=KMS_KEY_ARN, description="KMS key of the bucket, where it has one.")
    ] = None


class Sessions(Model):
    """Sessions of Session Manager that `ultracluster connect` starts, as a document of the cluster's own says."""

    # bounds: https://docs.aws.amazon.com/systems-manager/latest/userguide/session-preferences-timeout.html
    # and session-preferences-max-timeout.html

    logs: Annotated[SessionLogs | None, Field(description="Logs in CloudWatch.")] = None
    bucket: Annotated[SessionBucket | None, Field(description="Logs in a bucket.")] = None
    idle_timeout_min: Annotated[
        int, Field(ge=1, le=60, description="Minutes without input after which a session ends.")
    ] = 20
    max_duration_min: Annotated[
        int | None,
        Field(ge=1, le=1440, description="Minutes that a session lasts at most; default: no bound."),
    ] = None
    run_as: Annotated[
        str | None,
        Field(
            pattern=ACCOUNT_NAME,
            max_length=32,
            description="Account of sessions whose IAM role or user has no tag SSMSessionRunAs; default: ssm-user.",
        ),
    ] = None


class SharedDirectory(Model):
    """Directories on a shared file system, one for each user or each group, each with its owner."""

    path: Annotated[
        str, Field(pattern=ABSOLUTE_PATH, max_length=200, description="Where they lie: /fsx/teams.")
    ]
    per: Annotated[
        Literal["user", "group"],
        Field(description="user: 0700, its user's; group: 2770, its members'."),
    ]


class ClusterAccess(Model):
    """People, their ids, and sessions."""

    users: Annotated[Sequence[User], Field(max_length=500, description="People, stated here.")] = ()
    groups: Annotated[Sequence[UserGroup], Field(max_length=200, description="Groups, stated here.")] = ()
    users_file: Annotated[
        str | None,
        Field(
            pattern=PEOPLE_FILE,
            max_length=500,
            description="File with `users` and `groups` (YAML), or with a line for each user (CSV), beside this profile.",
        ),
    ] = None
    directory: Annotated[Directory | None, Field(description="Directory that nodes ask, through sssd.")] = (
        None
    )
    directories: Annotated[
        Sequence[SharedDirectory],
        Field(max_length=10, description="Directories for each user or group, such as on Lustre."),
    ] = ()
    sessions: Annotated[Sessions | None, Field(description="Sessions of Session Manager.")] = None
