"""Compare a profile with what is deployed."""

from __future__ import annotations

from .progress import say
from .session import Options, synthesized
from .target import target
from .toolkit import Toolkit


def diff(options: Options) -> None:
    """Show the differences; without a running cloud, against an empty one."""
    with (
        synthesized(options, options.profile) as assembly,
        target(aws=options.aws, account=assembly.account) as place,
    ):
        if place.started:
            say("- no embedded cloud is running: everything will show as new")
        toolkit = Toolkit(options.app, place.environment)
        if not place.is_bootstrapped(assembly.region, assembly.qualifier) and place.started:
            toolkit.bootstrap(place.account, assembly.region, assembly.folder, assembly.qualifier)
        toolkit.diff(assembly.folder)
