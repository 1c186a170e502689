"""A user script, read with the profile and added to the node scripts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class UserScript:
    """The text of a script, or the reason why it cannot be read. `path` is the path in the profile."""

    path: str
    text: str = ""
    fault: str | None = None


def read_user_script(path: str, folder: Path) -> UserScript:
    """Read a script; `folder` is the folder of the profile. A user's mistake does not raise an error."""
    file = folder / Path(path).expanduser()
    try:
        if file.is_dir():
            return UserScript(path=path, fault="it is a folder")
        if not file.is_file():
            return UserScript(path=path, fault="the file does not exist")
        content = file.read_bytes()
        if len(content) > _MAX_BYTES:
            return UserScript(path=path, fault=f"it is larger than {_MAX_BYTES:,} bytes")
        return UserScript(path=path, text=content.decode("utf-8"))
    except UnicodeDecodeError:
        return UserScript(path=path, fault="it is not UTF-8 text")
    except OSError as error:
        return UserScript(path=path, fault=(error.strerror or str(error)).lower())
