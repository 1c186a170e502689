"""Resources that are retained when a stack is deleted, as a plan shows them."""

from __future__ import annotations

from dataclasses import dataclass

from config.design.model import Design


@dataclass(frozen=True, slots=True, kw_only=True)
class RetainedReport:
    """Retained resources of one type, with their names in the profile, if they have names."""

    what: str
    names: tuple[str, ...] = ()

    def as_text(self) -> str:
        """Return the type with its names: `network`, or `file systems lustre, cold and kept`."""
        *others, last = self.names or ("",)
        if not last:
            return self.what
        named = f"{', '.join(others)} and {last}" if others else last
        return f"{self.what} {named}"


_Row = tuple[str, tuple[str, ...], bool]
"""A type of resource, the names of such resources, and whether they are retained."""


def retained_of(design: Design) -> tuple[RetainedReport, ...]:
    """Return the resources that are retained after stack deletion; empty for a disposable profile."""
    if design.profile.disposable:
        return ()
    network, observability = design.profile.network, design.profile.observability
    found: list[_Row] = [
        ("network", (), network is not None and network.kind == "new"),
        *_storage(design),
        *_accounting(design),
        *_images(design),
        ("metrics", (), bool(observability and observability.prometheus)),
        ("session logs", (), _logs_sessions(design)),
    ]
    return tuple(RetainedReport(what=what, names=names) for what, names, stays in found if stays)


def _logs_sessions(design: Design) -> bool:
    access = design.profile.access
    return bool(access and access.sessions and access.sessions.logs and design.profile.orchestrator)


def _storage(design: Design) -> tuple[_Row, ...]:
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
        ("file system" if len(names) == 1 else "file systems", names, bool(names)),
        ("home directories", (), home is not None),
        ("bucket for" if len(links) == 1 else "buckets for", links, bool(links)),
        ("access log bucket", (), bool(links)),
        ("directory bucket", (), design.owns_express),
        ("KMS key", (), any(keyed)),
    )


def _images(design: Design) -> tuple[_Row, ...]:
    """The stack's repositories, and the repositories that ECR creates for the stack's pull through caches."""
    if design.images is None:
        return ()
    made = tuple(one.name for one in design.images.repositories if one.made)
    cached = tuple(f"{one.prefix}/" for one in design.images.caches if one.made)
    repositories = "repository" if len(made) == 1 else "repositories"
    return (repositories, made, bool(made)), ("cached images under", cached, bool(cached))


def _accounting(design: Design) -> tuple[_Row, ...]:
    """The accounting database of HyperPod and its secret; PCS deletes its own database with the cluster."""
    plan = design.hyperpod.accounting if design.hyperpod else None
    if plan is None or plan.new is None:
        return ()
    return ("accounting database", (plan.database,), True), ("database secret", (), True)
