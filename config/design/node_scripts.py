"""The files that HyperPod runs on its nodes, under one content hash."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from config.design.names import fingerprint
from config.design.storage import LustrePlan

_FOLDER = Path(__file__).resolve().parents[2] / "scripts" / "node" / "hyperpod-slurm"
ENTRY = "on_init_complete.sh"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeScriptsPlan:
    """The bundle by file name, the file that runs first, and the hash that its prefix carries.

    HyperPod fetches a prefix, not a version: a changed script under the same prefix changes nothing, so the
    prefix names the content.
    """

    files: Mapping[str, str] = field(hash=False)
    entry: str
    content_hash: str


def plan_node_scripts(lustre: LustrePlan | None, local_nvme_raid: int | None) -> NodeScriptsPlan:
    """The bundle for a HyperPod Slurm cluster."""
    files = {
        ENTRY: (_FOLDER / ENTRY).read_text(encoding="utf-8"),
        "settings.env": _settings(lustre, local_nvme_raid),
    }
    return NodeScriptsPlan(files=files, entry=ENTRY, content_hash=fingerprint(files, 16))


def _settings(lustre: LustrePlan | None, local_nvme_raid: int | None) -> str:
    mount = lustre.mount_path if lustre else ""
    striped = (
        [f"{mount}{repository.path}" for repository in lustre.repositories if repository.export_events]
        if lustre
        else []
    )
    values = {
        "LOCAL_NVME_RAID": "" if local_nvme_raid is None else str(local_nvme_raid),
        "LUSTRE_MOUNT_PATH": mount,
        "LUSTRE_STRIPED_PATHS": " ".join(striped),
    }
    return "".join(f"{name}='{value}'\n" for name, value in values.items())
