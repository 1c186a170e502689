"""Facts about machines, places and storage: typed, immutable, each with its source.

The data is in ``data/``, one JSON file per concern. A new instance type is a new row there, never new code.
"""

from functools import cache

from config.catalog.capacity.control_planes import ControlPlane, Reservations, ServiceEndpoint
from config.catalog.hardware import (
    CapacityKind,
    Gpu,
    GpuFit,
    InstanceType,
    Interface,
    InterfaceType,
    Layout,
    LocalNvme,
    NetworkCard,
    Price,
    UltraServer,
)
from config.catalog.model import Catalog, Claim, Conflict, UnlaidType
from config.catalog.network.places import LustreOffer, Region, Zone
from config.catalog.storage.lustre import Lustre, LustreKind, LustreTier, Tiering

__all__ = [
    "CapacityKind",
    "Catalog",
    "Claim",
    "Conflict",
    "ControlPlane",
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
    "Price",
    "Region",
    "Reservations",
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
