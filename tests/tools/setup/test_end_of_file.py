"""Text files end with one newline."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.tools.setup import end_of_file


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"a", b"a\n"), (b"a\n", b"a\n"), (b"a\n\n\n", b"a\n"), (b"a\r\n", b"a\n"), (b"\n", b""), (b"", b"")],
)
def test_a_file_gets_exactly_one_newline_at_its_end(tmp_path: Path, before: bytes, after: bytes) -> None:
    file = tmp_path / "file"
    file.write_bytes(before)
    assert end_of_file.main([str(file)]) == (before != after)
    assert file.read_bytes() == after
