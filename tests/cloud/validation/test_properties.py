"""What holds for any properties: the rules agree with those of a profile, and nothing brings them down."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from config.catalog import catalog
from config.catalog.network.layouts import layout_faults
from config.design.names import is_bucket_name
from config.design.storage.repositories import paths_nest
from config.rules.example_rows import TemplateExample
from scripts.cloud.template.functions import KNOWN_AFTER_APPLY
from scripts.cloud.validation import Sibling, problems
from scripts.cloud.validation.requests import rows
from tests.tables import each_row, rows_of

LUSTRE = catalog().lustre


def _shown() -> list[Any]:
    return [(row.type, row.properties, row.beside) for row in rows_of(TemplateExample)]


_ANYTHING = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-3, 10**6),
        st.floats(allow_nan=False),
        st.text(max_size=12),
        st.sampled_from([KNOWN_AFTER_APPLY, "${Later}", "sg-1", "10.0.0.0/33", "::/0", "/", "s3://", "arn:"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)


def codes(kind: str, properties: dict[str, Any], **siblings: Sibling) -> list[str | None]:
    return [problem.code for problem in problems("us-west-2", kind, properties, siblings)]


@given(
    gib=st.one_of(st.integers(1, 200_000), st.integers(1, 80).map(lambda n: n * 2400)),
    tier=st.sampled_from(sorted(LUSTRE.tiers)),
    efa=st.booleans(),
)
def test_storage_13_a_capacity_is_refused_just_where_it_is_no_size(gib: int, tier: int, efa: bool) -> None:
    lustre = {
        "DeploymentType": "PERSISTENT_2",
        "PerUnitStorageThroughput": tier,
        "EfaEnabled": efa,
        "MetadataConfiguration": {"Mode": "AUTOMATIC"},
    }
    properties = {"FileSystemType": "LUSTRE", "StorageCapacity": gib, "LustreConfiguration": lustre}
    exists = LUSTRE.takes_capacity(gib, LUSTRE.tiers[tier], efa=efa)
    assert ("LUS002" in codes("AWS::FSx::FileSystem", properties)) is not exists


@given(
    iops=st.one_of(st.sampled_from(LUSTRE.allowed_metadata_iops), st.integers(1, 200_000)),
    gib=st.integers(1, 80).map(lambda n: n * 2400),
)
def test_storage_10_metadata_iops_are_refused_just_where_the_capacity_gives_more(iops: int, gib: int) -> None:
    lustre = {
        "DeploymentType": "PERSISTENT_2",
        "PerUnitStorageThroughput": 250,
        "MetadataConfiguration": {"Mode": "USER_PROVISIONED", "Iops": iops},
    }
    properties = {"FileSystemType": "LUSTRE", "StorageCapacity": gib, "LustreConfiguration": lustre}
    fits = iops in LUSTRE.allowed_metadata_iops and iops >= LUSTRE.automatic_metadata_iops(gib)
    assert ("LUS004" in codes("AWS::FSx::FileSystem", properties)) is not fits


_PATHS = st.lists(st.sampled_from(["a", "b", "ab"]), max_size=3).map(lambda parts: "/" + "/".join(parts))


@given(one=_PATHS, other=_PATHS)
def test_paths_of_associations_are_refused_just_where_those_of_a_profile_are(one: str, other: str) -> None:
    beside = Sibling("AWS::FSx::DataRepositoryAssociation", {"FileSystemId": "fs-1", "FileSystemPath": other})
    own = {"FileSystemId": "fs-1", "FileSystemPath": one}
    reported = codes("AWS::FSx::DataRepositoryAssociation", own, Beside=beside)
    assert ("DRA002" in reported) is paths_nest(one, other)


@given(st.from_regex(r"[a-zA-Z0-9._-]{1,70}", fullmatch=True))
def test_a_bucket_is_refused_just_where_a_profile_cannot_name_it(name: str) -> None:
    assert ("BKT001" in codes("AWS::S3::Bucket", {"BucketName": name})) is not is_bucket_name(name)


@each_row("name", sorted(catalog().instances))
def test_every_layout_of_the_catalogue_is_taken_and_one_beyond_it_is_not(name: str) -> None:
    instance = catalog().instances[name]
    for layout in instance.layouts.values():
        written = [
            {
                "NetworkCardIndex": interface.network_card_index,
                "DeviceIndex": interface.device_index,
                "InterfaceType": str(interface.interface_type),
            }
            for interface in layout.interfaces
        ]
        data: dict[str, Any] = {"InstanceType": name, "NetworkInterfaces": written}
        assert list(layout_faults(instance.cards, layout.interfaces, instance.max_efa)) == []
        assert codes("AWS::EC2::LaunchTemplate", {"LaunchTemplateData": data}) == []
        data["NetworkInterfaces"] = [*written, {"NetworkCardIndex": len(instance.cards), "DeviceIndex": 0}]
        assert codes("AWS::EC2::LaunchTemplate", {"LaunchTemplateData": data}) == ["EFA002"]


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, item in inner for place in _places(item, (*at, key)))]


def _put(value: Any, at: tuple[Any, ...], what: Any) -> Any:
    if not at:
        return what
    if isinstance(value, dict):
        return {key: _put(item, at[1:], what) if key == at[0] else item for key, item in value.items()}
    return [_put(item, at[1:], what) if number == at[0] else item for number, item in enumerate(value)]


@given(data=st.data(), shown=st.deferred(lambda: st.sampled_from(_shown())), what=_ANYTHING)
def test_properties_of_any_form_are_judged(data: st.DataObject, shown: Any, what: Any) -> None:
    """A review judges a template as it is written, before its form is known to be right."""
    kind, properties, beside = shown
    place = data.draw(st.sampled_from([place for place in _places(properties) if place] or [()]))
    broken = _put(properties, place, what) if place else {"Name": what}
    siblings = {
        f"Other{number}": Sibling(
            of_type,
            data.draw(st.sampled_from([sibling_properties, {}, {"Path": what}])),
            frozenset({identity}),
        )
        for number, (of_type, identity, sibling_properties) in enumerate(beside)
    }
    for problem in problems("us-west-2", kind, broken, siblings):
        assert problem.message


@given(data=st.data(), kind=st.sampled_from(sorted(rows())), what=_ANYTHING)
def test_any_value_of_any_property_is_judged(data: st.DataObject, kind: str, what: Any) -> None:
    from tests.cloud.validation.comparison import properties_at

    path = data.draw(st.sampled_from(sorted(properties_at(kind)))).split("/")
    properties = what
    for name in reversed(path):
        properties = {name: properties}
    for problem in problems("us-west-2", kind, properties, {}):
        assert problem.path.split("/")[0] == path[0]


@each_row("shown", _shown, str)
def test_nothing_that_comes_later_is_refused(shown: Any) -> None:
    kind, properties, _ = shown
    later = dict.fromkeys(properties, KNOWN_AFTER_APPLY)
    reported = problems("us-west-2", kind, later, {})
    assert [problem for problem in reported if problem.path in later] == []
