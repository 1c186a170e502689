"""A rehearsal emulates the Grafana at the URL of a profile, and does not send requests to it."""

from __future__ import annotations

import pytest

from scripts.cloud.grafana.own import answer, is_emulated
from scripts.cloud.local import local_cloud

SIGNED = {"Authorization": "Bearer token", "Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("host", "played"),
    [
        ("grafana.example.com", True),
        ("grafana.example.com:3000", True),
        ("127.0.0.1:3000", False),
        ("localhost", False),
    ],
)
def test_addresses_of_this_machine_are_what_they_are(host: str, played: bool) -> None:
    assert is_emulated(host) is played


def test_it_accepts_only_requests_with_a_token() -> None:
    account, region, url = "123456789012", "us-west-2", "https://grafana.example.com/api/org"
    with local_cloud():
        assert answer(account, region, "GET", url, SIGNED, None)[0] == 200
        assert answer(account, region, "GET", url, {}, None)[0] == 401
