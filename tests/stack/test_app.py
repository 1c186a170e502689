"""The app by itself: what it prints when there is nothing to synthesize."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import app


def test_node_that_ends_before_it_has_started_prints_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    starting: list[threading.Thread] = []

    def thread(**kwargs: Any) -> threading.Thread:
        starting.append(threading.Thread(**kwargs))
        return starting[0]

    def ended(name: str) -> None:
        raise ValueError("write to closed file")

    monkeypatch.setattr(app, "Thread", thread)
    monkeypatch.setattr(app, "import_module", ended)
    monkeypatch.setenv("CDK_CONTEXT_JSON", '{"profile": "no/such/file.yaml"}')
    assert app.main() == 2
    starting[0].join(60)
    assert not starting[0].is_alive()
    assert "Traceback" not in capsys.readouterr().err
