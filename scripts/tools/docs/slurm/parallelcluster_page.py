"""reference/parallelcluster.md: a ParallelCluster file from a profile, and what is translated to what."""

from __future__ import annotations

from config.design.report.parallelcluster.limits import VERSION
from config.design.report.parallelcluster.table import TRANSLATIONS
from config.rules.codes import OF_PARALLELCLUSTER
from scripts.tools.docs.markdown import page, table
from scripts.tools.docs.rules.rules_page import link

_INTRO = f"""\
`ultracluster pcluster PROFILE --output cluster-config.yaml` writes an AWS ParallelCluster {VERSION}
configuration of the same cluster; `pcluster create-cluster --cluster-name NAME --cluster-configuration
cluster-config.yaml` deploys it. The profile is one of Slurm: its control plane is hyperpod-slurm or
pcs, or `--orchestrator pcs` reads it so. What ultracluster runs on the nodes of HyperPod and PCS
(checks, enroot, striping) is not in the file."""

_IDS = """\
ParallelCluster makes no network, and only simple file systems. What it does not make is named by its
id: one that the profile states, one that the command line gives, or a placeholder with `replaceme` in
it (zeros for a volume). Standard error says of each placeholder what it stands for and which command of
the AWS CLI finds the id; the first lines of the file repeat what it is. The ways to a network and file
systems that exist:

- a data profile (`p6-b200-data` is one) is deployed, and the cluster's profile says `data: {profile:
  ...}`;
- the profile itself is deployed without its machines (`compute: null`, `orchestrator: null`);
- they are yours: `network: {kind: existing, ...}`, `storage.lustre: {kind: existing, ...}`.

File systems that others made let nodes in through a security group: `--security-group` gives every node
that group beside ParallelCluster's own. Our networks have one for it."""

_OPTIONS = (
    ("`--output FILE`", "the file; without it, standard output"),
    (
        "`--subnet [NAME=]ID ...`",
        "subnets; without NAME: `primary`, where the nodes stand. Others are `secondary-ZONE`",
    ),
    (
        "`--file-system [NAME=]ID ...`",
        "Lustre file systems that ParallelCluster does not make; without NAME: `lustre`",
    ),
    ("`--home-volume ID`", "the volume of the home directories (OpenZFS)"),
    ("`--security-group ID`", "the group of the nodes that those file systems let in"),
    ("`--ami ID`", "the image of all nodes, built by `pcluster build-image`"),
    (
        "`--actions s3://BUCKET/PREFIX`",
        "where you put `scripts/node/parallelcluster/job_hooks.sh`, for a Prolog or Epilog",
    ),
    ("`--orchestrator pcs`", "read the profile as one of plain Slurm"),
    ("`--json`", "configuration, ids to fill in and diagnostics as one JSON value"),
)

_CHECKED = f"""\
Tests put the file of every built-in profile that can have one, and those of many others, to aws-
parallelcluster {VERSION} itself: its schema and its validators find no error. Three validators warn,
and the file stays as it is: no placement group is ever added, there is no key pair, and a group may
have no EFA."""


def parallelcluster_page() -> str:
    """The page: how to use the command, the table, and what is refused."""
    return page(
        "AWS ParallelCluster",
        _INTRO,
        table(("option", "meaning"), _OPTIONS),
        "## Ids of what exists",
        _IDS,
        "## What becomes what",
        table(
            ("profile", "ParallelCluster", "how"),
            (
                ("-" if row.ours == "-" else f"`{row.ours}`", f"`{row.theirs}`", row.how)
                for row in TRANSLATIONS
            ),
        ),
        "## What a file cannot express",
        "Every problem is told at once, with its place and what to write instead; an error writes no file.",
        table(
            ("code", "severity", "what must hold"),
            (
                (
                    link(rule.code.code),
                    rule.code.severity.value,
                    rule.code.holds,
                )
                for rule in OF_PARALLELCLUSTER
            ),
        ),
        "## How it is checked",
        _CHECKED,
    )
