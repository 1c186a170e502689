"""A folder of vendored Helm charts; their versions are read when the profile is loaded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

_VERSION = re.compile(r"^version:\s*[\"']?([^\s\"'#]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartFolder:
    """Chart versions by name, or why the folder cannot be read; `path` is written as in the profile."""

    path: str
    folder: Path
    versions: Mapping[str, str] = field(default_factory=dict, hash=False)
    fault: str | None = None


def read_chart_folder(path: str, base: Path) -> ChartFolder:
    """Read the folder; `base` is the folder of the profile. A user's mistake does not raise an error."""
    folder = (base / Path(path).expanduser()).absolute()
    try:
        if not folder.is_dir():
            return ChartFolder(path=path, folder=folder, fault="the folder does not exist")
        texts = {file.parent.name: file.read_text("utf-8") for file in sorted(folder.glob("*/Chart.yaml"))}
    except UnicodeDecodeError:
        return ChartFolder(path=path, folder=folder, fault="it contains a Chart.yaml that is not UTF-8 text")
    except OSError as error:
        return ChartFolder(path=path, folder=folder, fault=(error.strerror or str(error)).lower())
    versions = {name: found[1] if (found := _VERSION.search(text)) else "" for name, text in texts.items()}
    return ChartFolder(path=path, folder=folder, versions=versions)
