"""People of a cluster and their groups, as a profile or a file beside it states them."""

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
    """A group of people; its id is the same on every node and in every file system."""

    name: Annotated[AccountName, Field(description="Name of the group, and of its account in Slurm.")]
    gid: Annotated[
        Id | None,
        Field(description="Group id (POSIX); default: one that follows from the name and from nothing else."),
    ] = None


class User(Model):
    """Somebody who works on the cluster."""

    name: Annotated[AccountName, Field(description="Name of the account.")]
    uid: Annotated[
        Id | None,
        Field(description="User id (POSIX); default: one that follows from the name and from nothing else."),
    ] = None
    group: Annotated[
        AccountName | None,
        Field(description="Primary group, one of `groups`; default: one of the user's own, gid like uid."),
    ] = None
    groups: Annotated[Sequence[AccountName], Field(max_length=50, description="Further groups.")] = ()
    ssh_keys: Annotated[
        Sequence[Annotated[str, Field(pattern=ONE_LINE, max_length=2000)]],
        Field(max_length=20, description="Public keys, each a line as in authorized_keys."),
    ] = ()
    sudo: Annotated[bool, Field(description="True: may do everything as root on every node.")] = False
    shell: Annotated[str, Field(pattern=SHELL, max_length=100, description="Login shell.")] = "/bin/bash"
    principal: Annotated[
        str | None,
        Field(
            pattern=IAM_PRINCIPAL,
            max_length=2048,
            description="IAM role or user of this person: what Kubernetes knows them by.",
        ),
    ] = None
    rights: Annotated[
        KubernetesRight,
        Field(description="What they may do in the namespaces of their teams, under Kubernetes."),
    ] = "edit"


class People(Model):
    """What a file of people holds."""

    users: Annotated[Sequence[User], Field(max_length=5000, description="The people.")] = ()
    groups: Annotated[Sequence[UserGroup], Field(max_length=1000, description="Their groups.")] = ()
