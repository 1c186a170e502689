"""Error of `ultracluster connect`."""

from config.diagnostics import HintedError


class ConnectError(HintedError):
    """An error with a hint; the command exits with status 2."""
