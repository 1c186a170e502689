"""Common steps of the lifecycle commands: profile, target and exit status."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from botocore.exceptions import BotoCoreError, ClientError

from config.cluster import load_cluster
from scripts.cli.output import write_diagnostics, write_json
from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cloud import state

from .reporter import Reporter
from .where import Where, where

INTERRUPTED = 130
_OR_AWS = "or use your account with `--aws`"


def run_at(
    profile: str,
    orchestrator: str | None,
    do: Callable[[Where, Reporter], None],
    *,
    aws: bool,
    as_json: bool,
    way_on: Callable[[Where, datetime], str],
    starts: bool = False,
) -> int:
    """Run a function on the target of a profile; returns the exit status.

    After an interruption, `way_on` receives the start time and returns the command that continues. If no
    embedded cloud runs, `starts` starts one; without `starts`, the command fails. The command also fails if
    the profile has errors.
    """
    cluster = load_cluster(profile, orchestrator=orchestrator)
    if cluster.design is None:
        write_diagnostics(cluster.diagnostics, stderr=True)
        if as_json:
            write_json({"diagnostics": [one.as_dict() for one in cluster.diagnostics]})
        return cluster.exit_status
    reporter = Reporter(as_json=as_json)
    here: list[tuple[Where, datetime]] = []
    try:
        if not (aws or starts or state.read()):
            raise RehearsalError(
                "the embedded cloud does not run", 2, f"start it with `ultracluster cloud`, {_OR_AWS}"
            )
        with where(cluster, aws=aws) as place:
            here.append((place, place.now()))
            do(place, reporter)
    except RehearsalError as error:
        reporter.report("refused", error.with_hint(), status=error.status)
        return error.status
    except (ClientError, BotoCoreError) as error:
        reporter.report("refused", f"AWS returns an error: {error}", status=1)
        return 1
    except KeyboardInterrupt:
        go_on = f"; to continue:\n  {way_on(*here[0])}" if here else ""
        reporter.report(
            "interrupted", f"\nstopped: completed steps are not undone{go_on}", status=INTERRUPTED
        )
        return INTERRUPTED
    return 0
