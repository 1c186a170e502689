"""Facts about machines, places and storage: typed, immutable, each with its source.

The data is in ``data/``, one JSON file per concern. A new instance type is a new row there, never new code.
"""

from functools import cache

from config.catalog import model
from config.catalog.model import *  # noqa: F403  # its list of types is the list of this package

__all__ = ["catalog"]
__all__ += model.__all__


@cache
def catalog() -> model.Catalog:
    """Return the catalogue, read from its data files on the first call."""
    from config.catalog.load import load  # the files are read only when the facts are asked for

    return load()
