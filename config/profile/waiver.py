"""A waiver: a finding that a profile accepts, and why."""

from typing import Annotated

from pydantic import Field

from config.profile.base import DIAGNOSTIC, REASON, Model


class Waiver(Model):
    """One code whose findings the profile accepts: they are still shown, and stop nothing."""

    code: Annotated[
        str,
        Field(
            pattern=DIAGNOSTIC,
            description="Code of the diagnostic, such as CAP009; docs/reference/rules.md says which can be waived.",
        ),
    ]
    reason: Annotated[
        str,
        Field(
            pattern=REASON,
            description="Why it is accepted, for whoever reads the plan, the template or a review of it.",
        ),
    ]
