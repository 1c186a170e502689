"""Error responses of the emulated Grafana."""

from __future__ import annotations


class SiteError(Exception):
    """An error response of Grafana."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


def bad_request(message: str) -> SiteError:
    """Return the error for an invalid body."""
    return SiteError(400, message)


def not_found(what: str) -> SiteError:
    """Return the error for an object that does not exist."""
    return SiteError(404, f"{what} not found")
