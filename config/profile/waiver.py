"""A waiver: a diagnostic code whose findings a profile accepts, with a reason."""

from typing import Annotated

from pydantic import Field

from config.profile.base import DIAGNOSTIC, REASON, Model


class Waiver(Model):
    """One code whose findings the profile accepts. They are still shown, but do not stop a deployment."""

    code: Annotated[
        str,
        Field(
            pattern=DIAGNOSTIC,
            description="Code of the diagnostic, such as CAP009; docs/reference/rules.md lists which can be waived.",
        ),
    ]
    reason: Annotated[
        str,
        Field(
            pattern=REASON,
            description="Reason for readers of the plan, the template or its review.",
        ),
    ]
