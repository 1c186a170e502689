"""Catalogue of AWS facts about instance types, Regions and services: typed, immutable, with sources.

The data is in ``data/``, one JSON file per concern. A new instance type needs a new row there, but no code.
"""

from functools import cache

from config.catalog.capacity.control_planes import ControlPlane
from config.catalog.hardware import InstanceType, Interface, InterfaceType, Layout, Price, UltraServer
from config.catalog.model import Catalog
from config.catalog.network.regions import Region
from config.catalog.storage.lustre import Lustre, LustreKind, LustreTier

__all__ = [
    "ControlPlane",
    "InstanceType",
    "Interface",
    "InterfaceType",
    "Layout",
    "Lustre",
    "LustreKind",
    "LustreTier",
    "Price",
    "Region",
    "UltraServer",
    "catalog",
]


@cache
def catalog() -> Catalog:
    """Return the catalogue, read from its data files on the first call."""
    from config.catalog.load import load  # the files are read only when they are needed

    return load()
