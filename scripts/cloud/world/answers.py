"""What the process of the embedded cloud is asked and told of its world: over HTTP, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scripts.cloud.extensions.world import Files, world

Body = Mapping[str, Any]


def answer(name: str, body: Body) -> Any:
    """Answer one request; raises ValueError for what cannot be done."""
    return WORLD[name](body)


def _clock(body: Body) -> Any:
    """The time; `advance_s` lets some pass first."""
    return {"now": world().advance(float(body.get("advance_s", 0))).isoformat()}


def _jobs(body: Body) -> Any:
    """Submit a job where the body has one; tells all that run or wait."""
    here = world()
    if body:
        given = {**body, "nodes": tuple(body["nodes"])}
        here.submit(given.pop("cluster"), given.pop("name"), given.pop("nodes"), **given)
    here.settle()
    return [
        {"number": job.number, "cluster": job.cluster, "name": job.name, "running": job.is_running}
        for job in here.jobs
        if job.ended_at is None
    ]


def _files(body: Body) -> Any:
    """Let files be written, or set how fast they are exported; tells what is where."""
    here = world()
    if body:
        files = here.files.setdefault(body["file_system_id"], Files(seen_at=here.now()))
        files.per_s = float(body.get("per_s", files.per_s))
        files.stuck = str(body.get("stuck", files.stuck))
        files.failing = int(body.get("failing", files.failing))
        here.write(body["file_system_id"], int(body.get("write", 0)))
    here.settle()
    return {
        name: {
            "queued": round(one.queued),
            "unlinked": one.unlinked,
            "exported": round(one.exported),
            "lost": round(one.lost),
        }
        for name, one in here.files.items()
    }


def _kubernetes(body: Body) -> Any:
    """A request to the Kubernetes API of a cluster; `private` puts the API out of reach, or back."""
    # moto's backends and everything of clusters: only where somebody asks for them
    from .kubernetes import UnreachableError, api_of

    if "private" in body:
        (world().private.add if body["private"] else world().private.discard)(body["cluster"])
        return {}
    try:
        api = api_of(body["account"], body["region"], body["cluster"])
        status, told = api.answer(body["method"], body["path"], body.get("body"))
    except UnreachableError as error:
        return {"unreachable": str(error)}
    except KeyError:
        return {"unreachable": f"there is no cluster {body['cluster']}"}
    return {"status": status, "body": told}


WORLD: Mapping[str, Callable[[Body], Any]] = {
    "clock": _clock,
    "jobs": _jobs,
    "files": _files,
    "kubernetes": _kubernetes,
}
"""The requests, by name."""
