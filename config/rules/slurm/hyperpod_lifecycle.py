"""Rules for lifecycle scripts that HyperPod nodes run in addition to ultracluster's, or instead of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from config.design.model import Design
from config.design.network.closure import mentions
from config.design.slurm.without_scripts import missing_setup
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


def _extended_hint(design: Design) -> str:
    return "set `kind: extended`" if slurm_of(design) else "set `lifecycle: null`"


def _readable(design: Design) -> UserScript | None:
    script = design.user_script
    return script if script is not None and script.fault is None else None


@rule(
    "HYP020", ERROR, "nodes can run your lifecycle script",
    why="A script with Windows line endings or without an interpreter line (#!) fails on every node. If the controller fails, the "
    "creation of the whole cluster fails.",
    source=_API, reads="orchestrator", where="user-script",
)  # fmt: skip
def user_script_can_run(design: Design) -> Iterator[Finding]:
    """Check `lifecycle.script` and the content of its file."""
    script = design.user_script
    if script is None:
        return
    if script.fault is not None:
        yield Finding(
            at=_SCRIPT,
            message=f"the script {script.path} cannot be read: {script.fault}",
            hint="write the path of a file, relative to the folder of this profile",
        )
    elif script.text.startswith("\ufeff"):
        yield Finding(
            at=_SCRIPT,
            message=f"{script.path} starts with a byte order mark (BOM) instead of an interpreter line",
            hint=f"remove the BOM: `sed -i '1s/^\\xef\\xbb\\xbf//' {script.path}`",
        )
    elif "\0" in script.text:
        line = script.text[: script.text.index("\0")].count("\n") + 1
        yield Finding(
            at=_SCRIPT,
            message=f"line {line} of {script.path} contains a null byte, so the file is not text",
            hint="save the script as UTF-8 text",
        )
    elif "\r" in script.text:
        line = script.text[: script.text.index("\r")].count("\n") + 1
        yield Finding(
            at=_SCRIPT,
            message=f"line {line} of {script.path} has a Windows line ending",
            hint=f"convert the line endings: `sed -i 's/\\r$//' {script.path}`",
        )
    elif not script.text.startswith("#!/"):
        yield Finding(
            at=_SCRIPT,
            message=f"{script.path} does not start with an interpreter line",
            hint="write `#!/usr/bin/env bash` on the first line",
        )


@rule(
    "HYP021", ERROR, "your lifecycle script does not configure what HyperPod configures",
    why="HyperPod writes Slurm's topology. If a script writes a second topology, Slurm rejects jobs. HyperPod also rejects a "
    "cluster whose scripts use provisioning_parameters.json, because HyperPod's API replaces this file.",
    source=_REFERENCE, reads="orchestrator", where="user-script",
)  # fmt: skip
def user_script_does_not_configure_slurm(design: Design) -> Iterator[Finding]:
    """Check the user's script, without comments, for settings that HyperPod manages."""
    script = _readable(design)
    for number, line in enumerate(script.text.splitlines() if script else (), start=1):
        found = _OF_THE_SERVICE.search(line)
        if script and found and not line.lstrip().startswith("#"):
            yield Finding(
                at=_SCRIPT,
                message=f"line {number} of {script.path} uses {found[0]}, which HyperPod manages",
                hint="remove the line; set partitions in the profile, and let HyperPod write the topology",
            )
            return


@rule(
    "HYP022", WARNING, "your lifecycle script downloads only pinned versions",
    why="A node that is replaced months later runs the script again. By then, a download without a version may have changed or "
    "been deleted.",
    source=_FETCHED, reads="orchestrator network", where="user-script",
)  # fmt: skip
def user_script_pins_downloads(design: Design) -> Iterator[Finding]:
    """Report downloads without a pinned version in the user's script."""
    script = _readable(design)
    moving = [mention.name for mention in mentions(script.text) if mention.moving] if script else []
    if script and moving:
        yield Finding(
            at=_SCRIPT,
            message=f"{script.path} does not pin the versions of these downloads: {', '.join(moving)}",
            hint="write a version, a tag or a commit in the URL, or include the files in the script",
        )


@rule(
    "HYP023", WARNING, "if ultracluster's scripts do not run, another script does their work",
    why="ultracluster's scripts set up Lustre over EFA, further file systems, striping, containers on local disks and checks "
    "around jobs. If they do not run, your scripts must do these tasks. The throughput and the node repair in the plan depend on "
    "these tasks.",
    source=_API, reads="orchestrator storage", where="bootstrap customer-managed",
)  # fmt: skip
def setup_is_complete(design: Design) -> Iterator[Finding]:
    """Report the tasks that ultracluster's scripts would do, if the cluster does not run these scripts."""
    missing, lifecycle = missing_setup(design.profile), _lifecycle(design)
    if missing and lifecycle is not None:
        yield Finding(
            at=(*_LIFECYCLE, "kind"),
            message=f"with `kind: {lifecycle.kind}`, ultracluster does not do these tasks: {', '.join(missing)}",
            hint=f"{_extended_hint(design)}, or run the tasks that you need in your own scripts and waive this rule",
        )


@rule(
    "HYP024", NOTE, "nodes can read the bucket that contains your lifecycle scripts",
    why="The role of the nodes allows them to list and read the bucket, but the bucket policy can still deny access. HyperPod "
    "first reads the bucket when it creates the cluster.",
    source=_IAM, reads="orchestrator", where="customer-managed",
)  # fmt: skip
def scripts_bucket_is_readable(design: Design) -> Iterator[Finding]:
    """Report `source_s3_uri`; the bucket itself is not checked."""
    lifecycle = _lifecycle(design)
    if isinstance(lifecycle, CustomerManaged):
        bucket = lifecycle.source_s3_uri.removeprefix("s3://").partition("/")[0]
        yield Finding(
            at=(*_LIFECYCLE, "source_s3_uri"),
            message=f"ultracluster does not check the bucket {bucket}: nodes need `s3:ListBucket` on the bucket and `s3:GetObject` "
            "on its objects",
            hint="use a bucket in this account and a folder without provisioning_parameters.json; put changed scripts into a new "
            "folder, because an update with the same URI has no effect",
        )


@rule(
    "HYP025", WARNING, "ultracluster's lines in slurm.conf do not cause HyperPod to reject updates",
    why="HyperPod has no field for Prolog and Epilog, so ultracluster's scripts write these settings into slurm.conf on the "
    "controller. With `managed`, an update fails if slurm.conf differs from HyperPod's version. AWS does not document whether "
    "this applies to lines other than partitions and nodes.",
    source=_REFERENCE, reads="orchestrator", where="managed-strategy",
)  # fmt: skip
def updates_keep_slurm_conf(design: Design) -> Iterator[Finding]:
    """Report `slurm_config_strategy: managed` together with ultracluster's scripts."""
    slurm = slurm_of(design)
    if slurm and slurm.slurm_config_strategy == "managed" and isinstance(slurm.lifecycle, Extended):
        yield Finding(
            at=("orchestrator", "slurm_config_strategy"),
            message="with `slurm_config_strategy: managed`, updates may fail, because ultracluster writes Prolog and Epilog into "
            "slurm.conf",
            hint="set `slurm_config_strategy: merge`, the default",
        )
