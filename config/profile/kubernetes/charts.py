"""Sources of the Helm charts that a cluster installs."""

from typing import Annotated, Literal

from pydantic import Field

from config.profile.base import OCI_REGISTRY, Model


class PublicCharts(Model):
    """The public registry of each chart's project."""

    kind: Literal["public"]


class RegistryCharts(Model):
    """A private chart registry."""

    kind: Literal["registry"]
    registry: Annotated[
        str,
        Field(
            pattern=OCI_REGISTRY,
            description="Host and path of the registry, without `oci://`. Each chart has a repository under this "
            "path, as `python -m scripts.tools.charts push` creates it.",
        ),
    ]


class VendoredCharts(Model):
    """A local chart folder that is uploaded with the stack."""

    kind: Literal["vendored"]
    folder: Annotated[
        str,
        Field(
            min_length=1,
            description="Folder with one subfolder for each chart, as `python -m scripts.tools.charts vendor` "
            "fills it. A relative path starts at the file that sets this key.",
        ),
    ]


Charts = Annotated[
    PublicCharts | RegistryCharts | VendoredCharts,
    Field(discriminator="kind", description="Source of the Helm charts. The lock file sets their versions."),
]
