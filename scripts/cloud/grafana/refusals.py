"""How Grafana refuses a request."""

from __future__ import annotations


class SiteError(Exception):
    """A request that Grafana answers with an error."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


def bad(message: str) -> SiteError:
    """A body that Grafana, or we instead of it, refuses."""
    return SiteError(400, message)


def missing(what: str) -> SiteError:
    """Something that is not there."""
    return SiteError(404, f"{what} not found")
