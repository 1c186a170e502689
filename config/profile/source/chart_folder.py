"""A folder of vendored charts, looked at when the profile is read: which charts it has, in which version."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_VERSION = re.compile(r"^version:\s*[\"']?([^\s\"'#]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartFolder:
    """The versions of its charts by their names, or why it cannot be read; `path` is as the profile states it."""

    path: str
    folder: Path
    versions: Mapping[str, str] = field(default_factory=dict, hash=False)
    fault: str | None = None


def read_chart_folder(path: str, base: Path) -> ChartFolder:
    """Look at it; `base` is the folder of the profile which states it. Never raises for a user's mistake."""
    folder = (base / Path(path).expanduser()).absolute()
    try:
        if not folder.is_dir():
            return ChartFolder(path=path, folder=folder, fault="there is no such folder")
        texts = {file.parent.name: file.read_text("utf-8") for file in sorted(folder.glob("*/Chart.yaml"))}
    except UnicodeDecodeError:
        return ChartFolder(path=path, folder=folder, fault="a Chart.yaml in it is not UTF-8 text")
    except OSError as error:
        return ChartFolder(path=path, folder=folder, fault=(error.strerror or str(error)).lower())
    versions = {name: found[1] if (found := _VERSION.search(text)) else "" for name, text in texts.items()}
    return ChartFolder(path=path, folder=folder, versions=versions)
