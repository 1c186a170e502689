"""Where the charts of what runs in a cluster come from."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import OCI_REGISTRY, Model


class PublicCharts(Model):
    """Where each project publishes its own."""

    kind: Literal["public"]


class RegistryCharts(Model):
    """A registry of the user's own."""

    kind: Literal["registry"]
    registry: Annotated[
        str,
        Field(
            pattern=OCI_REGISTRY,
            description="Host and path, without `oci://`, where each chart lies under its own name, as "
            "`python -m scripts.tools.charts push` puts it there.",
        ),
    ]


class VendoredCharts(Model):
    """A folder beside the profile, uploaded with the stack."""

    kind: Literal["vendored"]
    folder: Annotated[
        str,
        Field(
            min_length=1,
            description="Folder with a folder for each chart, as `python -m scripts.tools.charts vendor` fills it; "
            "a relative path starts from the file that states it.",
        ),
    ]


Charts = Annotated[
    PublicCharts | RegistryCharts | VendoredCharts,
    Field(discriminator="kind", description="Where charts come from; their versions are in the lock file."),
]
