"""Scripts that nodes of HyperPod run beside ours, or in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from config.design.model import Design
from config.design.network.closure import mentions
from config.design.slurm.without_scripts import left_undone
from config.diagnostics import Path
from config.profile.slurm.hyperpod import AnyLifecycle, CustomerManaged, Extended
from config.profile.source.user_script import UserScript
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule
from config.rules.slurm.hyperpod import hyperpod_of, slurm_of

_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterLifeCycleConfig.html"
_IAM = "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites-iam.html"
_REFERENCE = "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html"
_FETCHED = "https://github.com/awslabs/awsome-distributed-ai/issues/186"
_LIFECYCLE: Path = ("orchestrator", "lifecycle")
_SCRIPT: Path = (*_LIFECYCLE, "script")
_OF_THE_SERVICE = re.compile(r"TopologyPlugin|topology\.(?:conf|yaml)|provisioning_parameters\.json")


def _lifecycle(design: Design) -> AnyLifecycle | None:
    hyperpod = hyperpod_of(design)
    return hyperpod.lifecycle if hyperpod else None


def _ours(design: Design) -> str:
    return "write `kind: extended`" if slurm_of(design) else "write `lifecycle: null`"


def _readable(design: Design) -> UserScript | None:
    script = design.user_script
    return script if script is not None and script.fault is None else None


@rule(
    "HYP020", ERROR, "a script of one's own is a file that a node can run",
    why="A script with Windows line ends or without a first line that names its program fails on every node, and a "
    "controller that stays out fails the whole cluster.",
    source=_API, reads="orchestrator", where="user-script",
)  # fmt: skip
def own_script_can_run(design: Design) -> Iterator[Finding]:
    """lifecycle.script as it was read."""
    script = design.user_script
    if script is None:
        return
    if script.fault is not None:
        yield Finding(
            at=_SCRIPT,
            message=f"the script {script.path} cannot be read: {script.fault}",
            hint="name a file by its path, as seen from this profile's folder",
        )
    elif script.text.startswith("\ufeff"):
        yield Finding(
            at=_SCRIPT,
            message=f"{script.path} begins with a byte order mark (BOM), and not with the program that runs it",
            hint=f"take it out: `sed -i '1s/^\\xef\\xbb\\xbf//' {script.path}`",
        )
    elif "\0" in script.text:
        line = script.text[: script.text.index("\0")].count("\n") + 1
        yield Finding(
            at=_SCRIPT,
            message=f"line {line} of {script.path} has a null byte: it is no text",
            hint="save it as UTF-8 text",
        )
    elif "\r" in script.text:
        line = script.text[: script.text.index("\r")].count("\n") + 1
        yield Finding(
            at=_SCRIPT,
            message=f"line {line} of {script.path} ends as on Windows",
            hint=f"convert it: `sed -i 's/\\r$//' {script.path}`",
        )
    elif not script.text.startswith("#!/"):
        yield Finding(
            at=_SCRIPT,
            message=f"{script.path} does not begin with the program that runs it",
            hint="write `#!/usr/bin/env bash` in its first line",
        )


@rule(
    "HYP021", ERROR, "a script of one's own leaves to HyperPod what HyperPod configures",
    why="HyperPod writes Slurm's topology itself: a second one had jobs refused. And it refuses a cluster whose scripts "
    "go by provisioning_parameters.json, which its API takes the place of.",
    source=_REFERENCE, reads="orchestrator", where="user-script",
)  # fmt: skip
def own_script_leaves_slurm_alone(design: Design) -> Iterator[Finding]:
    """Words of the script that stand in no comment."""
    script = _readable(design)
    for number, line in enumerate(script.text.splitlines() if script else (), start=1):
        found = _OF_THE_SERVICE.search(line)
        if script and found and not line.lstrip().startswith("#"):
            yield Finding(
                at=_SCRIPT,
                message=f"line {number} of {script.path} is about {found[0]}, which is HyperPod's",
                hint="take the line out: partitions stand in the profile, topology HyperPod writes by itself",
            )
            return


@rule(
    "HYP022", WARNING, "a script of one's own fetches what is the same tomorrow",
    why="A node that is replaced months later runs the script again: what it fetches has changed by then, or is gone.",
    source=_FETCHED, reads="orchestrator network", where="user-script",
)  # fmt: skip
def own_script_fetches_what_stays(design: Design) -> Iterator[Finding]:
    """What the script fetches from elsewhere."""
    script = _readable(design)
    moving = [mention.name for mention in mentions(script.text) if mention.moving] if script else []
    if script and moving:
        yield Finding(
            at=_SCRIPT,
            message=f"{script.path} fetches {', '.join(moving)} as of the day it runs",
            hint="pin a version, a tag or a commit, or put the files beside the script's text",
        )


@rule(
    "HYP023", WARNING, "what ultracluster's scripts do is done by somebody",
    why="Lustre over EFA, further file systems, striping, containers on local disks and the checks around jobs are the "
    "work of scripts; without ours it is left to yours, and so are the speeds and the repair that count on them.",
    source=_API, reads="orchestrator storage", where="bootstrap customer-managed",
)  # fmt: skip
def work_of_scripts_is_done(design: Design) -> Iterator[Finding]:
    """Everything that our scripts would do, in a cluster that runs none of them."""
    left, lifecycle = left_undone(design.profile), _lifecycle(design)
    if left and lifecycle is not None:
        yield Finding(
            at=(*_LIFECYCLE, "kind"),
            message=f"with {lifecycle.kind}, nothing of ours does: {'; '.join(left)}",
            hint=f"{_ours(design)}, or do yourself what you need of it and waive this",
        )


@rule(
    "HYP024", NOTE, "a bucket with scripts of one's own lets nodes read it",
    why="The role of the nodes may list and read it; what the bucket itself refuses it does not get, and HyperPod looks "
    "into it first when the cluster is made.",
    source=_IAM, reads="orchestrator", where="customer-managed",
)  # fmt: skip
def own_bucket_is_told_of(design: Design) -> Iterator[Finding]:
    """The bucket, of which nothing is looked up."""
    lifecycle = _lifecycle(design)
    if isinstance(lifecycle, CustomerManaged):
        bucket = lifecycle.source_s3_uri.removeprefix("s3://").partition("/")[0]
        yield Finding(
            at=(*_LIFECYCLE, "source_s3_uri"),
            message=f"nothing is known of {bucket}: nodes need `s3:ListBucket` on it and `s3:GetObject` on its objects",
            hint="have it in this account, and in its folder no provisioning_parameters.json; name another folder for "
            "other scripts, since the same one changes nothing",
        )


@rule(
    "HYP025", WARNING, "updates are not refused for what ultracluster's scripts write",
    why="HyperPod has no field for Prolog and Epilog, so its controller writes them into slurm.conf. Under managed an "
    "update fails where that file differs from what HyperPod expects; AWS names partitions and nodes there, and does not "
    "say that other lines may differ.",
    source=_REFERENCE, reads="orchestrator", where="managed-strategy",
)  # fmt: skip
def updates_let_our_lines_be(design: Design) -> Iterator[Finding]:
    """slurm_config_strategy: managed beside scripts of ours."""
    slurm = slurm_of(design)
    if slurm and slurm.slurm_config_strategy == "managed" and isinstance(slurm.lifecycle, Extended):
        yield Finding(
            at=("orchestrator", "slurm_config_strategy"),
            message="managed may take Prolog and Epilog, which ultracluster writes into slurm.conf, for changes by hand",
            hint="write `slurm_config_strategy: merge`, the default",
        )
