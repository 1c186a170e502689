"""The database of Slurm's accounting: where it stands, how large it is, and that no other cluster has it."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.model import Design
from config.design.slurm.accounting import SHARED_NAMES, ZONES, database_subnets
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
    "HYP030", ERROR, "a new accounting database has subnets in two zones of the Region",
    why="RDS refuses a group of subnets in one zone, and Aurora stands in no Local Zone.",
    source=_SUBNETS, reads="orchestrator network data availability_zone availability_zone_id", where="accounting",
)  # fmt: skip
def database_has_two_zones(design: Design) -> Iterator[Finding]:
    """Zones of the private subnets."""
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
        message=f"the database needs private subnets in {ZONES} zones of {design.profile.region}, there are {found}",
        hint=f"add {ZONES - found} to `{key}`{where}",
    )


@rule(
    "HYP031", ERROR, "the capacity of an accounting database is one that Aurora takes",
    why="Aurora refuses a least capacity above the most, and anything between halves of a unit.",
    source=_CAPACITY, reads="orchestrator", where="accounting",
)  # fmt: skip
def capacity_is_in_order(design: Design) -> Iterator[Finding]:
    """min_acu and max_acu."""
    new = _accounting(design)
    if not isinstance(new, NewAccounting):
        return
    for key, acu in (("min_acu", new.min_acu), ("max_acu", new.max_acu)):
        if acu * 2 != int(acu * 2):
            yield Finding(
                at=(*_AT, key),
                message=f"{acu:g} units are no multiple of 0.5",
                hint=f"write {round(acu * 2) / 2:g}",
            )
    if new.min_acu > new.max_acu:
        yield Finding(
            at=(*_AT, "min_acu"),
            message=f"at least {new.min_acu:g} units, and at most {new.max_acu:g}",
            hint=f"write `min_acu: {new.max_acu:g}` or less",
        )


@rule(
    "HYP032", ERROR, "the secrets and keys of an accounting database are in the profile's Region",
    why="HyperPod reads the secret in the Region of the cluster.",
    source=_GUIDE, reads="orchestrator region", where="accounting",
)  # fmt: skip
def secrets_are_in_the_region(design: Design) -> Iterator[Finding]:
    """secret_arn, key_arn and secret_key_arn."""
    accounting = _accounting(design)
    for key in ("secret_arn", "secret_key_arn", "key_arn"):
        arn = getattr(accounting, key, None)
        if arn is not None and arn.split(":")[3] != design.profile.region:
            yield Finding(
                at=(*_AT, key),
                message=f"`{key}` is in {arn.split(':')[3]}, the profile in {design.profile.region}",
                hint=f"name one of {design.profile.region}",
            )


@rule(
    "HYP033", WARNING, "the database of a cluster's accounting is its own",
    why="A cluster that finds another's accounting in its database does not start: Slurm's controller is told the other's id.",
    source=_SHARED, reads="orchestrator", where="accounting",
)  # fmt: skip
def database_is_the_clusters_own(design: Design) -> Iterator[Finding]:
    """The name of an existing database."""
    existing = _accounting(design)
    if isinstance(existing, ExistingAccounting) and existing.database in SHARED_NAMES:
        own = design.hyperpod.cluster_name.replace("-", "_") if design.hyperpod else "mine"
        yield Finding(
            at=(*_AT, "database"),
            message=f"{existing.database} is what every cluster calls its database that says nothing else",
            hint=f"take `database` out: the name is then slurm_acct_db_{own}",
        )


@rule(
    "HYP034", NOTE, "the controller's image knows of accounting databases",
    why="Images up to 30 August 2026 keep accounting on the controller; and what is once outside stays outside.",
    source=_GUIDE, reads="orchestrator compute", where="accounting",
)  # fmt: skip
def image_knows_accounting(design: Design) -> Iterator[Finding]:
    """An image of one's own on the controller."""
    if _accounting(design) is None:
        return
    for at, group in design.placed_groups:
        if group.role == "controller" and group.ami_id is not None:
            yield Finding(
                at=(*at, "ami_id"),
                message=f"{group.ami_id} has to be made of a HyperPod image from after 30 August 2026",
                hint="make it of a newer one, or take `ami_id` out",
            )
