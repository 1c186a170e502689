"""What the commands of a cluster's life have in common: the profile, the place, and how they end."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from botocore.exceptions import BotoCoreError, ClientError

from config.cluster import load_cluster
from scripts.cli.output import write_diagnostics, write_json
from scripts.cli.rehearsal.errors import RehearsalError
from scripts.cloud import state

from .told import Teller
from .where import Where, where

INTERRUPTED = 130
_OR_AWS = "with `--aws` your account is meant"


def run_at(
    profile: str,
    orchestrator: str | None,
    do: Callable[[Where, Teller], None],
    *,
    aws: bool,
    as_json: bool,
    way_on: Callable[[Where, datetime], str],
    starts: bool = False,
) -> int:
    """Do something at the place of a profile; gives the exit status.

    `way_on` is what to type to go on after an interruption, by when it was begun. With `starts` an empty
    embedded cloud is started where none runs; without it that is refused. A profile with errors that it does
    not waive is refused, since nothing follows from it.
    """
    cluster = load_cluster(profile, orchestrator=orchestrator)
    if cluster.design is None:
        write_diagnostics(cluster.diagnostics, stderr=True)
        if as_json:
            write_json({"diagnostics": [one.as_dict() for one in cluster.diagnostics]})
        return cluster.exit_status
    tell = Teller(as_json=as_json)
    here: list[tuple[Where, datetime]] = []
    try:
        if not (aws or starts or state.read()):
            raise RehearsalError("no embedded cloud runs", 2, f"start one: `ultracluster cloud`; {_OR_AWS}")
        with where(cluster, aws=aws) as place:
            here.append((place, place.now()))
            do(place, tell)
    except RehearsalError as error:
        tell.tell("refused", error.told(), status=error.status)
        return error.status
    except (ClientError, BotoCoreError) as error:
        tell.tell("refused", f"AWS refuses: {error}", status=1)
        return 1
    except KeyboardInterrupt:
        go_on = f"; to go on:\n  {way_on(*here[0])}" if here else ""
        tell.tell("interrupted", f"\nstopped: what was done stays done{go_on}", status=INTERRUPTED)
        return INTERRUPTED
    return 0
