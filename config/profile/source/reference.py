"""References to profiles: built-in names and files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

BUILT_IN_FOLDER = Path(__file__).resolve().parents[3] / "config" / "profiles"
_SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to a profile by a built-in name or a file."""

    name: str
    file: Path
    built_in: bool

    @property
    def shown(self) -> str:
        """The file path in messages; a built-in profile's path starts at the project's root folder."""
        if self.built_in:
            return f"config/profiles/{self.file.name}"
        return self.name


def built_in_names() -> list[str]:
    """Return the names of the built-in profiles, sorted."""
    return sorted(file.stem for file in BUILT_IN_FOLDER.glob("*.yaml"))


def find(name: str, base: Path) -> Reference | None:
    """Return the profile with this name or file, relative to the folder `base`; None if it does not exist."""
    if name in built_in_names():
        return Reference(name, BUILT_IN_FOLDER / f"{name}.yaml", built_in=True)
    try:
        file = (base / Path(name).expanduser()).resolve()
        found = file.exists() and (Path(name).suffix in _SUFFIXES or "/" in name)
    except (
        OSError,
        RuntimeError,
        ValueError,
    ):  # too long, a loop of symbolic links, an unknown home, a NUL character
        return None
    return Reference(name, file, built_in=False) if found else None


def is_file(name: str, base: Path) -> bool:
    """Return True if a file with this name exists, even if it is not a profile."""
    try:
        return (base / Path(name).expanduser()).is_file()
    except (OSError, RuntimeError, ValueError):
        return False


def nearest(value: str, known: list[str], count: int = 3) -> list[str]:
    """Return the known names that are similar to a name, the best first, then those that contain it."""
    from difflib import get_close_matches  # imported only for an error

    word = value.lower()[:64]
    close = get_close_matches(word, known, n=count, cutoff=0.5)
    contains = [name for name in known if word and (word in name or name in word) and name not in close]
    return (close + contains)[:count]
