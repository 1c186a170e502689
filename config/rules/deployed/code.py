"""Factories for the codes of this package: errors if a service rejects a resource, otherwise warnings."""

from __future__ import annotations

from functools import partial

from config.diagnostics import Severity, made_code

refused = partial(made_code, Severity.ERROR)
unwise = partial(made_code, Severity.WARNING)
