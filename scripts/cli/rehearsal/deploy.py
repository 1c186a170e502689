"""Deploy a profile and read back what was made."""

from __future__ import annotations

from config.design.report.deployment import deployment_report

from .progress import say
from .session import Options, deploy_stack, synthesized
from .summary import Summary, read_summary
from .target import target


def _forecast_s(options: Options) -> float | None:
    """What the plan says of a first deployment."""
    design = options.design()
    planned = deployment_report(design) if design else None
    return planned.total_s if planned else None


def deploy(options: Options) -> Summary:
    """Deploy; gives the summary of the stack."""
    with (
        synthesized(options, options.profile) as assembly,
        target(aws=options.aws, account=assembly.account) as place,
    ):
        deploy_stack(options, assembly, place)
        summary = read_summary(
            place,
            options.profile,
            assembly.stack_name,
            assembly.region,
            options.destroy_command(),
            forecast_s=_forecast_s(options),
        )
        if place.started:
            say("- this embedded cloud ends with the rehearsal; `ultracluster cloud` keeps one")
        return summary
