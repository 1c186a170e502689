"""The JSON Schema of a profile says what every key is, and accepts and refuses what the models do."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # ships no types

from config.profile.source.editor_schema import editor_schema
from config.profile.source.merge import Layered
from config.profile.source.reference import built_in_names
from config.profile.source.schema import json_schema
from config.profile.source.shape import check_shape
from config.profile.source.yaml_source import read_yaml
from tests.conftest import ROOT
from tests.tables import each_row

PROFILES = ROOT / "config" / "profiles"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# what a figure counts or is measured in, in the words of a description or of a key
UNITS = re.compile(
    r"\b(GiB|MiB|MB/s|days?|Days|IOPS|[Nn]odes?|[Ii]nstances|[Pp]ods|[Tt]hreads|[Bb]ytes|[Pp]arameters|volume|bounds"
    r"|people|users|TCP port|User [Ii][Dd]|Group [Ii][Dd]|[Ss]econds|[Mm]inutes|[Hh]ours|dollars|per ?cent"
    r"|Experts|Checkpoints|connections|images"
    r"|GPUs|[Ll]ayers|[Ww]idth|heads|[Tt]okens|[Ss]equences|Stages|Replicas)\b"
)


@functools.cache
def validator() -> Draft202012Validator:
    Draft202012Validator.check_schema(editor_schema())
    return Draft202012Validator(editor_schema())


def keys(schema: dict[str, Any] | None = None, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every key of every form, with the schema of its value."""
    whole = json_schema()
    for name, form in {"Profile": whole, **whole["$defs"]}.items():
        for key, value in form["properties"].items():
            yield f"{name}.{key}", value


KEYS = dict(keys())


@each_row("key", KEYS)
def test_every_key_says_what_it_is(key: str) -> None:
    described = KEYS[key].get("description", "")
    assert len(described) > len("Its zone.")
    assert described[0].isupper() or described[0] in "`01" or ":" in described


def types_of(value: dict[str, Any]) -> set[str]:
    return {str(option.get("type")) for option in (value, *value.get("anyOf", ()))}


NUMBERS = [key for key, value in KEYS.items() if types_of(value) & {"integer", "number"}]


@each_row("key", NUMBERS)
def test_every_number_has_its_unit(key: str) -> None:
    assert UNITS.search(KEYS[key]["description"]), KEYS[key]["description"]


@pytest.mark.parametrize(
    ("key", "word"),
    [
        ("NewLustre.throughput_mbps_per_tib", 500),
        ("Observability.log_retention_days", 90),
        ("NewNetwork.flow_log_retention_days", 365),
        ("Group.role", "login"),
        ("Pcs.slurm_version", "25.11"),
    ],
)
def test_a_closed_set_stands_in_the_schema(key: str, word: object) -> None:
    options = (KEYS[key], *KEYS[key].get("anyOf", ()))
    assert any(word in option.get("enum", ()) for option in options)


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", built_in_names())
def test_a_built_in_profile_names_the_schema_first_and_fits_it(name: str) -> None:
    text = (PROFILES / f"{name}.yaml").read_text(encoding="utf-8")
    match = re.fullmatch(r"# yaml-language-server: \$schema=(\S+)", text.splitlines()[0])
    assert match
    schema = json.loads((PROFILES / match[1]).resolve().read_text(encoding="utf-8"))
    assert schema.pop("$comment")
    assert schema == editor_schema()
    assert list(validator().iter_errors(read_yaml(text).data)) == []


def blocks() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        # the bad examples of rules are refused on purpose
        if page.parent.name == "rules":
            continue
        text = page.read_text(encoding="utf-8")
        for match in re.finditer(r"^```yaml\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            if re.search(r"^name:", match[1], re.MULTILINE) and not match[1].startswith("# .github/"):
                yield f"{page.name}:{text[: match.start()].count(chr(10)) + 1}", match[1]


BLOCKS = dict(blocks())


@each_row("place", BLOCKS)
def test_a_profile_in_the_documentation_fits_the_schema(place: str) -> None:
    assert list(validator().iter_errors(read_yaml(BLOCKS[place]).data)) == []


FAULTS = [
    "disposable: maybe",
    "regoin: us-west-2",
    "region: US",
    "account: 12345",
    "network: {kind: new}",
    "network: {kind: newer, vpc_cidr: 10.0.0.0/16}",
    "network: {kind: new, vpc_cidr: 10.0.0.0}",
    "orchestrator: {kind: slurm}",
    "orchestrator: {kind: eks, kubernetes_version: 1.30}",
    "orchestrator: {kind: pcs, efa_interface: ena}",
    "compute: {groups: []}",
    "compute: {groups: [{name: a, role: worker, instance_type: m5.4xlarge, count: 1}]}",
    "compute: {groups: [{name: a, role: login, instance_type: m5.4xlarge, count: -1}]}",
    "compute: {groups: [{name: a, role: login, instance_type: m5.4xlarge, count: 1.5}]}",
    "compute: {groups: [{name: A B, role: login, instance_type: m5.4xlarge, count: 1}]}",
    "compute: {groups: [{name: a, role: compute, instance_type: x, count: 1, efa: {layout: all}}]}",
    "compute: {groups: [{name: a, role: compute, instance_type: x, count: 1, capacity: {kind: block}}]}",
    "compute: {groups: [{name: a, role: compute, instance_type: x, count: 1, "
    "capacity: {kind: capacity-block, reservation_id: cr-1, end: tomorrow}}]}",
    "storage: {lustre: {kind: new, capacity_gib: 0, throughput_mbps_per_tib: 250, efa: true}}",
    "observability: {prometheus: {kind: managed, retention_days: 2000}}",
    "workload: {parameters: 0}",
    "waive: [{code: CAP009}]",
]


@each_row("line", FAULTS)
def test_the_schema_refuses_what_the_models_refuse(line: str) -> None:
    text = f"name: mine\nregion: us-west-2\navailability_zone_id: usw2-az2\n{line}\n"
    if line.startswith(("region", "name")):
        text = text.replace("region: us-west-2\n", "", 1)
    data = read_yaml(text).data
    profile, faults = check_shape(Layered(data=data))
    assert profile is None
    assert faults
    assert list(validator().iter_errors(data))


@pytest.mark.parametrize(
    "text",
    [
        "extends: p6-b200",
        "extends: p6-b200\nnetwork: {closed: true}",
        "extends: p6-b200\nstorage: {lustre: {capacity_gib: 76800}}",
        "extends: p6-b200\nobservability: {grafana: {authentication: identity-center}}",
        "extends: p6-b200\norchestrator: {node_recovery: none}",
    ],
)
def test_a_profile_that_extends_another_states_only_what_differs(text: str) -> None:
    assert list(validator().iter_errors(read_yaml(text).data)) == []


@pytest.mark.parametrize(
    "text",
    [
        "extends: p6-b200\nnetwork: {close: true}",
        "extends: p6-b200\nstorage: {lustre: {capacity_gib: 38.4 TiB}}",
        "extends: p6-b200\ncompute: {groups: [{name: train}]}",
        "extends: p6-b200\nwaive: [{code: CAP009}]",
    ],
)
def test_what_it_states_is_still_checked_and_items_of_lists_are_whole(text: str) -> None:
    assert list(validator().iter_errors(read_yaml(text).data))


def test_a_profile_that_extends_nothing_is_whole() -> None:
    missing = {error.message for error in validator().iter_errors({})}
    assert missing == {"'name' is a required property", "'region' is a required property"}
