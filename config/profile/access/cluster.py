"""Profile section `access`: users, directory and sessions."""

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
    """Keys that both types of directory share; sssd on every node queries the directory over TLS."""

    uris: Annotated[
        Sequence[Annotated[str, Field(pattern=LDAP_URI, max_length=255)]],
        Field(
            min_length=1, max_length=8, description="Servers in order of preference; ldap:// uses StartTLS."
        ),
    ]
    base_dn: Annotated[
        str, Field(pattern=DISTINGUISHED_NAME, max_length=255, description="Base DN of users and groups.")
    ]
    bind_dn: Annotated[
        str,
        Field(
            pattern=DISTINGUISHED_NAME, max_length=255, description="DN that nodes use to read the directory."
        ),
    ]
    bind_secret_arn: Annotated[
        str, Field(pattern=SECRET_ARN, description="Secret whose text is the password of `bind_dn`.")
    ]
    bind_secret_key_arn: Annotated[
        str | None,
        Field(pattern=KMS_KEY_ARN, description="KMS key of the secret, if it is a customer managed key."),
    ] = None
    ca_certificate: Annotated[
        str | None,
        Field(
            pattern=CERTIFICATES,
            max_length=20000,
            description="CA certificates (PEM) for the servers; default: the certificates of the image.",
        ),
    ] = None
    login_groups: Annotated[
        Sequence[Annotated[str, Field(pattern=ACCOUNT_NAME, max_length=32)]],
        Field(
            max_length=50, description="Groups whose members may log in; default: all users of the directory."
        ),
    ] = ()
    least_id: Annotated[
        Id | None,
        Field(description="Lowest POSIX id of users and groups that nodes accept from the directory."),
    ] = None
    largest_id: Annotated[
        Id | None,
        Field(description="Highest POSIX id of users and groups that nodes accept from the directory."),
    ] = None


class Ldap(_Directory):
    """An LDAP directory with POSIX ids."""

    kind: Literal["ldap"]
    group_schema: Annotated[
        Literal["rfc2307", "rfc2307bis"],
        Field(description="How groups list their members: by name (rfc2307) or by DN (rfc2307bis)."),
    ] = "rfc2307"


class ActiveDirectory(_Directory):
    """Active Directory, queried over LDAP."""

    kind: Literal["active-directory"]
    posix_ids: Annotated[
        Literal["mapped", "stated"],
        Field(
            description="mapped: computed from the SID, the same on every node; `stated`: uidNumber and gidNumber of the directory."
        ),
    ] = "mapped"


Directory = Annotated[Ldap | ActiveDirectory, Field(discriminator="kind")]


class SessionLogs(Model):
    """Session input and output in a CloudWatch log group."""

    retention_days: Annotated[RetentionDays, WHOLE, Field(description="Days to retain the logs.")] = 365
    key_arn: Annotated[
        str | None,
        Field(
            pattern=KMS_KEY_ARN,
            description="KMS key of the log group; default: encryption by CloudWatch Logs.",
        ),
    ] = None


class SessionBucket(Model):
    """An existing bucket that receives the log of each session when the session ends."""

    name: Annotated[
        str, Field(pattern=BUCKET_NAME, description="Name of the bucket; it must be in this Region.")
    ]
    prefix: Annotated[str, Field(pattern=KEY_PREFIX, max_length=200, description="Folder in the bucket.")] = (
        "sessions"
    )
    key_arn: Annotated[
        str | None, Field(pattern=KMS_KEY_ARN, description="KMS key of the bucket, if it has one.")
    ] = None


class Sessions(Model):
    """Session Manager sessions that `ultracluster connect` starts, with a session document of the cluster."""

    # limits: https://docs.aws.amazon.com/systems-manager/latest/userguide/session-preferences-timeout.html
    # and session-preferences-max-timeout.html

    logs: Annotated[SessionLogs | None, Field(description="Logs in CloudWatch Logs.")] = None
    bucket: Annotated[SessionBucket | None, Field(description="Logs in an S3 bucket.")] = None
    idle_timeout_min: Annotated[
        int, Field(ge=1, le=60, description="Minutes without input before a session ends.")
    ] = 20
    max_duration_min: Annotated[
        int | None,
        Field(ge=1, le=1440, description="Maximum duration of a session in minutes; default: no limit."),
    ] = None
    run_as: Annotated[
        str | None,
        Field(
            pattern=ACCOUNT_NAME,
            max_length=32,
            description="Account of a session if the IAM role or user has no tag SSMSessionRunAs; default: ssm-user.",
        ),
    ] = None


class SharedDirectory(Model):
    """Directories on a shared file system, one for each user or each group."""

    path: Annotated[
        str,
        Field(pattern=ABSOLUTE_PATH, max_length=200, description="Parent directory, for example /fsx/teams."),
    ]
    per: Annotated[
        Literal["user", "group"],
        Field(
            description="user: mode 0700, owned by the user; group: mode 2770, owned by root and the group."
        ),
    ]


class ClusterAccess(Model):
    """Users, groups, ids, directories and sessions."""

    users: Annotated[Sequence[User], Field(max_length=500, description="Users of the cluster.")] = ()
    groups: Annotated[Sequence[UserGroup], Field(max_length=200, description="Groups of users.")] = ()
    users_file: Annotated[
        str | None,
        Field(
            pattern=PEOPLE_FILE,
            max_length=500,
            description="Path of a file with `users` and `groups` (YAML) or a line for each user (CSV), relative to this profile.",
        ),
    ] = None
    directory: Annotated[Directory | None, Field(description="Directory that nodes query through sssd.")] = (
        None
    )
    directories: Annotated[
        Sequence[SharedDirectory],
        Field(max_length=10, description="Directories for each user or group, for example on Lustre."),
    ] = ()
    sessions: Annotated[Sessions | None, Field(description="Session Manager sessions.")] = None
