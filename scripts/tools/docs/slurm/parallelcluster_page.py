"""Page docs/reference/parallelcluster.md: the ParallelCluster configuration of a profile."""

from __future__ import annotations

from config.design.report.parallelcluster.limits import VERSION
from config.design.report.parallelcluster.table import TRANSLATIONS
from config.rules.codes import OF_PARALLELCLUSTER
from scripts.tools.docs.markdown import page, table
from scripts.tools.docs.rules.rules_page import link

_INTRO = f"""\
`ultracluster pcluster PROFILE --output cluster-config.yaml` writes an AWS ParallelCluster {VERSION}
configuration of the cluster in a profile. Deploy it with `pcluster create-cluster --cluster-name NAME
--cluster-configuration cluster-config.yaml`. The control plane of the profile must be hyperpod-slurm or
pcs. `--orchestrator pcs` reads other profiles as Slurm profiles. The configuration does not contain the
scripts that ultracluster runs on HyperPod and PCS nodes (checks, enroot, striping)."""

_IDS = """\
ParallelCluster does not create networks, and creates only simple file systems. The configuration refers
to other resources by their id. An id is from the profile or from the command line, or is a placeholder
with `replaceme` in it (zeros for a volume). For each placeholder, the command prints on standard error
the resource, and the AWS CLI command that finds the id. The first lines of the file list the
placeholders.

You can create a network and file systems in one of these ways:

- You deploy a data profile, for example `p6-b200-data`. The cluster's profile sets `data: {profile: ...}`.
- You deploy the profile without its instances (`compute: null`, `orchestrator: null`).
- You use your own: `network: {kind: existing, ...}`, `storage.lustre: {kind: existing, ...}`.

Existing file systems allow access from a security group. `--security-group` adds this group to every
node, in addition to ParallelCluster's own group. A network that ultracluster creates has this group."""

_OPTIONS = (
    ("`--output FILE`", "the configuration file; default: standard output"),
    (
        "`--subnet [NAME=]ID ...`",
        "subnets; the default NAME is `primary`, the subnet of the nodes. Other names are `secondary-ZONE`",
    ),
    (
        "`--file-system [NAME=]ID ...`",
        "Lustre file systems that ParallelCluster does not create; the default NAME is `lustre`",
    ),
    ("`--home-volume ID`", "the OpenZFS volume of the home directories"),
    ("`--security-group ID`", "a security group that these file systems allow; added to the nodes"),
    ("`--ami ID`", "the image of all nodes, built by `pcluster build-image`"),
    (
        "`--actions s3://BUCKET/PREFIX`",
        "your S3 folder with `scripts/node/parallelcluster/job_hooks.sh`, for a Prolog or Epilog",
    ),
    ("`--orchestrator pcs`", "read the profile as a plain Slurm profile"),
    ("`--json`", "print the configuration, the missing ids and the diagnostics as one JSON value"),
)

_CHECKED = f"""\
Tests validate the configurations of all built-in Slurm profiles, and of many other profiles, with the
schema and the validators of aws-parallelcluster {VERSION}. They report no errors. Three validators warn, and
ultracluster does not change the configuration for them: it does not add placement groups, it sets no key
pair, and a group may have no EFA."""


def parallelcluster_page() -> str:
    """Return the page: the command, the translation of keys, and unsupported profiles."""
    return page(
        "AWS ParallelCluster",
        _INTRO,
        table(("option", "meaning"), _OPTIONS),
        "## IDs of existing resources",
        _IDS,
        "## Translation of keys",
        table(
            ("profile", "ParallelCluster", "value"),
            (
                (
                    "-" if row.profile_key == "-" else f"`{row.profile_key}`",
                    f"`{row.configuration_key}`",
                    row.how,
                )
                for row in TRANSLATIONS
            ),
        ),
        "## Unsupported profiles",
        "The command reports all problems, each with its key and a hint. It writes no file after an error.",
        table(
            ("code", "severity", "requirement"),
            (
                (
                    link(rule.code.code),
                    rule.code.severity.value,
                    rule.code.holds,
                )
                for rule in OF_PARALLELCLUSTER
            ),
        ),
        "## Tests",
        _CHECKED,
    )
