"""Rules for the Slurm accounting database of HyperPod: subnets, capacity, Region and name."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.model import Design
from config.design.slurm.accounting import DEFAULT_NAMES, ZONES, database_subnets
from config.diagnostics import Path
from config.profile.network import ExistingNetwork
from config.profile.slurm.hyperpod import AnyAccounting, ExistingAccounting, NewAccounting
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule
from config.rules.slurm.hyperpod import slurm_of

_GUIDE = (
    "https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-external-accounting-db-slurm.html"
)
_SUBNETS = "https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBSubnetGroup.html"
_CAPACITY = (
    "https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ServerlessV2ScalingConfiguration.html"
)
_SHARED = "https://github.com/aws-samples/sample-physical-ai-scaffolding-kit/pull/17"
_AT: Path = ("orchestrator", "accounting")


def _accounting(design: Design) -> AnyAccounting | None:
    slurm = slurm_of(design)
    return slurm.accounting if slurm else None


@rule(
    "HYP030", ERROR, "a new accounting database has private subnets in two Availability Zones of the Region",
    why="Amazon RDS rejects a subnet group in one Availability Zone. Amazon Aurora is not available in Local Zones.",
    source=_SUBNETS, reads="orchestrator network data availability_zone availability_zone_id", where="accounting",
)  # fmt: skip
def database_has_two_zones(design: Design) -> Iterator[Finding]:
    """Check the number of Availability Zones of the private subnets that the database can use."""
    if not isinstance(_accounting(design), NewAccounting) or design.network is None:
        return
    found = len(database_subnets(design.network))
    if found >= ZONES:
        return
    home = design.profile.network or (design.data_profile.network if design.data_profile else None)
    where = "" if design.profile.network else " of the data profile"
    key = "network.subnets" if isinstance(home, ExistingNetwork) else "network.secondary_zones"
    yield Finding(
        at=_AT,
        message=f"the database needs private subnets in {ZONES} zones of {design.profile.region}, but the network has private "
        f"subnets in only {found} {'zone' if found == 1 else 'zones'}",
        hint=f"add {ZONES - found} more {'zone' if ZONES - found == 1 else 'zones'} to `{key}`{where}",
    )


@rule(
    "HYP031", ERROR, "Aurora accepts the capacity of the accounting database",
    why="Aurora rejects a minimum above the maximum, and any value that is not a multiple of 0.5 Aurora capacity units (ACU).",
    source=_CAPACITY, reads="orchestrator", where="accounting",
)  # fmt: skip
def database_capacity_is_valid(design: Design) -> Iterator[Finding]:
    """Check `min_acu` and `max_acu` of the database."""
    new = _accounting(design)
    if not isinstance(new, NewAccounting):
        return
    for key, acu in (("min_acu", new.min_acu), ("max_acu", new.max_acu)):
        if acu * 2 != int(acu * 2):
            yield Finding(
                at=(*_AT, key),
                message=f"{acu:g} ACU is not a multiple of 0.5",
                hint=f"set `{key}: {round(acu * 2) / 2:g}`",
            )
    if new.min_acu > new.max_acu:
        yield Finding(
            at=(*_AT, "min_acu"),
            message=f"`min_acu` is {new.min_acu:g}, but `max_acu` is {new.max_acu:g}",
            hint=f"set `min_acu: {new.max_acu:g}` or less",
        )


@rule(
    "HYP032", ERROR, "the secrets and keys of the accounting database are in the profile's Region",
    why="HyperPod reads the secret in the Region of the cluster.",
    source=_GUIDE, reads="orchestrator region", where="accounting",
)  # fmt: skip
def secrets_are_in_the_region(design: Design) -> Iterator[Finding]:
    """Check the Region of `secret_arn`, `key_arn` and `secret_key_arn`."""
    accounting = _accounting(design)
    for key in ("secret_arn", "secret_key_arn", "key_arn"):
        arn = getattr(accounting, key, None)
        if arn is not None and arn.split(":")[3] != design.profile.region:
            yield Finding(
                at=(*_AT, key),
                message=f"`{key}` is in {arn.split(':')[3]}, but the profile is in {design.profile.region}",
                hint=f"write an ARN in {design.profile.region}",
            )


@rule(
    "HYP033", WARNING, "each cluster has its own accounting database",
    why="If the database contains the accounting of another cluster, Slurm's controller finds the id of that cluster, and the "
    "cluster does not start.",
    source=_SHARED, reads="orchestrator", where="accounting",
)  # fmt: skip
def database_is_the_clusters_own(design: Design) -> Iterator[Finding]:
    """Check the name of an existing database."""
    existing = _accounting(design)
    if isinstance(existing, ExistingAccounting) and existing.database in DEFAULT_NAMES:
        own = design.hyperpod.cluster_name.replace("-", "_") if design.hyperpod else "mine"
        yield Finding(
            at=(*_AT, "database"),
            message=f"{existing.database} is the default name, so another cluster may use the same database",
            hint=f"remove `database`; the default for this cluster is slurm_acct_db_{own}",
        )


@rule(
    "HYP034", NOTE, "the controller's image supports an accounting database",
    why="Images up to 30 August 2026 support only a database on the controller. An external database cannot be moved back to the "
    "controller.",
    source=_GUIDE, reads="orchestrator compute", where="accounting",
)  # fmt: skip
def image_supports_accounting(design: Design) -> Iterator[Finding]:
    """Report a custom image of the controller."""
    if _accounting(design) is None:
        return
    for at, group in design.placed_groups:
        if group.role == "controller" and group.ami_id is not None:
            yield Finding(
                at=(*at, "ami_id"),
                message=f"accounting requires a HyperPod image that is newer than 30 August 2026, but the age of {group.ami_id} is not known",
                hint=f"check the image from which {group.ami_id} was built, and build it again if necessary; or remove `ami_id`",
            )
