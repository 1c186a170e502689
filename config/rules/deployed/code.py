"""How the codes of this package are made: what a service refuses is an error, what it takes a warning."""

from __future__ import annotations

from functools import partial

from config.diagnostics import Severity, made_code

refused = partial(made_code, Severity.ERROR)
unwise = partial(made_code, Severity.WARNING)
