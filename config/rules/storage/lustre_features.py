"""Rules for Lustre features that require or exclude each other, such as EFA and backups."""

from __future__ import annotations

from collections.abc import Iterator

from config.catalog import catalog
from config.design.model import Design
from config.design.storage.home import declared_home
from config.diagnostics import Path
from config.profile.storage.home import NewHome
from config.profile.storage.lustre import AnyLustre, NewLustre
from config.rules.parts import new_lustre
from config.rules.registry import ERROR, NOTE, WARNING, Finding, rule
from config.rules.storage.other_kinds import as_kind

_FSX = "https://docs.aws.amazon.com/fsx/latest/LustreGuide"
_CREATE = "https://docs.aws.amazon.com/fsx/latest/APIReference/API_CreateFileSystem.html"


@rule(
    "LUS010", ERROR, "a file system with EFA uses persistent-2 and Lustre 2.15",
    why="FSx rejects EFA on other deployment types and versions. EFA and a metadata configuration can be set only at creation "
    "(STORAGE-13, STORAGE-14).",
    source=f"{_FSX}/efa-file-systems.html", reads="storage", where="lustre-efa",
)  # fmt: skip
def efa_requirements_are_met(design: Design) -> Iterator[Finding]:
    """Check the deployment type and the version of file systems with EFA."""
    least = catalog().lustre.min_version_for_efa
    for at, lustre, kind in design.lustre_kinds:
        if not lustre.efa:
            continue
        if not kind.efa:
            yield Finding(
                at=(*at, "efa"),
                message=f"{kind.name} does not support EFA; only persistent-2 supports EFA",
                hint=f"set {as_kind(design, lustre, 'persistent-2')}, or {_without_efa(lustre)}",
            )
        elif lustre.version != least:
            yield Finding(
                at=(*at, "version"),
                message=f"EFA requires Lustre {least}, but `version` is {lustre.version}",
                hint=f'set `version: "{least}"`, or {_without_efa(lustre)}',
            )


def _without_efa(lustre: AnyLustre) -> str:
    return "`efa: false` and `gpudirect: false`" if lustre.gpudirect else "`efa: false`"


@rule(
    "LUS011", ERROR, "backups are off on a file system with data repository associations",
    why="FSx rejects backups of a file system that has data repository associations (STORAGE-09).",
    source=f"{_FSX}/using-backups-fsx.html", reads="storage", where="backups",
)  # fmt: skip
def linked_systems_have_no_backups(design: Design) -> Iterator[Finding]:
    """Check that file systems with data repositories have no backups."""
    for at, lustre in new_lustre(design):
        if lustre.backups and lustre.data_repositories:
            paths = ", ".join(link.path for link in lustre.data_repositories)
            yield Finding(
                at=(*at, "backups"),
                message=f"`backups` is not possible on a file system with data repositories ({paths})",
                hint="set `backups: null` and export the files to S3, or set `data_repositories: []`",
            )


@rule(
    "LUS015", ERROR, "the deployment type supports the Lustre version",
    why="Persistent-2 does not support Lustre 2.10. It supports Lustre 2.12 only without provisioned metadata IOPS. For other "
    "deployment types, FSx uses 2.10 by default (STORAGE-12).",
    source=_CREATE, reads="storage", where="lustre-2.12", ages="the Lustre versions that each deployment type supports",
)  # fmt: skip
def version_fits_the_kind(design: Design) -> Iterator[Finding]:
    """Check the version against the deployment type and the metadata IOPS."""
    for at, lustre, kind in design.lustre_kinds:
        if lustre.version not in kind.versions:
            yield Finding(
                at=(*at, "version"),
                message=f"{kind.name} does not support Lustre {lustre.version}",
                hint=f'set `version: "{kind.versions[-1]}"`',
            )
        elif kind.metadata and lustre.version == "2.12" and lustre.metadata_iops is not None:
            yield Finding(
                at=(*at, "version"),
                message=f"Lustre 2.12 does not support {lustre.metadata_iops} metadata IOPS",
                hint='set `version: "2.15"`, or `metadata_iops: null`',
            )


@rule(
    "LUS020", ERROR, "backups are off on a scratch file system",
    why="FSx supports backups only on persistent file systems.",
    source=f"{_FSX}/using-backups-fsx.html", reads="storage", where="backups",
)  # fmt: skip
def scratch_has_no_backups(design: Design) -> Iterator[Finding]:
    """Check that scratch file systems have no backups."""
    for at, lustre, kind in design.lustre_kinds:
        if isinstance(lustre, NewLustre) and lustre.backups and not kind.backups:
            yield Finding(
                at=(*at, "backups"),
                message=f"backups for {lustre.backups.retention_days} days are set, but {kind.name} does not support backups",
                hint=f"set `backups: null`, or {as_kind(design, lustre, 'persistent-2')}",
            )


@rule(
    "LUS021", ERROR, "a KMS key is set only on a persistent file system",
    why="FSx encrypts scratch file systems with a service-owned key and rejects a KMS key.",
    source=_CREATE, reads="storage", where="lustre-key",
)  # fmt: skip
def scratch_has_no_key(design: Design) -> Iterator[Finding]:
    """Check that scratch file systems have no KMS key."""
    for at, lustre, kind in design.lustre_kinds:
        if isinstance(lustre, NewLustre) and lustre.key_arn and not kind.kms_key:
            yield Finding(
                at=(*at, "key_arn"),
                message=f"{kind.name} does not support a KMS key",
                hint=f"set `key_arn: null`, or {as_kind(design, lustre, 'persistent-2')}",
            )


@rule(
    "LUS035", ERROR, "the KMS key of a file system is in the Region of the file system",
    why="FSx encrypts only with keys in the Region of the file system, and rejects other keys at creation.",
    source=_CREATE, reads="storage region", where="lustre-key home-key",
)  # fmt: skip
def keys_are_in_the_region(design: Design) -> Iterator[Finding]:
    """Check the Region in the key ARNs of Lustre file systems and home directories."""
    home = declared_home(design.profile)
    keys: list[tuple[Path, str | None]] = [(at, lustre.key_arn) for at, lustre in new_lustre(design)]
    keys += [(("storage", "home"), home.key_arn)] if isinstance(home, NewHome) else []
    for at, key in keys:
        region = key.split(":")[3] if key else design.profile.region
        if region != design.profile.region:
            yield Finding(
                at=(*at, "key_arn"),
                message=f"the key is in {region}, but the file system is in {design.profile.region}",
                hint=f"set `key_arn` to a key in {design.profile.region}, or remove `key_arn`: the stack then creates a key",
            )


@rule(
    "LUS026", ERROR, "GPUDirect Storage is used only with EFA",
    why="GPUDirect Storage requires EFA. Without EFA the setting has no effect.",
    source=f"{_FSX}/configure-efa-clients.html", reads="storage", where="gpudirect",
)  # fmt: skip
def gpudirect_requires_efa(design: Design) -> Iterator[Finding]:
    """Check that file systems with GPUDirect Storage have EFA."""
    for at, lustre in design.placed_lustre:
        if lustre.gpudirect and not lustre.efa:
            yield Finding(
                at=(*at, "gpudirect"),
                message="GPUDirect Storage is on, but the file system does not have EFA",
                hint="set `gpudirect: false`, or set `efa: true` (only possible when the file system is created)",
            )


@rule(
    "LUS027", WARNING, "GPUDirect Storage is used only if the instance types support it",
    why="AWS documents GPUDirect Storage for P5, P5e, P5en and P6-B200. Sources disagree about P6-B300. Other instance types do not support it.",
    source=f"{_FSX}/configure-efa-clients.html", reads="storage compute", where="gpudirect",
)  # fmt: skip
def instances_support_gpudirect(design: Design) -> Iterator[Finding]:
    """Check the instance types of compute groups."""
    facts = catalog().lustre
    types = sorted({g.instance_type.name for g in design.groups if g.role == "compute"})
    asked = [at for at, lustre in design.placed_lustre if lustre.gpudirect and lustre.efa]
    if not types or any(name in facts.gpudirect_types for name in types):
        return
    disputed = [name for name in types if name in facts.gpudirect_disputed_types]
    message = (
        f"AWS's pages disagree whether {', '.join(disputed)} supports it"
        if disputed
        else f"{', '.join(types)} does not support it"
    )
    for at in asked:
        yield Finding(
            at=(*at, "gpudirect"),
            message=f"GPUDirect Storage is on, but {message}",
            hint="set `gpudirect: false`; transfers then use a buffer in CPU memory",
        )


@rule(
    "LUS029", NOTE, "data on scratch file systems is not replicated",
    why="FSx does not replicate data on scratch file systems. If a server fails, its files are lost.",
    source=f"{_FSX}/using-fsx-lustre.html", reads="storage", where="scratch-2",
)  # fmt: skip
def scratch_data_is_not_replicated(design: Design) -> Iterator[Finding]:
    """Report scratch file systems with the directories that export to S3."""
    for at, lustre in new_lustre(design):
        if lustre.deployment == "scratch-2":
            exports = [link.path for link in lustre.data_repositories if link.export_events]
            but = f" (except files in {', '.join(exports)}, which are exported to S3)" if exports else ""
            yield Finding(
                at=(*at, "deployment"),
                message=f"files on scratch-2 are not replicated: if a server fails, its files are lost{but}",
                hint="store only data that you can recreate; store checkpoints on persistent-2",
            )
