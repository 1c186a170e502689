"""Compare a profile with the deployed stack."""

from __future__ import annotations

from .progress import say
from .session import Options, synthesized
from .target import target
from .toolkit import Toolkit


def diff(options: Options) -> None:
    """Print the differences. If no embedded cloud runs, a new one is started; all resources are then new."""
    with (
        synthesized(options, options.profile) as assembly,
        target(aws=options.aws, account=assembly.account) as place,
    ):
        if place.started:
            say("- the embedded cloud does not run: all resources are shown as new")
        toolkit = Toolkit(options.app, place.environment)
        if not place.is_bootstrapped(assembly.region, assembly.qualifier) and place.started:
            toolkit.bootstrap(place.account, assembly.region, assembly.folder, assembly.qualifier)
        toolkit.diff(assembly.folder)
