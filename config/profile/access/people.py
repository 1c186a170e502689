"""Users and groups in a profile or in its users file."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import (
    ACCOUNT_NAME,
    IAM_PRINCIPAL,
    ONE_LINE,
    SHELL,
    Model,
    Sequence,
)

AccountName = Annotated[str, Field(pattern=ACCOUNT_NAME, max_length=32)]

Id = Annotated[int, Field(ge=0, le=4294967294)]

KubernetesRight = Literal["admin", "edit", "view"]


class UserGroup(Model):
    """A group of users; its id is the same on every node and in every file system."""

    name: Annotated[AccountName, Field(description="Name of the group, and of its Slurm account.")]
    gid: Annotated[
        Id | None,
        Field(description="Group id (POSIX); default: computed from the name only."),
    ] = None


class User(Model):
    """A user of the cluster."""

    name: Annotated[AccountName, Field(description="Name of the account.")]
    uid: Annotated[
        Id | None,
        Field(description="User id (POSIX); default: computed from the name only."),
    ] = None
    group: Annotated[
        AccountName | None,
        Field(
            description="Primary group, one of `groups`; default: a group of the user's name, with gid equal to uid."
        ),
    ] = None
    groups: Annotated[Sequence[AccountName], Field(max_length=50, description="Further groups.")] = ()
    ssh_keys: Annotated[
        Sequence[Annotated[str, Field(pattern=ONE_LINE, max_length=2000)]],
        Field(max_length=20, description="Public keys, each one line as in authorized_keys."),
    ] = ()
    sudo: Annotated[bool, Field(description="True: the user may run all commands as root on every node.")] = (
        False
    )
    shell: Annotated[str, Field(pattern=SHELL, max_length=100, description="Login shell.")] = "/bin/bash"
    principal: Annotated[
        str | None,
        Field(
            pattern=IAM_PRINCIPAL,
            max_length=2048,
            description="IAM role or user that identifies this user in Kubernetes.",
        ),
    ] = None
    rights: Annotated[
        KubernetesRight,
        Field(description="Rights in the Kubernetes namespaces of the user's teams."),
    ] = "edit"


class People(Model):
    """Content of a users file."""

    users: Annotated[Sequence[User], Field(max_length=5000, description="Users of the file.")] = ()
    groups: Annotated[Sequence[UserGroup], Field(max_length=1000, description="Groups of the file.")] = ()
