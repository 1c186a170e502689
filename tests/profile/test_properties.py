"""What holds for every input: the loader never raises, and a refusal always has its reason."""

from __future__ import annotations

import copy
import tempfile
from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.cluster import Cluster, load_cluster
from config.diagnostics import Severity, render
from config.profile.source.merge import Layered, Place, lay_over
from config.profile.source.reference import built_in_names
from config.profile.source.schema import json_schema
from config.profile.source.yaml_source import read_yaml
from config.rules.codes import CODES
from tests.conftest import ROOT, read_table
from tests.tables import each_row

_QUICK = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])

_WORDS = sorted(
    {key for model in (json_schema(), *json_schema()["$defs"].values()) for key in model["properties"]}
)
_VALUES = [
    "p6-b200", "new", "existing", "hyperpod-slurm", "eks", "usw2-az2", "us-west-2b", "us-west-2", "/", "/a",
    "10.0.0.0/16", "10.0.0.1/24", "999.0.0.0/16", "m5.4xlarge", "p6e-gb200.36xlarge", "compute", "spot",
    "arn:aws:sagemaker:us-west-2:123456789012:training-plan/example", "vpc-12345678", "38.4 TiB", "s3://a/b",
]  # fmt: skip
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(_VALUES)
    | st.sampled_from([0, 1, 2, 125, 500, 1000, 1200, 9600])
)
_KEYS = st.sampled_from(_WORDS) | st.text(max_size=4)
_JSON = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=20,
)


def _load(text: str) -> Cluster:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "my.yaml").write_text(text, encoding="utf-8")
        return load_cluster("my.yaml", base=Path(folder))


def _is_sound(cluster: Cluster) -> None:
    """A refusal has a reason, and every diagnostic all of its parts."""
    refused = any(diagnostic.severity is Severity.ERROR for diagnostic in cluster.diagnostics)
    assert refused == (cluster.design is None)
    assert cluster.exit_status == (0 if not refused else 1 if cluster.usable else 2)
    for diagnostic in cluster.diagnostics:
        assert diagnostic.code in CODES
        assert diagnostic.severity is CODES[diagnostic.code].severity
        assert diagnostic.path
        assert diagnostic.message
        assert not diagnostic.message.endswith(".")
        assert diagnostic.hint
        assert not diagnostic.hint.endswith(".")
        assert diagnostic.source
        assert (diagnostic.line or 1) >= 1
        assert render(diagnostic).startswith(f"{diagnostic.severity}[{diagnostic.code}]")


@_QUICK
@given(text=st.text() | st.text(alphabet="abc:-[]{}&*!|>'\"#%@`, \n\t?<0123456789"))
def test_no_text_makes_the_loader_raise(text: str) -> None:
    read_yaml(text)
    _is_sound(_load(text))


@_QUICK
@given(data=_JSON)
def test_no_data_makes_the_loader_raise(data: Any) -> None:
    _is_sound(_load(yaml.safe_dump(data, allow_unicode=True)))


@_QUICK
@given(name=st.sampled_from(built_in_names()), data=st.dictionaries(_KEYS, _JSON, max_size=4))
def test_nothing_laid_over_a_built_in_profile_makes_the_loader_raise(name: str, data: dict[str, Any]) -> None:
    _is_sound(_load(yaml.safe_dump({"extends": name, **data}, allow_unicode=True)))


def _paths(data: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every place in the data of a profile."""
    steps: list[tuple[str | int, Any]] = []
    if isinstance(data, dict):
        steps = list(data.items())
    elif isinstance(data, list):
        steps = list(enumerate(data))
    return [path, *(found for step, inner in steps for found in _paths(inner, (*path, step)))]


_BASE = {
    "plain": read_table(ROOT / "config/profiles/p6-b200.yaml"),
    "plan": read_table(ROOT / "config/profiles/p6e-gb200.yaml"),
    "existing": {
        **read_table(ROOT / "config/profiles/p5.yaml"),
        "network": {
            "kind": "existing", "vpc_id": "vpc-12345678", "vpc_cidr": "10.0.0.0/16",
            "subnets": [
                {"id": "subnet-12345678", "cidr": "10.0.0.0/17", "availability_zone_id": "use2-az3"},
                {"id": "subnet-87654321", "cidr": "10.0.128.0/20", "availability_zone_id": "use2-az1"},
            ],
        },
    },
}  # fmt: skip


@_QUICK
@given(which=st.sampled_from(sorted(_BASE)), value=_SCALARS | _JSON, draw=st.data())
def test_no_single_wrong_value_makes_the_loader_raise(which: str, value: Any, draw: st.DataObject) -> None:
    profile = copy.deepcopy(_BASE[which])
    path = draw.draw(st.sampled_from(_paths(profile)[1:]))
    here = profile
    for step in path[:-1]:
        here = here[step]
    here[path[-1]] = value
    _is_sound(_load(yaml.safe_dump(profile, allow_unicode=True)))


# trees in which every key is either always a mapping or always a plain value, and every kind is the same
_TREE = st.recursive(
    st.fixed_dictionaries(
        {}, optional={"a": st.integers() | st.none(), "b": st.lists(st.integers(), max_size=2)}
    ),
    lambda inner: st.fixed_dictionaries(
        {}, optional={"a": st.integers() | st.none(), "x": inner, "y": inner, "kind": st.just("new")}
    ),
    max_leaves=6,
)


def _layer(data: dict[str, Any], file: str) -> Layered:
    return Layered(data, {path: Place(file, len(path) + 1) for path in _paths(data)})


@given(one=_TREE, two=_TREE, three=_TREE)
def test_layers_can_be_joined_in_any_grouping_where_kinds_agree(
    one: dict[str, Any], two: dict[str, Any], three: dict[str, Any]
) -> None:
    a, b, c = (_layer(_with_kind(data), name) for data, name in ((one, "a"), (two, "b"), (three, "c")))
    left = lay_over(lay_over(a, b), c)
    right = lay_over(a, lay_over(b, c))
    assert left.data == right.data
    assert left.places == right.places


def _with_kind(data: dict[str, Any]) -> dict[str, Any]:
    """The tree with one kind everywhere: then no mapping replaces another."""
    inner = {key: _with_kind(value) if isinstance(value, dict) else value for key, value in data.items()}
    return {**inner, "kind": "new"}


@given(data=_TREE)
def test_nothing_laid_over_a_layer_changes_nothing(data: dict[str, Any]) -> None:
    layer = _layer(data, "a")
    assert lay_over(Layered(), layer) == layer
    assert lay_over(layer, Layered()) == layer
    assert lay_over(layer, layer).data == data


@given(data=_TREE, top=_TREE)
def test_laying_over_leaves_both_layers_as_they_were(data: dict[str, Any], top: dict[str, Any]) -> None:
    a, b = _layer(data, "a"), _layer(top, "b")
    before = (repr(a), repr(b))
    lay_over(a, b)
    assert (repr(a), repr(b)) == before


@each_row("code", sorted(CODES))
def test_every_code_says_what_must_hold_why_and_where_from(code: str) -> None:
    entry = CODES[code]
    assert entry.code == code
    assert entry.holds
    assert not entry.holds.endswith(".")
    assert entry.why.endswith(".")
    assert entry.source.startswith(("https://", "docs/"))
