"""Facts about machines, places and storage: typed, immutable, each with its source.

The data is in ``data/``, one JSON file per concern. A new instance type is a new row there, never new code.
"""

from functools import cache

from config.catalog.model import (
    CapacityKind,
    Catalog,
    Chart,
    Checkpoints,
    Claim,
    Conflict,
    ControlPlane,
    EksAddon,
    EksFacts,
    Gpu,
    GpuFit,
    InstanceType,
    Interface,
    InterfaceType,
    Layout,
    LocalNvme,
    Lustre,
    LustreKind,
    LustreOffer,
    LustreTier,
    NetworkCard,
    NfsPorts,
    OpenZfs,
    OpenZfsDeployment,
    OpenZfsDeploymentType,
    OpenZfsSpeed,
    PcsFacts,
    PcsSize,
    Price,
    Region,
    Reservations,
    S3Express,
    ServiceEndpoint,
    Tiering,
    UltraServer,
    UnlaidType,
    Zone,
)

__all__ = [
    "CapacityKind",
    "Catalog",
    "Chart",
    "Checkpoints",
    "Claim",
    "Conflict",
    "ControlPlane",
    "EksAddon",
    "EksFacts",
    "Gpu",
    "GpuFit",
    "InstanceType",
    "Interface",
    "InterfaceType",
    "Layout",
    "LocalNvme",
    "Lustre",
    "LustreKind",
    "LustreOffer",
    "LustreTier",
    "NetworkCard",
    "NfsPorts",
    "OpenZfs",
    "OpenZfsDeployment",
    "OpenZfsDeploymentType",
    "OpenZfsSpeed",
    "PcsFacts",
    "PcsSize",
    "Price",
    "Region",
    "Reservations",
    "S3Express",
    "ServiceEndpoint",
    "Tiering",
    "UltraServer",
    "UnlaidType",
    "Zone",
    "catalog",
]


@cache
def catalog() -> Catalog:
    """Return the catalogue, read from its data files on the first call."""
    from config.catalog.load import load  # the files are read only when the facts are asked for

    return load()
