"""Actions for each XID, compared with NVIDIA's catalogue and its decode table."""

from __future__ import annotations

import pytest

from config.catalog.observability.xids import XidAction, xids


@pytest.mark.parametrize(
    ("code", "action", "severity"),
    [
        (48, "reset", "critical"),
        (63, "reset", "warning"),
        (64, "replace", "critical"),
        (74, "reset", "critical"),
        (79, "reboot", "critical"),
        (94, "reset", "warning"),
        (95, "reset", "critical"),
        (119, "reset", "critical"),
        (120, "reset", "critical"),
        (121, "report", "warning"),
        (149, "report", "warning"),
    ],
)
def test_an_xid_has_the_action_of_its_row(code: int, action: str, severity: str) -> None:
    row = xids().rows[code]
    assert (row.action, row.severity) == (action, severity)


def test_63_is_the_event_and_64_the_failure() -> None:
    # a widely copied table swaps them, and lists 64 as a GPU that has fallen off the bus
    assert "could not be remapped" in xids().rows[64].meaning
    assert "fallen off the bus" in xids().rows[79].meaning


@pytest.mark.parametrize(
    ("code", "ignored", "reset", "followed"),
    [
        (144, 4, 2, 0),
        (145, 16, 9, 8),
        (146, 15, 5, 0),
        (147, 2, 0, 0),
        (148, 1, 0, 0),
        (149, 7, 24, 0),
        (150, 0, 1, 0),
    ],
)
def test_the_decode_of_nvlink_5_has_every_row_of_its_source(
    code: int, ignored: int, reset: int, followed: int
) -> None:
    units = xids().decode_rows[code].values()
    found = [
        sum(len(unit.get(way, "").split()) for unit in units) for way in ("ignore", "reset", "follow-154")
    ]
    assert found == [ignored, reset, followed]


@pytest.mark.parametrize(
    ("code", "unit", "intrinfo", "status", "decoded", "action"),
    [
        (144, "SAW_MVB", 0, 0x1, "ignore", "report"),
        (144, "SAW_MVB", 0, 0x2, "reset", "reset"),
        (145, "RLW_REMAP", 0, 0x4, "follow-154", "report"),
        (149, "NETIR_LINK_EVT", 0x4 << 20, 0, "reset", "reset"),
        (149, "NETIR_LINK_EVT", 0x26 << 20, 0, "ignore", "report"),
        (149, "NETIR_BER_EVENT", 0, 0x1, "ignore", "report"),
        (150, "MSE_WATCHDOG", 0, 0, "reset", "reset"),
        (146, "TLW_RX", 0, 0x40, None, "report"),
    ],
)
def test_a_message_of_nvlink_5_asks_for_what_its_words_say(
    code: int, unit: str, intrinfo: int, status: int, decoded: str | None, action: XidAction
) -> None:
    found = xids().decode(code, unit, intrinfo, status)
    assert found == decoded
    assert xids().action(code, decoded=found) == action


@pytest.mark.parametrize(
    ("named", "action"),
    [
        ("GPU Reset Required", "reset"),
        ("Node Reboot Required", "reboot"),
        ("Drain P2P", "reset"),
        ("Drain and Reset", "reset"),
        ("None", "report"),
        (None, "report"),
    ],
)
def test_154_is_done_as_it_says(named: str | None, action: XidAction) -> None:
    assert xids().action(154, named=named) == action


def test_an_unknown_code_is_reported() -> None:
    assert xids().action(9999) == "report"
