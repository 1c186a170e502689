"""The `ultracluster pcluster` command."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from config.cluster import load_cluster
from config.design.model import Design
from config.design.names import is_bucket_name
from config.design.report.parallelcluster import KnownIds, UnknownId, Written, configuration, subnet_names
from config.design.report.parallelcluster.limits import VERSION
from config.design.storage.lustre import MAIN
from config.design.zones import PRIMARY
from config.diagnostics import Diagnostic, HintedError, in_one_line
from config.rules.codes import OF_PARALLELCLUSTER
from scripts.cli.output import line, refuse, write_diagnostics, write_json

_ID = re.compile(r"(subnet|fs|fsvol|sg|ami)-([0-9a-f]{8}|[0-9a-f]{17})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Arguments of the command line."""

    orchestrator: str | None = None
    output: str | None = None
    as_json: bool = False
    subnets: Sequence[str] = ()
    file_systems: Sequence[str] = ()
    home_volume: str | None = None
    security_group: str | None = None
    image: str | None = None
    actions: str | None = None


class WrongOptionError(HintedError):
    """An invalid option; `hint` is the correction."""


def write_pcluster(profile: str, options: Options) -> int:
    """Write the ParallelCluster file of a profile, and list its placeholders on standard error."""
    cluster = load_cluster(profile, orchestrator=options.orchestrator, further=OF_PARALLELCLUSTER)
    diagnostics, status = cluster.diagnostics, cluster.exit_status
    written = None
    if status == 0 and cluster.design is not None:
        try:
            written = configuration(cluster.design, _known_ids(cluster.design, options))
            if options.output:
                Path(options.output).write_text(text(written, profile), encoding="utf-8", newline="\n")
        except WrongOptionError as error:
            return refuse(str(error), error.hint, as_json=options.as_json)
        except OSError as error:
            why = (error.strerror or str(error)).lower()
            message = f"cannot write {options.output}: {why}"
            return refuse(
                message, "use a file in a folder that exists and is writable", as_json=options.as_json
            )
    if options.as_json:
        _write_json(written, diagnostics)
    else:
        _write(written, profile, options.output, diagnostics)
    return status


def text(written: Written, profile: str) -> str:
    """Return the file: a comment for each placeholder, then the YAML for ParallelCluster."""
    name = in_one_line(Path(profile).name)
    head = [
        f"# AWS ParallelCluster {VERSION}, created from the profile {name} by `ultracluster pcluster`",
        *(f"# replace {one.placeholder}: {one.what}" for one in written.unknown),
    ]
    body = yaml.safe_dump(
        json.loads(json.dumps(written.configuration)), sort_keys=False, width=100, allow_unicode=True
    )
    return "\n".join(head) + "\n" + body


def _write(
    written: Written | None, profile: str, output: str | None, diagnostics: Sequence[Diagnostic]
) -> None:
    write_diagnostics(diagnostics, stderr=True)
    if written is None:
        return
    for one in written.unknown:
        _print_unknown(one)
    if output:
        line(f"wrote {output}", stderr=True)
    else:
        print(text(written, profile), end="")


def _print_unknown(unknown: UnknownId) -> None:
    line(f"replace {unknown.placeholder}: {unknown.what}", stderr=True)
    line(f"set the ID with `{unknown.option}`; find the ID with: {unknown.find}", indent=2, stderr=True)


def _write_json(written: Written | None, diagnostics: Sequence[Diagnostic]) -> None:
    write_json(
        {
            "configuration": written.configuration if written else None,
            "to_fill_in": [one.as_dict() for one in written.unknown] if written else [],
            "diagnostics": [diagnostic.as_dict() for diagnostic in diagnostics],
        }
    )


def _known_ids(design: Design, options: Options) -> KnownIds:
    systems = tuple(system.name for system in design.file_systems)
    return KnownIds(
        subnets=_named(options.subnets, "--subnet", "subnet", subnet_names(design), PRIMARY),
        file_systems=_named(options.file_systems, "--file-system", "fs", systems, MAIN),
        home_volume=_id(options.home_volume, "--home-volume", "fsvol"),
        security_group=_id(options.security_group, "--security-group", "sg"),
        image=_id(options.image, "--ami", "ami"),
        actions=_folder(options.actions),
    )


def _named(
    typed: Sequence[str], option: str, kind: str, names: Sequence[str], default: str
) -> Mapping[str, str]:
    """Return IDs by name from texts `NAME=ID`; an ID without a name is the ID of the main resource."""
    found: dict[str, str] = {}
    for word in typed:
        name, _, identity = word.rpartition("=")
        name = name or default
        if name not in names:
            known = f"use one of {', '.join(names)}" if names else f"remove {option}"
            raise WrongOptionError(
                f"{option} {word}: the cluster has no resource with the name {name}", known
            )
        if name in found:
            raise WrongOptionError(
                f"{option} sets {name} twice", f"write NAME=ID for each of {', '.join(names)}"
            )
        found[name] = _id(identity, option, kind) or ""
    return found


def _id(typed: str | None, option: str, kind: str) -> str | None:
    match = _ID.fullmatch(typed) if typed is not None else None
    if typed is not None and (match is None or match[1] != kind):
        raise WrongOptionError(
            f"{option} {typed}: not a valid ID", f"use an ID such as {kind}-0123456789abcdef0"
        )
    return typed


def _folder(typed: str | None) -> str | None:
    bucket = typed.removeprefix("s3://").partition("/")[0] if typed is not None else ""
    if typed is not None and not (typed.startswith("s3://") and is_bucket_name(bucket)):
        raise WrongOptionError(f"--actions {typed}: not a folder in S3", "use the form s3://BUCKET/PREFIX")
    return typed
