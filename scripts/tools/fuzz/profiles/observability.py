"""Random values of the profile key `observability`; most of them are valid, some are not."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from config.catalog import catalog
from scripts.tools.fuzz.profiles.place import Place
from scripts.tools.fuzz.values.schema_values import of_key, of_model
from scripts.tools.fuzz.values.typical import ACCOUNT, KEYS, TYPICAL

Data = dict[str, Any]
_SUBNETS = ["subnet-0123456789abcdef0", "subnet-0a1b2c3d4e5f60718"]
_OWN = ("https://prometheus.example.com", "http://10.0.0.9:9090")
_SEVERITIES = ("critical", "warning", "info")


def draw_observability(draw: DrawFn, place: Place, orchestrator: Data) -> Data:
    """Return the value of `observability`."""
    region = catalog().region(place.region)
    if region is None or draw(st.integers(0, 3)) == 0:
        return {}
    data: Data = {}
    careless = draw(st.integers(0, 15)) == 0
    if draw(st.integers(0, 3)) and (region.prometheus or careless or draw(st.booleans())):
        own = not (region.prometheus or careless) or draw(st.integers(0, 3)) == 0
        data["prometheus"] = _own_prometheus(draw, place) if own else _managed_prometheus(draw, place)
    if draw(st.booleans()):
        data["grafana"] = _grafana(draw, place, managed=region.grafana or careless)
    if draw(st.booleans()):
        data["collection"] = _collection(draw, orchestrator, data, careless=careless)
    if draw(st.booleans()):
        data["alerts"] = _alerts(draw, place, careless=careless)
    if draw(st.booleans()):
        data["repair"] = _repair(draw)
    if draw(st.booleans()):
        data["log_retention_days"] = draw(TYPICAL["log_retention_days"])
    return {"observability": data}


def _arn(service: str, region: str, name: str) -> str:
    partition = KEYS[region].split(":")[1]
    return f"arn:{partition}:{service}:{region}:{ACCOUNT}:{name}"


def _elsewhere(draw: DrawFn, place: Place) -> str:
    """Return the Region, and sometimes another Region."""
    other = draw(st.integers(0, 7)) == 0
    return str(draw(st.sampled_from(["us-east-1", "eu-west-1"]))) if other else place.region


def _secret(draw: DrawFn, place: Place, name: str) -> str:
    return _arn("secretsmanager", _elsewhere(draw, place), f"secret:{name}-AbCdEf")


def _managed_prometheus(draw: DrawFn, place: Place) -> Data:
    data: Data = {"kind": "managed"}
    for key in ("retention_days", "late_samples_s"):
        if draw(st.integers(0, 2)) == 0:
            data[key] = draw(of_key("ManagedPrometheus", key))
    if draw(st.integers(0, 5)) == 0:
        data["kms_key_arn"] = KEYS[_elsewhere(draw, place)]
    return data


def _own_prometheus(draw: DrawFn, place: Place) -> Data:
    """Return an existing Prometheus server or AMP workspace."""
    amp = f"https://aps-workspaces.{_elsewhere(draw, place)}.amazonaws.com/workspaces/ws-0123abcd-01"
    address = draw(st.sampled_from([*_OWN, amp, amp]))
    data: Data = {"kind": "existing", "remote_write_url": f"{address}/api/v1/remote_write"}
    if draw(st.integers(0, 3)):
        data["query_url"] = address
    ways: list[Data] = [{"kind": "sigv4"}] if address == amp else [{"kind": "none"}]
    ways.append({"kind": "secret", "secret_arn": _secret(draw, place, "metrics")})
    ways.append({"kind": "sigv4", "region": _elsewhere(draw, place)})
    if draw(st.integers(0, 4)):
        data["authentication"] = draw(st.sampled_from(ways))
    return data


def _grafana(draw: DrawFn, place: Place, *, managed: bool) -> Data:
    if draw(st.integers(0, 3)) == 0 or (not managed and draw(st.booleans())):
        own: Data = {
            "kind": "existing",
            "url": draw(st.sampled_from(["https://grafana.example.com", "http://10.0.0.9:3000"])),
        }
        own["token_secret_arn"] = _secret(draw, place, "grafana")
        return own | ({"version": draw(_versions())} if draw(st.booleans()) else {})
    data: Data = {"kind": "managed", "authentication": draw(of_key("ManagedGrafana", "authentication"))}
    if not managed or draw(st.integers(0, 7)) == 0:
        data["region"] = draw(st.sampled_from(["us-west-2", "eu-west-1", place.region]))
    if draw(st.integers(0, 3)) == 0:
        data["saml"] = {
            "metadata_url": "https://idp.example.com/metadata",
            "admins": draw(st.sampled_from([["ops"], ["größe", "a b"]])),
        }
    if draw(st.integers(0, 3)) == 0:
        data["version"] = draw(_versions())
    if draw(st.integers(0, 5)) == 0:
        data["prefix_list_ids"] = ["pl-0123456789abcdef0"]
    if draw(st.integers(0, 5)) == 0:
        data["vpc_endpoint_ids"] = ["vpce-0123456789abcdef0"]
    if draw(st.integers(0, 5)) == 0:
        data |= {"subnet_ids": _SUBNETS, "security_group_ids": ["sg-0123456789abcdef0"]}
    return data


def _versions() -> st.SearchStrategy[str]:
    return st.sampled_from(["10.4", "12.4", "13.0", "12.4", "9.4"])


def _collection(draw: DrawFn, orchestrator: Data, data: Data, *, careless: bool) -> Data:
    """Return the collection settings; the collector is `managed` only if the control plane supports it."""
    kubernetes = str(orchestrator.get("kind", "")).endswith("eks")
    amp = data.get("prometheus", {}).get("kind") == "managed"
    collectors = ["agent", "none", *(["managed", "managed"] if (kubernetes and amp) or careless else [])]
    made: Data = {}
    if "prometheus" in data and draw(st.booleans()):
        made["collector"] = draw(st.sampled_from(collectors))
    if draw(st.booleans()):
        made["interval_s"] = draw(st.sampled_from([15, 30, 30, 60, 120, 121, 300]))
    if draw(st.integers(0, 2)) == 0:
        made["profiling"] = draw(st.booleans())
    if draw(st.integers(0, 2)) == 0:
        made["application_port"] = draw(st.sampled_from([1024, 8000, 9100, 9464, 65535]))
    if draw(st.integers(0, 3)) == 0:
        made["downloads"] = draw(
            st.sampled_from(["s3://our-files/exporters", "https://files.example.com/exporters"])
        )
    return made


def _alerts(draw: DrawFn, place: Place, *, careless: bool) -> Data:
    made: Data = {
        key: draw(of_key("Alerts", key))
        for key in ("off", "thresholds", "repeat_hours")
        if draw(st.integers(0, 2)) == 0
    }
    if draw(st.integers(0, 3)):
        made["receivers"] = _receivers(draw, place, careless=careless)
    return made


def _receivers(draw: DrawFn, place: Place, *, careless: bool) -> list[Data]:
    """Return receivers: new topics with different severities, an existing topic, and PagerDuty services."""
    found: list[Data] = []
    drawn = draw(
        st.sampled_from(
            [
                [],
                [["critical"]],
                [["critical"], ["warning", "info"]],
                [[*_SEVERITIES]],
                [["info", "critical"]],
            ]
        )
    )
    for severities in [*drawn, *(drawn if careless else [])]:
        found.append({"kind": "sns", "severities": severities})
        if draw(st.booleans()):
            found[-1]["emails"] = draw(
                st.sampled_from([["oncall@example.com"], ["a@example.com", "größe@example.org"]])
            )
    if draw(st.integers(0, 2)) == 0:
        name = draw(st.sampled_from(["oncall", "oncall", "oncall.fifo"]))
        found.append({"kind": "sns", "topic_arn": _arn("sns", _elsewhere(draw, place), name)})
    for number in range(draw(st.sampled_from([0, 0, 0, 1, 2, 3]))):
        pager: Data = {"kind": "pagerduty", "secret_arn": _secret(draw, place, f"pager-{number}")}
        if draw(st.booleans()):
            pager["kms_key_arn"] = KEYS[_elsewhere(draw, place)]
        if draw(st.booleans()):
            pager["severities"] = draw(st.lists(st.sampled_from(_SEVERITIES), unique=True, min_size=1))
        found.append(pager)
    return list(draw(st.permutations(found)))


def _repair(draw: DrawFn) -> Data:
    made: Data = {}
    if draw(st.booleans()):
        made["max_nodes_at_once"] = draw(st.sampled_from([1, 2, 8, 1000]))
    if draw(st.booleans()):
        made["none_in_last_hours"] = draw(st.sampled_from([0, 2, 24, 720]))
    if draw(st.booleans()):
        made["actions"] = draw(of_key("Repair", "actions"))
    if made:
        return made
    nothing: bool = draw(st.booleans())
    return made if nothing else dict(draw(of_model("Repair")))
