"""Bottlerocket settings, which are the user data of Bottlerocket nodes: TOML, without scripts.

Sources: https://bottlerocket.dev/en/os/latest/#/api/settings/kubernetes/ (max-pods) and
https://bottlerocket.dev/en/os/latest/#/api/settings/bootstrap-commands/ (its example of local disks).
"""

from __future__ import annotations

_ON_DISKS = ("/var/lib/containerd", "/var/lib/kubelet", "/var/log/pods")


def bottlerocket_settings(*, local_storage: bool, max_pods: int | None) -> str:
    """Return the settings of a node group; EKS adds the cluster's settings."""
    parts = []
    if max_pods:
        parts.append(f"[settings.kubernetes]\nmax-pods = {max_pods}\n")
    if local_storage:
        bound = ", ".join(f'"{folder}"' for folder in _ON_DISKS)
        parts.append(
            "[settings.bootstrap-commands.local-disks]\n"
            "commands = [\n"
            '  ["apiclient", "ephemeral-storage", "init"],\n'
            f'  ["apiclient", "ephemeral-storage", "bind", "--dirs", {bound}],\n'
            "]\n"
            "essential = true\n"
            'mode = "always"\n'
        )
    return "\n".join(parts)
