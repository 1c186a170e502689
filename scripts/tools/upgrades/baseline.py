"""A baseline: the stacks of one release, each with its template and assets."""

from __future__ import annotations

import base64
import io
import json
import lzma
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "tests" / "tools" / "upgrades" / "baselines"
SUFFIX = ".json.xz"

Content = str | Mapping[str, Any] | None
"""A file's text or binary data (`{"base64": ...}`), or a folder's files by path; None if it is too large."""


@dataclass(frozen=True, kw_only=True)
class FrozenStack:
    """One stack of a release. `orchestrator` is None if the profile sets the control plane."""

    profile: str
    orchestrator: str | None
    name: str
    region: str
    template: Mapping[str, Any]
    assets: Mapping[str, Any]
    files: Mapping[str, Content]

    @property
    def title(self) -> str:
        """The profile, and the control plane if it differs from the profile's default: `p5 eks`."""
        return f"{self.profile} {self.orchestrator}" if self.orchestrator else self.profile

    def write(self, folder: Path) -> None:
        """Write the template and its assets to a folder, as a deployment reads them."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.name}.template.json").write_text(json.dumps(self.template), encoding="utf-8")
        for entry in self.assets["files"].values():
            source = entry["source"]["path"]
            if source in self.files:
                _write(folder / source, self.files[source])
        listed = {
            key: entry for key, entry in self.assets["files"].items() if entry["source"]["path"] in self.files
        }
        (folder / f"{self.name}.assets.json").write_text(json.dumps({"files": listed}), encoding="utf-8")


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """All stacks of the built-in profiles of a release."""

    release: str
    commit: str
    stacks: tuple[FrozenStack, ...]

    def stack(self, profile: str, orchestrator: str | None = None) -> FrozenStack | None:
        """Return the stack of a profile under a control plane; None if the release has none."""
        found = (s for s in self.stacks if (s.profile, s.orchestrator) == (profile, orchestrator))
        return next(found, None)


def releases(folder: Path = FOLDER) -> list[str]:
    """Return the names of the releases with a baseline."""
    return sorted(file.name.removesuffix(SUFFIX) for file in folder.glob(f"*{SUFFIX}"))


@lru_cache(maxsize=4)
def read_baseline(release: str, folder: Path = FOLDER) -> Baseline:
    """Read the baseline of a release."""
    data = json.loads(lzma.decompress((folder / f"{release}{SUFFIX}").read_bytes()))
    files: list[Content] = data["files"]
    return Baseline(
        release=release,
        commit=data["commit"],
        stacks=tuple(
            FrozenStack(
                profile=stack["profile"],
                orchestrator=stack["orchestrator"],
                name=stack["name"],
                region=stack["region"],
                template=stack["template"],
                assets=stack["assets"],
                files={path: files[number] for path, number in stack["files"].items()},
            )
            for stack in data["stacks"]
        ),
    )


def write_baseline(baseline: Baseline, folder: Path = FOLDER) -> Path:
    """Write a baseline as one archive, where equal files occur once. Equal stacks result in equal bytes."""
    numbers: dict[str, int] = {}
    files: list[Content] = []
    stacks = []
    for stack in baseline.stacks:
        numbered: dict[str, int] = {}
        for path, content in sorted(stack.files.items()):
            key = json.dumps(content, sort_keys=True)
            if key not in numbers:
                numbers[key] = len(files)
                files.append(content)
            numbered[path] = numbers[key]
        stacks.append(
            {
                "profile": stack.profile, "orchestrator": stack.orchestrator, "name": stack.name,
                "region": stack.region, "template": stack.template, "assets": stack.assets, "files": numbered,
            }
        )  # fmt: skip
    data = {"commit": baseline.commit, "files": files, "stacks": stacks}
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{baseline.release}{SUFFIX}"
    target.write_bytes(lzma.compress(text.encode(), preset=9))
    return target


def content_of(path: Path, most: int = 1_000_000) -> Content:
    """Return the content of an asset; None if a file has `most` bytes or more (third-party code)."""
    if path.is_dir():
        return {
            name.relative_to(path).as_posix(): content_of(name, most)
            for name in sorted(path.rglob("*"))
            if name.is_file()
        }
    data = path.read_bytes()
    if len(data) >= most:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def _write(path: Path, content: Content) -> None:
    if content is None:
        empty = io.BytesIO()
        zipfile.ZipFile(empty, "w").close()
        _put(path, empty.getvalue())
    elif isinstance(content, str):
        _put(path, content.encode())
    elif set(content) == {"base64"}:
        _put(path, base64.b64decode(content["base64"]))
    else:
        for name, held in content.items():
            _write(path / name, held)


def _put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
