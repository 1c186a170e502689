"""Jobs that run with the UID and GIDs of a user of the profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class JobUser:
    """The user of a job; `groups` are further gids.

    `home` is the home directory on the volume of that name.
    """

    name: str
    uid: int
    gid: int
    groups: tuple[int, ...] = ()
    home: str | None = None


def as_user(user: JobUser | None) -> dict[str, Any]:
    """Return the pod's security context.

    The context has no fsGroup, because the kubelet would change the group of every file of a volume
    (https://kubernetes.io/docs/tasks/configure-pod-container/security-context/).
    """
    if user is None:
        return {}
    context: dict[str, Any] = {"runAsUser": user.uid, "runAsGroup": user.gid, "runAsNonRoot": True}
    if user.groups:
        context["supplementalGroups"] = list(user.groups)
    return {"securityContext": context}


def environment_of(user: JobUser | None) -> dict[str, Any]:
    """Return variables with the user's name and home, because images do not contain the cluster's users."""
    if user is None:
        return {}
    values = {"HOME": user.home or "/tmp", "LOGNAME": user.name, "USER": user.name}
    return {"env": [{"name": name, "value": value} for name, value in values.items()]}


def home_maker(user: JobUser | None, image: str) -> dict[str, Any]:
    """Return the container that creates the user's home directory if it does not exist."""
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
