"""Unpack the code of a function, so that its modules are importable while the function runs."""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module, invalidate_caches
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

Handler = Callable[[Any, Any], Any]


@contextmanager
def importable(archive: bytes) -> Iterator[Path]:
    """Unpack an archive and put its folder first on the import path; unload its modules on exit.

    The modules are unloaded, because several functions can have a module `index`. Each call is therefore a
    cold start: module variables are lost, as when Lambda starts a new execution environment.
    """
    with TemporaryDirectory(prefix="function-") as name, zipfile.ZipFile(io.BytesIO(archive)) as content:
        content.extractall(name)
        folder = Path(name)
        own = {path.stem if path.suffix == ".py" else path.name for path in folder.iterdir()}
        hidden = _take_out(own)
        sys.path.insert(0, name)
        invalidate_caches()
        try:
            yield folder
        finally:
            sys.path.remove(name)
            sys.path_importer_cache.pop(name, None)
            _take_out(own)
            sys.modules.update(hidden)


def _take_out(names: set[str]) -> dict[str, Any]:
    found = {full: module for full, module in sys.modules.items() if full.partition(".")[0] in names}
    for full in found:
        del sys.modules[full]
    return found


def load_handler(handler: str) -> Handler:
    """Return the function that `Handler` names: `module.function`, with dots or slashes in the module."""
    module, _, name = handler.rpartition(".")
    found: Handler = getattr(import_module(module.replace("/", ".")), name)
    return found
