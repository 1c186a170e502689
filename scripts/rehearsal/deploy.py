"""Deploy a profile and read back what was made."""

from __future__ import annotations

from .progress import say
from .session import Options, deploy_stack, synthesized
from .summary import Summary, read_summary
from .target import target


def deploy(options: Options) -> Summary:
    """Deploy; gives the summary of the stack."""
    with (
        synthesized(options, options.profile) as assembly,
        target(aws=options.aws, account=assembly.account) as place,
    ):
        deploy_stack(options, assembly, place)
        summary = read_summary(
            place, options.profile, assembly.stack_name, assembly.region, options.destroy_command()
        )
        if place.started:
            say("- this embedded cloud ends with the rehearsal; `ultracluster cloud` keeps one")
        return summary
