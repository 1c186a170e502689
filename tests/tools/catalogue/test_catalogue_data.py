"""The data files: sourced, checked, immutable, quick to load."""

import copy
import dataclasses
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.catalog import Interface, InterfaceType, Layout, catalog
from config.catalog.files import DATA, FILES, indexes, interfaces, paths, read
from config.catalog.load import load
from tests.calls import calls_of
from tests.tools.catalogue.check import check

Documents = dict[str, Any]


@pytest.fixture
def docs() -> Documents:
    return copy.deepcopy(dict(read()))


def test_the_data_files_have_no_fault() -> None:
    assert [str(fault) for fault in check()] == []


def test_every_file_is_read_and_dated() -> None:
    assert {path.stem for path in DATA.rglob("*.json")} == set(FILES)
    assert all(re.fullmatch(r"\d{4}-\d{2}-\d{2}", document["generated"]) for document in read().values())


def test_every_source_is_a_public_page_a_repository_file_or_arithmetic() -> None:
    for key, text in catalog().sources.items():
        assert "https://" in text or re.match(r"[\w.-]+/[\w.-]+:\S", text) or key == "DERIVED"
        assert not re.search(r"stored|\bid \d|\bindex\b", text)


def test_every_source_is_used() -> None:
    text = "".join(paths()[name].read_text() for name in FILES if name != "sources")
    assert [key for key in catalog().sources if f'"{key}"' not in text] == []


def test_every_field_of_every_machine_has_a_source() -> None:
    for machine in catalog().instances.values():
        for field in dataclasses.fields(machine):
            keys = machine.sources_of(field.name)
            assert keys
            assert set(keys) <= set(catalog().sources)


def test_a_conflict_keeps_every_claim_and_one_choice() -> None:
    choices = {(c.subject, c.field): c.chosen for c in catalog().conflicts}
    assert choices[("p6e-gb200.36xlarge", "efa_generation")] == "v3"
    assert choices[("p6-b300.48xlarge", "gpudirect_storage")] == "False"
    assert all(len(c.values) > 1 and c.reason for c in catalog().conflicts)


def test_a_choice_about_a_machine_is_what_the_machine_says() -> None:
    seen = 0
    for conflict in catalog().conflicts:
        machine = catalog().instance(conflict.subject)
        value = getattr(machine, conflict.field, None)
        if isinstance(value, str | bool | float | int):
            assert conflict.chosen == str(value)
            seen += 1
    assert seen >= 5


def rows_of(docs: Documents, name: str) -> dict[str, Any]:
    found: dict[str, Any] = docs["gpu-instances"]["rows"][name]
    return found


def dangling(docs: Documents) -> None:
    rows_of(docs, "p5.48xlarge")["sources"] = {"vcpus": ["NOWHERE"]}


def missing_card(docs: Documents) -> None:
    rows_of(docs, "p6-b300.48xlarge")["layouts"]["ip-saving"]["interfaces"].append("17/0 efa-only")


def efa_on_card_0(docs: Documents) -> None:
    rows_of(docs, "p6-b300.48xlarge")["layouts"]["ip-saving"]["interfaces"][0] = "0/0 efa"


def growing_device(docs: Documents) -> None:
    rows_of(docs, "p5.48xlarge")["layouts"]["all-efa"]["interfaces"][1] = "1-31/2 efa"


def two_efas(docs: Documents) -> None:
    rows_of(docs, "p6-b200.48xlarge")["layouts"]["ip-saving"]["interfaces"].append("3/1 efa-only")


def no_primary(docs: Documents) -> None:
    rows_of(docs, "p5.4xlarge")["layouts"]["ip-saving"]["interfaces"] = ["0/1 efa-only"]


def addressless_primary(docs: Documents) -> None:
    rows_of(docs, "p5.4xlarge")["layouts"]["ip-saving"]["interfaces"] = ["0/0 efa-only"]


def wrong_total(docs: Documents) -> None:
    rows_of(docs, "p5.48xlarge")["max_interfaces"] = 63


def misspelt(docs: Documents) -> None:
    row = rows_of(docs, "p5.48xlarge")
    row["vcpu"] = row.pop("vcpus")


def unknown_region(docs: Documents) -> None:
    rows_of(docs, "p5.48xlarge")["capacity_block_regions"].append("us-west-9")


def price_of_nothing(docs: Documents) -> None:
    docs["prices"]["sheets"][0]["usd_per_hour"]["p5.49xlarge"] = 1


def lone_claim(docs: Documents) -> None:
    docs["conflicts"]["rows"][0]["values"].pop()


def hidden_source(docs: Documents) -> None:
    docs["sources"]["sources"]["AC"] = "a page I once saw"


@pytest.mark.parametrize(
    ("spoil", "expected"),
    [
        (dangling, "gpu-instances.json: p5.48xlarge: sources.vcpus: source NOWHERE is not in sources.json"),
        (
            missing_card,
            "gpu-instances.json: p6-b300.48xlarge: layouts.ip-saving: network card 17 does not exist",
        ),
        (
            efa_on_card_0,
            "gpu-instances.json: p6-b300.48xlarge: layouts.ip-saving: card 0 does not support efa",
        ),
        (
            growing_device,
            "gpu-instances.json: p5.48xlarge: layouts.all-efa: device index 2 on card 1 is above 1",
        ),
        (two_efas, "gpu-instances.json: p6-b200.48xlarge: layouts.ip-saving: 2 EFA interfaces on card 3"),
        (no_primary, "gpu-instances.json: p5.4xlarge: layouts.ip-saving: 0 interfaces at card 0 device 0"),
        (addressless_primary, "gpu-instances.json: p5.4xlarge: layouts.ip-saving: the primary interface"),
        (wrong_total, "gpu-instances.json: p5.48xlarge: cards: the cards take 64 interfaces, the type 63"),
        (misspelt, "gpu-instances.json: p5.48xlarge: vcpu: is not a known field"),
        (
            unknown_region,
            "gpu-instances.json: p5.48xlarge: capacity_block_regions: us-west-9 is not in regions.json",
        ),
        (price_of_nothing, "prices.json: sheets[0]: usd_per_hour: p5.49xlarge is not in the catalogue"),
        (lone_claim, "conflicts.json: rows[0] p6e-gb200.36xlarge: values: fewer than two claims"),
        (hidden_source, "sources.json: AC: text: neither a public address nor a repository file"),
    ],
)
def test_a_malformed_row_is_refused_with_file_row_and_field(
    docs: Documents, spoil: Callable[[Documents], None], expected: str
) -> None:
    spoil(docs)
    assert any(str(fault).startswith(expected) for fault in check(docs))


def parts(value: object) -> Iterator[object]:
    """Every dataclass inside a value."""
    if dataclasses.is_dataclass(value):
        yield value
        for field in dataclasses.fields(value):
            yield from parts(getattr(value, field.name))
    elif isinstance(value, tuple):
        for item in value:
            yield from parts(item)
    elif hasattr(value, "values"):
        for item in value.values():
            yield from parts(item)


def test_nothing_in_the_catalogue_can_be_changed() -> None:
    seen = set()
    for part in parts(catalog()):
        assert dataclasses.is_dataclass(part)
        seen.add(type(part).__name__)
        for field in dataclasses.fields(part):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(part, field.name, None)
            assert not isinstance(getattr(part, field.name), list | dict | set)
    assert {"Catalog", "InstanceType", "Layout", "Interface", "Price", "Region", "Zone", "Lustre"} <= seen


def test_mappings_are_read_only() -> None:
    for mapping in (catalog().instances, catalog().sources, catalog().instances["p5.48xlarge"].layouts):
        with pytest.raises(TypeError):
            mapping["new"] = None  # type: ignore[index]  # the point of the test


def test_machines_can_be_keys() -> None:
    assert len({*catalog().instances.values()}) == len(catalog().instances)


def test_the_catalogue_is_loaded_once_and_in_6000_calls() -> None:
    assert catalog() is catalog()
    assert calls_of(load) < 6_000  # 4,353 today, in less than 15 ms


def test_the_catalogue_needs_only_the_standard_library() -> None:
    program = "import sys; from config.catalog import catalog; catalog(); print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=DATA.parents[2]
    )
    assert not {"pydantic", "yaml", "aws_cdk", "jsii", "boto3", "difflib"} & set(run.stdout.split())


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("p5.48xlrge", "p5.48xlarge"),
        ("p6b200.48xlarge", "p6-b200.48xlarge"),
        ("P6-B300.48XLARGE", "p6-b300.48xlarge"),
        ("ml.p5en.48xlarge", "p5en.48xlarge"),
        ("p6-b200", "p6-b200.48xlarge"),
    ],
)
def test_the_nearest_name_is_the_one_that_was_meant(typed: str, meant: str) -> None:
    assert catalog().nearest(typed)[0] == meant
    assert catalog().instance(typed) is None


def test_a_family_that_is_none_is_reported_those_that_begin_so() -> None:
    assert sorted(catalog().nearest("p6.48xlarge")) == [
        "p6-b200.48xlarge",
        "p6-b300.48xlarge",
        "p6e-gb200.36xlarge",
    ]


@pytest.mark.long
@given(st.text(max_size=40))
def test_nearest_only_ever_names_known_types(text: str) -> None:
    found = catalog().nearest(text)
    assert len(found) <= 3
    assert set(found) <= set(catalog().instances)


@given(st.sampled_from(sorted(catalog().instances)))
def test_nearest_to_a_known_name_is_itself(name: str) -> None:
    assert catalog().nearest(name)[0] == name


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 1), st.sampled_from(InterfaceType)), max_size=60)
)
def test_addresses_and_efas_cover_every_interface(places: list[tuple[int, int, InterfaceType]]) -> None:
    made = tuple(Interface(network_card_index=c, device_index=d, interface_type=k) for c, d, k in places)
    layout = Layout(name="any", interfaces=made, confidence="high", source=("DERIVED",))
    both = sum(i.interface_type is InterfaceType.EFA for i in made)
    assert layout.addresses + layout.efa_count - both == len(made)
    assert layout.addresses == sum(i.interface_type is not InterfaceType.EFA_ONLY for i in made)


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 1), st.sampled_from(InterfaceType))
def test_a_range_of_cards_stands_for_each_of_them(
    first: int, more: int, device: int, kind: InterfaceType
) -> None:
    assert indexes(f"{first}-{first + more}") == list(range(first, first + more + 1))
    made = interfaces([f"{first}-{first + more}/{device} {kind}"])
    assert [i.network_card_index for i in made] == list(range(first, first + more + 1))
    assert {(i.device_index, i.interface_type) for i in made} == {(device, kind)}


def test_the_files_are_plain_json_with_one_trailing_newline() -> None:
    for name in FILES:
        text = paths()[name].read_text(encoding="utf-8")
        assert json.loads(text)
        assert text.endswith("}\n")
        assert not text.endswith("\n\n")
