"""A job that runs as somebody of the profile: with their ids, so that its files are theirs everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class JobUser:
    """Whose job it is; `groups` are further gids. `home` is their directory below a volume of that name."""

    name: str
    uid: int
    gid: int
    groups: tuple[int, ...] = ()
    home: str | None = None


def as_user(user: JobUser | None) -> dict[str, Any]:
    """The pod's security context.

    Without fsGroup: the kubelet would give every file of a volume to that group, one after the other
    (https://kubernetes.io/docs/tasks/configure-pod-container/security-context/).
    """
    if user is None:
        return {}
    context: dict[str, Any] = {"runAsUser": user.uid, "runAsGroup": user.gid, "runAsNonRoot": True}
    if user.groups:
        context["supplementalGroups"] = list(user.groups)
    return {"securityContext": context}


def environment_of(user: JobUser | None) -> dict[str, Any]:
    """What programs ask for who and where they are: images know nobody of the cluster."""
    if user is None:
        return {}
    values = {"HOME": user.home or "/tmp", "LOGNAME": user.name, "USER": user.name}
    return {"env": [{"name": name, "value": value} for name, value in values.items()]}


def home_maker(user: JobUser | None, image: str) -> dict[str, Any]:
    """Makes the home of somebody who has none yet, as nodes of Slurm do; one that is there stays as it is."""
    if user is None or user.home is None:
        return {}
    folder, _, _ = user.home.rpartition("/")
    made = f'[ -e "$0" ] || {{ mkdir "$0" && chown {user.uid}:{user.gid} "$0" && chmod 0700 "$0"; }}'
    return {
        "initContainers": [
            {
                "name": "home",
                "image": image,
                "command": ["sh", "-c", made, user.home],
                "securityContext": {"runAsUser": 0, "runAsGroup": 0, "runAsNonRoot": False},
                "volumeMounts": [{"name": "home", "mountPath": folder}],
            }
        ]
    }
