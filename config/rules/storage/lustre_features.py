"""What goes with what on one Lustre file system: EFA, versions, links, backups, keys, GPUDirect."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.model import Design
from config.design.storage.home import stated_home
from config.diagnostics import Path
from config.profile.storage.home import NewHome
from config.profile.storage.lustre import AnyLustre, NewLustre
from config.rules.parts import new_lustre
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule
from config.rules.storage.other_kinds import as_kind

_FSX = "https://docs.aws.amazon.com/fsx/latest/LustreGuide"
_CREATE = "https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html"


@rule(
    "LUS010", ERROR, "a file system with EFA is a persistent-2 one with a metadata configuration, Lustre 2.15",
    why="FSx refuses EFA on any other file system, and neither can be added later (STORAGE-13, STORAGE-14).",
    source=f"{_FSX}/efa-file-systems.html", reads="storage", where="lustre-efa",
)  # fmt: skip
def efa_has_what_it_stands_on(design: Design) -> Iterator[Finding]:
    """The kind and the version of a file system with EFA; the metadata configuration always comes along."""
    least = catalog().lustre.min_version_for_efa
    for at, lustre, kind in design.lustre_kinds:
        if not lustre.efa:
            continue
        if not kind.efa:
            yield Finding(
                at=(*at, "efa"),
                message=f"EFA on {kind.name}, only persistent-2 has it",
                hint=f"write {as_kind(design, lustre, 'persistent-2')}, or {_without_efa(lustre)}",
            )
        elif lustre.version != least:
            yield Finding(
                at=(*at, "version"),
                message=f"EFA on Lustre {lustre.version}, it wants {least}",
                hint=f'write `version: "{least}"`, or {_without_efa(lustre)}',
            )


def _without_efa(lustre: AnyLustre) -> str:
    return "`efa: false` and `gpudirect: false`" if lustre.gpudirect else "`efa: false`"


@rule(
    "LUS011", ERROR, "a file system with data repository associations takes no backups",
    why="FSx refuses backups of a file system that is linked to S3 (STORAGE-09).",
    source=f"{_FSX}/using-backups-fsx.html", reads="storage", where="backups",
)  # fmt: skip
def linked_systems_take_no_backups(design: Design) -> Iterator[Finding]:
    """Backups beside links."""
    for at, lustre in new_lustre(design):
        if lustre.backups and lustre.data_repositories:
            paths = ", ".join(link.path for link in lustre.data_repositories)
            yield Finding(
                at=(*at, "backups"),
                message=f"backups beside data repositories ({paths})",
                hint="write `backups: null` and export to S3, or `data_repositories: []`",
            )


@rule(
    "LUS015", ERROR, "a file system runs a Lustre version that its deployment type takes",
    why="Persistent-2 takes no 2.10, and no 2.12 beside a metadata configuration; 2.10 is still the default elsewhere "
    "(STORAGE-12).",
    source=_CREATE, reads="storage", where="lustre-2.12", ages="the Lustre versions that each deployment type takes",
)  # fmt: skip
def version_fits_the_kind(design: Design) -> Iterator[Finding]:
    """The version against the kind, and against metadata IOPS."""
    for at, lustre, kind in design.lustre_kinds:
        if lustre.version not in kind.versions:
            yield Finding(
                at=(*at, "version"),
                message=f"Lustre {lustre.version} on {kind.name}",
                hint=f'write `version: "{kind.versions[-1]}"`',
            )
        elif kind.metadata and lustre.version == "2.12" and lustre.metadata_iops is not None:
            yield Finding(
                at=(*at, "version"),
                message=f"Lustre 2.12 beside {lustre.metadata_iops} metadata IOPS",
                hint='write `version: "2.15"`, or `metadata_iops: null`',
            )


@rule(
    "LUS020", ERROR, "a scratch file system takes no backups",
    why="FSx makes backups of persistent file systems alone.",
    source=f"{_FSX}/using-backups-fsx.html", reads="storage", where="backups",
)  # fmt: skip
def scratch_takes_no_backups(design: Design) -> Iterator[Finding]:
    """Backups of scratch."""
    for at, lustre, kind in design.lustre_kinds:
        if isinstance(lustre, NewLustre) and lustre.backups and not kind.backups:
            yield Finding(
                at=(*at, "backups"),
                message=f"backups for {lustre.backups.retention_days} days on {kind.name}",
                hint=f"write `backups: null`, or {as_kind(design, lustre, 'persistent-2')}",
            )


@rule(
    "LUS021", ERROR, "a KMS key is stated for a persistent file system alone",
    why="FSx encrypts scratch file systems with a key of its own and refuses another.",
    source=_CREATE, reads="storage", where="lustre-key",
)  # fmt: skip
def scratch_takes_no_key(design: Design) -> Iterator[Finding]:
    """The key of scratch."""
    for at, lustre, kind in design.lustre_kinds:
        if isinstance(lustre, NewLustre) and lustre.key_arn and not kind.kms_key:
            yield Finding(
                at=(*at, "key_arn"),
                message=f"a KMS key on {kind.name}",
                hint=f"write `key_arn: null`, or {as_kind(design, lustre, 'persistent-2')}",
            )


@rule(
    "LUS035", ERROR, "the KMS key of a file system is in its Region",
    why="FSx encrypts with keys of its own Region: the creation fails on any other one.",
    source=_CREATE, reads="storage region", where="lustre-key home-key",
)  # fmt: skip
def keys_are_in_the_region(design: Design) -> Iterator[Finding]:
    """The Region in the ARN of a key, of Lustre and of home directories."""
    home = stated_home(design.profile)
    keys: list[tuple[Path, str | None]] = [(at, lustre.key_arn) for at, lustre in new_lustre(design)]
    keys += [(("storage", "home"), home.key_arn)] if isinstance(home, NewHome) else []
    for at, key in keys:
        region = key.split(":")[3] if key else design.profile.region
        if region != design.profile.region:
            yield Finding(
                at=(*at, "key_arn"),
                message=f"the key is in {region}, the file system in {design.profile.region}",
                hint=f"name a key of {design.profile.region}, or take the key out for one of the stack's own",
            )


@rule(
    "LUS026", ERROR, "GPUDirect Storage goes over EFA",
    why="GPUs read and write a file system by themselves only through EFA; without it the setting does nothing.",
    source=f"{_FSX}/configure-efa-clients.html", reads="storage", where="gpudirect",
)  # fmt: skip
def gpudirect_goes_over_efa(design: Design) -> Iterator[Finding]:
    """EFA beside GPUDirect."""
    for at, lustre in design.placed_lustre:
        if lustre.gpudirect and not lustre.efa:
            yield Finding(
                at=(*at, "gpudirect"),
                message="GPUDirect Storage on a file system without EFA",
                hint="write `efa: true`, which is fixed at creation, or `gpudirect: false`",
            )


@rule(
    "LUS027", WARNING, "GPUDirect Storage is asked for where machines can do it",
    why="AWS lists P5, P5e, P5en and P6-B200; on P6-B300 sources disagree, and other types do without.",
    source=f"{_FSX}/configure-efa-clients.html", reads="storage compute", where="gpudirect",
)  # fmt: skip
def machines_can_do_gpudirect(design: Design) -> Iterator[Finding]:
    """The types of compute groups."""
    facts = catalog().lustre
    types = sorted({g.instance_type.name for g in design.groups if g.role == "compute"})
    asked = [at for at, lustre in design.placed_lustre if lustre.gpudirect and lustre.efa]
    if not types or any(name in facts.gpudirect_types for name in types):
        return
    disputed = [name for name in types if name in facts.gpudirect_disputed_types]
    told = f"sources disagree whether {', '.join(disputed)} can" if disputed else f"{', '.join(types)} cannot"
    for at in asked:
        yield Finding(
            at=(*at, "gpudirect"),
            message=f"GPUDirect Storage for machines where {told}",
            hint="write `gpudirect: false`; data then goes through the memory of the CPU",
        )


@rule(
    "LUS029", NOTE, "what stands on scratch can be lost",
    why="Scratch file systems do not replicate: files of a server that fails are gone.",
    source=f"{_FSX}/using-fsx-lustre.html", reads="storage", where="scratch-2",
)  # fmt: skip
def scratch_is_known_to_be_scratch(design: Design) -> Iterator[Finding]:
    """Scratch file systems whose files do not all go to S3."""
    for at, lustre in new_lustre(design):
        if lustre.deployment == "scratch-2":
            exports = [link.path for link in lustre.data_repositories if link.export_events]
            but = f" but {', '.join(exports)}, which exports to S3," if exports else ""
            yield Finding(
                at=(*at, "deployment"),
                message=f"files on scratch-2 are not replicated: what is there{but} goes with a server that fails",
                hint="keep what can be made again there; checkpoints belong on persistent-2",
            )
