"""Load the profile that a command's argument names, with its design and all diagnostics."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from config.design.build import design
from config.design.model import Design
from config.diagnostics import Diagnostic, format_path, has_errors, in_reading_order
from config.profile.environment import in_environment
from config.profile.kubernetes.base import Kubernetes
from config.profile.kubernetes.charts import VendoredCharts
from config.profile.model import Profile
from config.profile.orchestrator import HyperPodSlurm
from config.profile.slurm.hyperpod import Extended
from config.profile.source import codes
from config.profile.source.chart_folder import ChartFolder, read_chart_folder
from config.profile.source.fault_messages import shown
from config.profile.source.loader import Loaded, load
from config.profile.source.merge import Layered, without_keys
from config.profile.source.people_file import PeopleFile, read_people
from config.profile.source.reference import built_in_names
from config.profile.source.shape import check_shape
from config.profile.source.user_script import UserScript, read_user_script
from config.rules import judge, waived
from config.rules.registry import Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A loaded profile with its design and diagnostics.

    `design` is None if the profile has errors that are not waived. `argument` is the command's argument for
    the profile, and `data_profile` is the argument for the data profile.
    """

    argument: str
    orchestrator: str | None
    design: Design | None
    data_profile: str | None
    diagnostics: tuple[Diagnostic, ...]
    usable: bool

    @property
    def exit_status(self) -> int:
        """Exit status: 0 without errors, 1 with errors, 2 if the profile was not found or not read."""
        if not self.usable:
            return 2
        return 1 if has_errors(self.diagnostics) else 0

    @property
    def destroy_command(self) -> str:
        """The command that deletes this profile's stack.

        A stack with termination protection rejects `cdk destroy`. `ultracluster teardown` lists the retained
        resources, prompts for the stack's name and turns the protection off.
        """
        profile = shlex.quote(_from_here(self.argument))
        if self.design is not None and self.design.profile.disposable:
            extra = f" --context orchestrator={self.orchestrator}" if self.orchestrator else ""
            return f"cdk destroy --context profile={profile}{extra}"
        extra = f" --orchestrator {self.orchestrator}" if self.orchestrator else ""
        return f"ultracluster teardown {profile} --aws{extra}"


def load_cluster(
    argument: str | None,
    *,
    orchestrator: str | None = None,
    base: Path | None = None,
    further: tuple[Rule, ...] = (),
) -> Cluster:
    """Load, check and design a profile. A user's mistake does not raise an error.

    `orchestrator` replaces the control plane. `base` is the folder for relative paths (default: the current
    folder). `further` are additional rules of the command.
    """
    loaded = load(argument, orchestrator=orchestrator, base=base)
    if not loaded.usable or not loaded.layered.data:
        return Cluster(
            argument=argument or "", orchestrator=orchestrator, design=None, data_profile=None,
            diagnostics=tuple(in_reading_order(loaded.diagnostics)), usable=loaded.usable,
        )  # fmt: skip
    data, reference = _data_profile(loaded, base or Path.cwd())
    profile, unjudged = _judgeable(loaded)
    if profile and data and not profile.zone:  # a cluster is in the zone of its data profile
        zones = {
            "availability_zone": data.availability_zone,
            "availability_zone_id": data.availability_zone_id,
        }
        profile = profile.model_copy(update=zones)
    profile = in_environment(profile) if profile else None
    designed = (
        design(
            profile,
            data,
            _user_script(loaded, profile),
            _chart_folder(loaded, profile),
            _people_file(loaded, profile),
        )
        if profile
        else None
    )
    if designed:
        loaded.diagnostics += judge(designed, loaded.layered, unjudged, further)
        loaded.diagnostics = waived(designed.profile, loaded.diagnostics, loaded.layered, unjudged)
    diagnostics = tuple(in_reading_order(loaded.diagnostics))
    return Cluster(
        argument=argument or "",
        orchestrator=orchestrator,
        design=None if has_errors(diagnostics) else designed,
        data_profile=reference,
        diagnostics=diagnostics,
        usable=True,
    )


def _data_profile(loaded: Loaded, base: Path) -> tuple[Profile | None, str | None]:
    declared = loaded.layered.data.get("data")
    wanted = declared.get("profile") if isinstance(declared, dict) else None
    if not isinstance(wanted, str) or loaded.reference is None:
        return None, None
    place = loaded.layered.places[("data", "profile")]
    # the path is relative to the file with the key, which can be a base profile in another folder
    data = load(wanted, base=loaded.files[place.file].parent)
    if data.profile is not None:
        data.profile = in_environment(data.profile)  # the data profile has its own environment
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


def _user_script(loaded: Loaded, profile: Profile) -> UserScript | None:
    """Read the script of the profile; a path is relative to the file that contains it."""
    orchestrator = profile.orchestrator
    lifecycle = orchestrator.lifecycle if isinstance(orchestrator, HyperPodSlurm) else None
    if not isinstance(lifecycle, Extended) or lifecycle.script is None:
        return None
    return read_user_script(lifecycle.script, _folder(loaded, ("orchestrator", "lifecycle", "script")))


def _chart_folder(loaded: Loaded, profile: Profile) -> ChartFolder | None:
    orchestrator = profile.orchestrator
    wanted = orchestrator.charts if isinstance(orchestrator, Kubernetes) else None
    if not isinstance(wanted, VendoredCharts):
        return None
    return read_chart_folder(wanted.folder, _folder(loaded, ("orchestrator", "charts", "folder")))


def _people_file(loaded: Loaded, profile: Profile) -> PeopleFile | None:
    wanted = profile.access.users_file if profile.access else None
    return None if wanted is None else read_people(wanted, _folder(loaded, ("access", "users_file")))


def _folder(loaded: Loaded, key: tuple[str, ...]) -> Path:
    """Return the folder for a relative path in a key: the folder of the file that contains the key."""
    place = loaded.layered.place(key)
    file = loaded.files.get(place.file) if place else None
    return file.parent if file else Path.cwd()


def _from_here(argument: str) -> str:
    """Return a path relative to the current folder.

    The template contains this path. A relative path is the same on every computer. If the file and the
    current folder have only the root folder in common, the path is absolute.
    """
    if argument in built_in_names():
        return argument
    here, path = os.getcwd(), os.path.abspath(Path(argument).expanduser())
    shared = os.path.commonpath((here, path))
    return Path(path).as_posix() if shared == os.path.sep else Path(os.path.relpath(path, here)).as_posix()


def _from(base: Path, file: Path) -> str:
    try:
        return str(file.relative_to(base.resolve()))
    except ValueError:
        return str(file)


def _judgeable(loaded: Loaded) -> tuple[Profile | None, set[str]]:
    """Return the profile without parts that have wrong keys or values, and the names of these parts.

    If the only wrong keys of a part are in `Loaded.alone`, the part is kept without these keys.
    """
    mended = without_keys(loaded.layered, loaded.alone)
    declared = mended.data
    unjudged: set[str] = set()
    if any(d.code == codes.DATA_PROFILE.code for d in loaded.diagnostics):
        unjudged.add("data")
    if loaded.base_missing:
        unjudged |= set(Profile.model_fields) - set(declared)
    if loaded.profile is not None:
        return loaded.profile, unjudged
    unjudged |= loaded.faulty
    data = {
        part: declared[part] for part in Profile.model_fields if part in declared and part not in unjudged
    }
    for part, stand_in in (("name", "unnamed"), ("region", "us-east-1")):
        if part not in data:
            unjudged.add(part)
            data[part] = stand_in
    profile, faults = check_shape(Layered(data, mended.places))
    if profile is None and loaded.alone:  # a part is still wrong without these keys, so it is removed
        left = {str(path[0]) for path, _ in faults if path} & data.keys()
        unjudged |= left
        profile, _ = check_shape(Layered({key: data[key] for key in data if key not in left}, mended.places))
    return profile, unjudged
