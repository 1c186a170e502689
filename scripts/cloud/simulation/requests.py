"""HTTP requests to the simulation of the embedded cloud, and the responses as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scripts.cloud.extensions.simulation import Files, simulation

Body = Mapping[str, Any]


def answer(name: str, body: Body) -> Any:
    """Return the response to one request; raises ValueError if the simulation cannot do it."""
    return REQUESTS[name](body)


def _clock(body: Body) -> Any:
    """Advance the clock by `advance_s`, and return the time."""
    return {"now": simulation().advance(float(body.get("advance_s", 0))).isoformat()}


def _jobs(body: Body) -> Any:
    """Submit a job if the body contains one; returns all running and waiting jobs."""
    here = simulation()
    if body:
        request = {**body, "nodes": tuple(body["nodes"])}
        here.submit(request.pop("cluster"), request.pop("name"), request.pop("nodes"), **request)
    here.settle()
    return [
        {"number": job.number, "cluster": job.cluster, "name": job.name, "running": job.is_running}
        for job in here.jobs
        if job.ended_at is None
    ]


def _files(body: Body) -> Any:
    """Write files, or set the export rate; returns the state of all files."""
    here = simulation()
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
    """Send a request to a cluster's Kubernetes API, or set with `private` whether this API is unreachable."""
    # imported only if required: moto's backends and all cluster code
    from .kubernetes import UnreachableError, api_of

    if "private" in body:
        (simulation().private.add if body["private"] else simulation().private.discard)(body["cluster"])
        return {}
    try:
        api = api_of(body["account"], body["region"], body["cluster"])
        status, content = api.answer(body["method"], body["path"], body.get("body"))
    except UnreachableError as error:
        return {"unreachable": str(error)}
    except KeyError:
        return {"unreachable": f"the cluster {body['cluster']} does not exist"}
    return {"status": status, "body": content}


REQUESTS: Mapping[str, Callable[[Body], Any]] = {
    "clock": _clock,
    "jobs": _jobs,
    "files": _files,
    "kubernetes": _kubernetes,
}
"""The requests by name."""
