"""Shared steps of deploy, diff and destroy: synthesis and deployment."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from botocore.exceptions import ClientError

from config.cluster import load_cluster
from config.design.model import Design
from config.profile.deployment import DEFAULT_QUALIFIER

from .assembly import Assembly, read_assembly
from .existing import create_existing
from .failed import explained_failure
from .paths import clear_left_paths
from .progress import say, step
from .remaining_report import report_remaining
from .required import required_profiles
from .target import Target, synth_environment
from .toolkit import ROOT, Toolkit

_NEVER_MADE = ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "REVIEW_IN_PROGRESS")


@dataclass(frozen=True, kw_only=True)
class Options:
    """Options of a rehearsal. `app` is the folder of the CDK app; `rollback` undoes a failed deployment."""

    profile: str
    orchestrator: str | None = None
    aws: bool = False
    rollback: bool = True
    app: Path = ROOT

    def context(self, profile: str) -> dict[str, str]:
        """Return the CDK context that selects a profile."""
        extra = {"orchestrator": self.orchestrator} if self.orchestrator and profile == self.profile else {}
        return {"profile": profile, **extra}

    def design(self) -> Design | None:
        """Return the design of the profile; None for another app."""
        if self.app != ROOT:
            return None
        return load_cluster(self.profile, orchestrator=self.orchestrator).design

    def destroy_command(self) -> str:
        """Return the command that removes the deployment."""
        arguments = ["make", "destroy", f"PROFILE={shlex.quote(self.profile)}"]
        if self.orchestrator:
            arguments.append(f"ORCHESTRATOR={self.orchestrator}")
        return " ".join([*arguments, "AWS=1"] if self.aws else arguments)


@contextmanager
def synthesized(options: Options, profile: str) -> Iterator[Assembly]:
    """Yield the assembly of a profile in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="ultracluster-") as folder:
        output = Path(folder) / "cdk.out"
        with step(f"synthesize {profile}"):
            Toolkit(options.app, synth_environment(aws=options.aws)).synth(options.context(profile), output)
        yield read_assembly(output)


def deploy_stack(options: Options, assembly: Assembly, target: Target) -> None:
    """Deploy the stacks that an assembly depends on, then the assembly; bootstrap the Region if necessary."""
    for other in required_profiles(options.profile):
        create_existing(other, None, target)
        with synthesized(options, other) as needed:
            report_remaining(needed, target, replace(options, profile=other, orchestrator=None).design())
            _deploy_one(options, needed, target)
    create_existing(options.profile, options.orchestrator, target)
    report_remaining(assembly, target, options.design())
    _deploy_one(options, assembly, target)


def _deploy_one(options: Options, assembly: Assembly, target: Target) -> None:
    toolkit = Toolkit(options.app, target.environment)
    own = f" with the qualifier {assembly.qualifier}" if assembly.qualifier != DEFAULT_QUALIFIER else ""
    if target.is_bootstrapped(assembly.region, assembly.qualifier):
        say(f"- {target.account} is bootstrapped in {assembly.region}{own}")
    else:
        with step(f"bootstrap aws://{target.account}/{assembly.region}{own}"):
            toolkit.bootstrap(target.account, assembly.region, assembly.folder, assembly.qualifier)
    clear_failed_creation(assembly, target)
    clear_left_paths(assembly, target)
    with step(f"deploy {assembly.stack_name}"), explained_failure(target, assembly, "the deployment failed"):
        toolkit.deploy(assembly.folder, rollback=options.rollback)


def clear_failed_creation(assembly: Assembly, target: Target) -> None:
    """Remove the protection of a stack whose creation was rolled back, so that the CDK CLI can delete it."""
    cloudformation = target.client("cloudformation", assembly.region)
    try:
        (stack,) = cloudformation.describe_stacks(StackName=assembly.stack_name)["Stacks"]
    except ClientError:
        return  # no such stack: the usual case
    if stack["StackStatus"] in _NEVER_MADE and stack.get("EnableTerminationProtection"):
        say(f"- the creation of {assembly.stack_name} failed earlier, so the remaining stack is replaced")
        cloudformation.update_termination_protection(
            StackName=assembly.stack_name, EnableTerminationProtection=False
        )
