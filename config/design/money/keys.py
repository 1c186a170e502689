"""KMS keys that a profile's stack creates."""

from __future__ import annotations

from collections.abc import Iterator

from config.design.model import Design


def new_keys(design: Design) -> tuple[str, ...]:
    """Return the purpose of each KMS key that the stack creates; existing keys are not included."""
    return tuple(_keys(design))


def _keys(design: Design) -> Iterator[str]:
    if _of_storage(design):
        yield "storage"
    if design.eks is not None and design.eks.control_plane.new_secrets_key:
        yield "Kubernetes secrets"
    if design.observability is not None and design.observability.new_topics:
        yield "alerts"
    calendar = design.profile.calendar
    if calendar is not None and calendar.reminders is not None and calendar.reminders.topic_arn is None:
        yield "calendar"


def _of_storage(design: Design) -> bool:
    made = [system for system in design.own_file_systems if system.existing is None]
    home = design.home if design.owns_home else None
    return (
        any(link.bucket is None for system in made for link in system.repositories)
        or any(system.kind.kms_key and system.settings and not system.settings.key_arn for system in made)
        or (home is not None and home.existing is None and not home.key_arn)
    )
