"""The one way in: from what the user typed to a design and every diagnostic about it."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from config.design.model import Design, design
from config.diagnostics import Diagnostic, format_path, has_errors, in_reading_order
from config.profile import codes
from config.profile.fault_words import shown
from config.profile.loader import UNAVAILABLE, Loaded, load
from config.profile.merge import Layered
from config.profile.model import Profile
from config.profile.shape import check_shape
from config.rules import judge, waived


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A profile as ultracluster understands it.

    `design` is None when the profile has errors that it does not waive; `planned` is there also where the
    only error is that this version does not build the control plane. `given` is what the user typed;
    `data_profile` the reference of the profile that this one attaches to, as it can be typed again.
    """

    given: str
    orchestrator: str | None
    design: Design | None
    planned: Design | None
    data_profile: str | None
    diagnostics: tuple[Diagnostic, ...]
    usable: bool

    @property
    def exit_status(self) -> int:
        """0 nothing wrong; 1 an error; 2 the profile was not found or could not be read."""
        if not self.usable:
            return 2
        return 1 if has_errors(self.diagnostics) else 0

    @property
    def destroy_command(self) -> str:
        """The command that takes this profile's stack down, as the user would type it.

        `cdk destroy` is refused by a stack with termination protection: teardown says what stays, asks for
        the stack's name and lifts it.
        """
        profile = shlex.quote(_from_here(self.given))
        if self.design is not None and self.design.profile.disposable:
            extra = f" --context orchestrator={self.orchestrator}" if self.orchestrator else ""
            return f"cdk destroy --context profile={profile}{extra}"
        extra = f" --orchestrator {self.orchestrator}" if self.orchestrator else ""
        return f"ultracluster teardown {profile} --aws{extra}"


def load_cluster(given: str | None, *, orchestrator: str | None = None, base: Path | None = None) -> Cluster:
    """Read, check and design the profile that the user names; never raises for a user's mistake.

    `orchestrator` tries the profile under another control plane; `base` is the folder that relative paths
    start from (default: the current one).
    """
    loaded = load(given, orchestrator=orchestrator, base=base)
    if not loaded.usable or not loaded.layered.data:
        return Cluster(
            given=given or "", orchestrator=orchestrator, design=None, planned=None, data_profile=None,
            diagnostics=tuple(in_reading_order(loaded.diagnostics)), usable=loaded.usable,
        )  # fmt: skip
    data, reference = _data_profile(loaded, base or Path.cwd())
    profile, unjudged = _judgeable(loaded)
    if profile and data and not profile.zone:  # it stands where its data is
        zones = {
            "availability_zone": data.availability_zone,
            "availability_zone_id": data.availability_zone_id,
        }
        profile = profile.model_copy(update=zones)
    designed = design(profile, data) if profile else None
    if designed:
        loaded.diagnostics += judge(designed, loaded.layered, unjudged)
        loaded.diagnostics = waived(designed.profile, loaded.diagnostics, loaded.layered, unjudged)
    diagnostics = tuple(in_reading_order(loaded.diagnostics))
    return Cluster(
        given=given or "",
        orchestrator=orchestrator,
        design=None if has_errors(diagnostics) else designed,
        planned=None if has_errors(d for d in diagnostics if d.code != UNAVAILABLE.code) else designed,
        data_profile=reference,
        diagnostics=diagnostics,
        usable=True,
    )


def _data_profile(loaded: Loaded, base: Path) -> tuple[Profile | None, str | None]:
    stated = loaded.layered.data.get("data")
    wanted = stated.get("profile") if isinstance(stated, dict) else None
    if not isinstance(wanted, str) or loaded.reference is None:
        return None, None
    place = loaded.layered.places[("data", "profile")]
    # a relative path starts from the file that states it, which `extends` may have found elsewhere
    data = load(wanted, base=loaded.files[place.file].parent)
    if data.profile is not None:
        data.diagnostics += judge(design(data.profile), data.layered)
        data.diagnostics = waived(data.profile, data.diagnostics, data.layered)
    first = next((d for d in data.diagnostics if d.stops), None)
    if first is not None:
        code = codes.DATA_PROFILE
        loaded.diagnostics.append(
            Diagnostic(
                code=code.code, severity=code.severity, path=format_path(("data", "profile")),
                message=f"the data profile {shown(wanted)} cannot be used: {first.message}",
                hint=first.hint, source=code.source, file=place.file, line=place.line,
            )
        )  # fmt: skip
        return None, None
    assert data.reference is not None
    return data.profile, wanted if data.reference.built_in else _from(base, data.reference.file)


def _from_here(given: str) -> str:
    """A path below the current folder as it is seen from there, else the file's name alone.

    It stands in the template, which must not depend on where on a machine a profile lies.
    """
    path = Path(os.path.normpath(Path.cwd() / Path(given).expanduser()))
    return path.relative_to(Path.cwd()).as_posix() if path.is_relative_to(Path.cwd()) else path.name


def _from(base: Path, file: Path) -> str:
    try:
        return str(file.relative_to(base.resolve()))
    except ValueError:
        return str(file)


def _judgeable(loaded: Loaded) -> tuple[Profile | None, set[str]]:
    """The profile with the parts of a wrong shape left out, and their names: the rest is still judged."""
    stated = loaded.layered.data
    unjudged: set[str] = set()
    if any(d.code == codes.DATA_PROFILE.code for d in loaded.diagnostics):
        unjudged.add("data")
    if loaded.base_missing:
        unjudged |= set(Profile.model_fields) - set(stated)
    if loaded.profile is not None:
        return loaded.profile, unjudged
    unjudged |= loaded.faulty
    data = {part: stated[part] for part in Profile.model_fields if part in stated and part not in unjudged}
    for part, stand_in in (("name", "unnamed"), ("region", "us-east-1")):
        if part not in data:
            unjudged.add(part)
            data[part] = stand_in
    profile, _ = check_shape(Layered(data, loaded.layered.places))
    return profile, unjudged
