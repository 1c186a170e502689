"""Deploy a profile and summarize the result."""

from __future__ import annotations

from config.design.report.deployment import deployment_report

from .progress import say
from .session import Options, deploy_stack, synthesized
from .summary import Summary, read_summary
from .target import target


def _forecast_s(options: Options) -> float | None:
    """Return the plan's duration of a first deployment; None if there is no forecast."""
    design = options.design()
    planned = deployment_report(design) if design else None
    return planned.total_s if planned else None


def deploy(options: Options) -> Summary:
    """Deploy the profile, and return a summary of its stack."""
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
            say("- this embedded cloud stops now; `ultracluster cloud` runs one permanently")
        return summary
