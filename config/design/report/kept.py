"""What stays of a profile when its stack is deleted, as a plan shows it."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.model import Design


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptReport:
    """Resources of one kind that stay: their names in the profile, where it has names for them."""

    what: str
    names: tuple[str, ...] = ()

    def as_text(self) -> str:
        """`network`, or `file systems lustre, cold and kept`."""
        *others, last = self.names or ("",)
        if not last:
            return self.what
        named = f"{', '.join(others)} and {last}" if others else last
        return f"{self.what} {named}"


def kept_of(design: Design) -> tuple[KeptReport, ...]:
    """What a delete leaves of the stack's own; nothing of a disposable profile."""
    if design.profile.disposable:
        return ()
    network, observability = design.profile.network, design.profile.observability
    found = [
        KeptReport(what="network") if network is not None and network.kind == "new" else None,
        *_storage(design),
        *_accounting(design),
        *_images(design),
        KeptReport(what="metrics") if observability and observability.prometheus else None,
        KeptReport(what="log of sessions") if _logs_sessions(design) else None,
    ]
    return tuple(kept for kept in found if kept)


def _logs_sessions(design: Design) -> bool:
    access = design.profile.access
    return bool(access and access.sessions and access.sessions.logs and design.profile.orchestrator)


def _storage(design: Design) -> tuple[KeptReport | None, ...]:
    made = [system for system in design.own_file_systems if system.existing is None]
    names = tuple(system.name for system in made)
    links = tuple(link.path for system in made for link in system.repositories if link.bucket is None)
    home = design.home if design.owns_home and design.home and design.home.existing is None else None
    keyed = [
        *(system.kind.kms_key and system.settings and not system.settings.key_arn for system in made),
        home is not None and not home.key_arn,
        bool(links),
    ]
    return (
        KeptReport(what="file system" if len(names) == 1 else "file systems", names=names) if names else None,
        KeptReport(what="home directories") if home else None,
        KeptReport(what="bucket of" if len(links) == 1 else "buckets of", names=links) if links else None,
        KeptReport(what="bucket of access logs") if links else None,
        KeptReport(what="directory bucket") if design.owns_express else None,
        KeptReport(what="key") if any(keyed) else None,
    )


def _images(design: Design) -> tuple[KeptReport | None, ...]:
    """Repositories of the stack, and those that ECR has made under its caches."""
    made = [one.name for one in design.images.repositories if one.made] if design.images else []
    cached = [f"{one.prefix}/" for one in design.images.caches if one.made] if design.images else []
    return (
        KeptReport(what="repository" if len(made) == 1 else "repositories", names=tuple(made))
        if made
        else None,
        KeptReport(what="cached images under", names=tuple(cached)) if cached else None,
    )


def _accounting(design: Design) -> tuple[KeptReport | None, ...]:
    """The database of HyperPod's Slurm and what opens it; PCS's own goes with its cluster."""
    plan = design.hyperpod.accounting if design.hyperpod else None
    if plan is None or plan.new is None:
        return ()
    return (
        KeptReport(what="accounting database", names=(plan.database,)),
        KeptReport(what="secret of the database"),
    )
