"""The archive of a function whose code is in the template (`Code.ZipFile`)."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

_RESPONSE = Path(__file__).parent / "cfnresponse.py"
# CloudFormation adds its module only for exactly this statement (see the page in cfnresponse.py)
_IMPORT = re.compile(r"^\s*import cfnresponse\s*$", re.MULTILINE)


def inline_archive(source: str, runtime: str) -> bytes:
    """Return a zip archive with the code as module `index`, and with cfnresponse if the code imports it."""
    python = runtime.startswith("python")
    files = {"index.py" if python else "index.js": source}
    if python and _IMPORT.search(source):
        files["cfnresponse.py"] = _RESPONSE.read_text(encoding="utf-8")
    return archive(files)


def archive(files: dict[str, str]) -> bytes:
    """Return a zip archive of text files."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as content:
        for name, text in files.items():
            content.writestr(zipfile.ZipInfo(name), text)
    return packed.getvalue()
