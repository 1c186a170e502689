"""The error of the commands that connect."""

from config.diagnostics import HintedError


class ConnectError(HintedError):
    """What is wrong, and what to do; the command ends with status 2."""
