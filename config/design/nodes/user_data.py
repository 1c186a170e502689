"""User data of EKS and PCS nodes: a short script that downloads the bundle and runs its entry script.

User data is limited to 16 KB, so the bundle is in S3, under the hash of its content. Both control planes
require MIME multipart. PCS merges its own parts, and runs scripts before slurmd starts. EKS reads the
NodeConfig, and starts the kubelet after cloud-init, so the first pod starts after the scripts.
Sources: https://docs.aws.amazon.com/pcs/latest/userguide/working-with_ec2-user-data.html,
awslabs/amazon-eks-ami:templates/al2023/runtime/rootfs/etc/systemd/system/nodeadm-run.service.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config.design.nodes.scripts import FETCH, NodeScriptsPlan, fetch_script

_BOUNDARY = "==ultracluster=="
LONGEST_BYTES = 16 * 1024
"""Maximum size of user data before base64 (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleScript:
    """A script that PCS nodes run before slurmd starts; if the script fails, PCS terminates the node.

    `location` is the S3 object of the script. `checksum` is the SHA-256 that PCS compares.
    """

    name: str
    location: str
    checksum: str
    arguments: tuple[str, ...]
    on_error: str = "TERMINATE"
    execution_policy: str = "FIRST_BOOT_ONLY"


def pcs_lifecycle_script(scripts: NodeScriptsPlan, *, bundle_uri: str, region: str) -> LifecycleScript:
    """Return the PCS lifecycle script that runs the bundle; PCS terminates a node whose script fails.

    `bundle_uri` is the bundle's folder with a final slash (`s3://bucket/prefix/`), and may be a token.
    Source: the AWS::PCS::ComputeNodeGroup schema (NodeLifecycleActions).
    """
    return LifecycleScript(
        name="ultracluster",
        location=f"{bundle_uri}{FETCH}",
        checksum=hashlib.sha256(fetch_script().encode()).hexdigest(),
        arguments=(bundle_uri, region, scripts.entry),
    )


def eks_user_data(
    scripts: NodeScriptsPlan | None,
    node_config: Mapping[str, Any],
    *,
    bundle_uri: str,
    region: str,
    masked: Sequence[str] = (),
) -> str:
    """Return the user data of a managed node group: its NodeConfig and, if there is one, the script bundle.

    `masked` are systemd services that must not start on the node.
    """
    # JSON is valid YAML, and its output is deterministic
    parts = [("application/node.eks.aws", json.dumps(node_config, indent=2, sort_keys=True) + "\n")]
    if masked:
        parts.append(("text/x-shellscript", masking_script(masked)))
    if scripts is not None:
        parts.append(_script(scripts, bundle_uri, region))
    return _mime(parts)


def karpenter_user_data(scripts: NodeScriptsPlan, *, bundle_uri: str, region: str) -> str:
    """Return the user data of an EC2NodeClass: only the bundle, because Karpenter writes the NodeConfig."""
    return _mime([_script(scripts, bundle_uri, region)])


def masking_script(services: Sequence[str]) -> str:
    """Return a script that stops services and masks them, so that no other service can start them."""
    named = " ".join(services)
    return f"#!/bin/bash\nset -eu\nsystemctl stop {named} || true\nsystemctl mask {named}\n"


def _script(scripts: NodeScriptsPlan, bundle_uri: str, region: str) -> tuple[str, str]:
    """Return the download script with its arguments written into it, because cloud-init does not pass any."""
    first, _, rest = fetch_script().partition("\n")
    return "text/x-shellscript", f"{first}\nset -- '{bundle_uri}' '{region}' '{scripts.entry}'\n{rest}"


def _mime(parts: Sequence[tuple[str, str]]) -> str:
    head = f'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="{_BOUNDARY}"\n\n'
    body = "".join(
        f'--{_BOUNDARY}\nContent-Type: {kind}; charset="us-ascii"\nMIME-Version: 1.0\n\n{text}\n'
        for kind, text in parts
    )
    return f"{head}{body}--{_BOUNDARY}--\n"
