"""Files that cannot be found, read or parsed: a diagnostic, never a traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from config.cluster import Cluster, load_cluster
from config.diagnostics import Diagnostic
from tests.calls import calls_of

Check = Callable[..., Cluster]


def only(cluster: Cluster) -> Diagnostic:
    (diagnostic,) = cluster.diagnostics
    return diagnostic


@pytest.mark.parametrize("argument", [None, ""])
def test_a_missing_name_lists_the_built_in_profiles(argument: str | None) -> None:
    cluster = load_cluster(argument)
    assert cluster.exit_status == 2
    assert only(cluster).code == "PRO001"
    assert "p6-b200-cluster" in only(cluster).hint


@pytest.mark.parametrize(
    ("argument", "nearest"),
    [("p6-b20", "p6-b200"), ("P5EN", "p5en"), ("gb200", "p6e-gb200"), ("p6_b300", "p6-b300")],
)
def test_an_unknown_name_offers_the_nearest_ones(argument: str, nearest: str) -> None:
    cluster = load_cluster(argument)
    assert cluster.exit_status == 2
    assert only(cluster).code == "PRO002"
    assert repr(argument) in only(cluster).message
    assert nearest in only(cluster).hint.split("?")[0]


def test_a_name_like_no_other_offers_all() -> None:
    assert only(load_cluster("zzz")).hint.startswith("built-in profiles are p5, p5-dev, p5e")


def test_a_file_that_is_not_there_is_named() -> None:
    assert "the file does not exist" in only(load_cluster("folder/mine.yaml")).message


@pytest.mark.parametrize(
    "argument",
    ["a" * 5000, "/a" * 5000 + ".yaml", "nul\0.yaml", "~nobody-here/mine.yaml", ".", "..", "\ud800.yaml"],
    ids=["long-name", "long-path", "nul", "home", "dot", "dots", "surrogate"],
)
def test_a_name_that_no_file_can_have_is_no_traceback(argument: str) -> None:
    cluster = load_cluster(argument)
    assert cluster.exit_status == 2
    assert len(only(cluster).message) < 200


def test_a_loop_of_links_is_no_traceback(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").symlink_to("b.yaml")
    (tmp_path / "b.yaml").symlink_to("a.yaml")
    assert only(load_cluster("a.yaml", base=tmp_path)).code == "PRO002"


def test_a_link_is_known_by_its_own_name(tmp_path: Path) -> None:
    (tmp_path / "stored").write_text("extends: p6-b200\nname: mine\n")
    (tmp_path / "mine.yaml").symlink_to("stored")
    assert load_cluster("mine.yaml", base=tmp_path).exit_status == 0


def test_a_folder_cannot_be_read(tmp_path: Path) -> None:
    cluster = load_cluster(str(tmp_path))
    assert cluster.exit_status == 2
    assert only(cluster).code == "PRO003"
    assert only(cluster).message.endswith("is a directory")


def test_text_that_is_not_utf_8_cannot_be_read(check: Check) -> None:
    cluster = check("name: é".encode("latin-1"))
    assert (cluster.exit_status, only(cluster).code) == (2, "PRO003")
    assert only(cluster).message == "cannot read my.yaml: it is not UTF-8 text"


def test_a_file_too_large_for_a_profile_is_not_read(check: Check) -> None:
    text = "# " + "x" * 2_000_000
    assert only(check(text)).code == "PRO003"
    assert calls_of(lambda: check(text)) < 1_000


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
def test_a_file_without_end_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "endless.yaml").symlink_to("/dev/zero")
    assert only(load_cluster("endless.yaml", base=tmp_path)).code == "PRO003"


def test_a_byte_order_mark_is_passed_over(check: Check) -> None:
    assert check("\ufeffextends: p6-b200\nname: mine\n").exit_status == 0


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("", "is empty"),
        ("# only a comment\n", "is empty"),
        ("- a\n", "contains a list"),
        ("7", "contains a single value"),
    ],
)
def test_a_file_without_keys_is_no_profile(text: str, held: str, check: Check) -> None:
    cluster = check(text)
    assert (cluster.exit_status, only(cluster).code) == (1, "PRO005")
    assert held in only(cluster).message
    assert "extends: p6-b200" in only(cluster).hint


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("name: mine\nregion: [us-west-2\n", 3),
        ("name: mine\n\tregion: us-west-2\n", 2),
        ("name: mine\nregion us-west-2\nx: 1\n", 3),
        ("name: 'mine\n", 2),
        ("a: *nowhere\n", 1),
        ("a: \x01\n", 1),
        ("name: mine\nregio", 2),
    ],
    ids=["bracket", "tab", "colon", "quote", "alias", "control-character", "cut-off-without-a-line-end"],
)
def test_broken_yaml_is_reported_with_its_line(text: str, line: int, check: Check) -> None:
    cluster = check(text)
    assert cluster.exit_status == 1
    assert (only(cluster).code, only(cluster).file, only(cluster).line) == ("PRO004", "my.yaml", line)


def test_a_second_document_is_reported(check: Check) -> None:
    diagnostic = only(check("name: mine\n---\nname: yours\n"))
    assert (diagnostic.message, diagnostic.line) == ("a second document starts here", 2)


def test_a_key_written_twice_is_reported_with_both_lines(errors: Callable[..., list[Diagnostic]]) -> None:
    (found,) = errors("storage:\n  lustre:\n    efa: true\n    efa: false\n")
    assert (found.code, found.path, found.line) == ("PRO004", "storage.lustre.efa", 6)
    assert found.message == "duplicate key `efa`, first set on line 5"


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("<<: {region: us-east-1}\n", "merge keys (<<) are not supported"),
        ("account: !Ref Account\n", "the tag !Ref is not supported"),
        ("description: !!binary aGk=\n", "the tag tag:yaml.org,2002:binary is not supported"),
        ("? [a, b]\n: c\n", "a key must be a plain text"),
    ],
)
def test_yaml_that_a_profile_does_not_read_is_refused(
    lines: str, said: str, errors: Callable[..., list[Diagnostic]]
) -> None:
    assert said in [found.message for found in errors(lines) if found.code == "PRO004"]


def test_anchors_and_aliases_are_read(check: Check) -> None:
    cluster = check(
        "extends: p6-b200\nname: mine\nstorage:\n  lustre:\n    data_repositories:\n"
        "      - {path: /a, bucket: new, import: &all [new, changed, deleted]}\n"
        "      - {path: /b, bucket: new, export: *all}\n"
    )
    assert cluster.exit_status == 0
    assert cluster.design
    assert cluster.design.lustre
    assert cluster.design.lustre.repositories[1].export_events == ("changed", "deleted", "new")


_LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 12)
)


@pytest.mark.parametrize(
    "text",
    [
        _LAUGHS,
        "a: &a [*a, *a]\n",
        "a: &a {b: *a, c: *a}\n",
        "a: " + "[" * 200_000,
        "a: " + "[" * 500 + "]" * 500,
        "{a: " * 5_000,
        "".join(" " * depth + "a:\n" for depth in range(1_200)),
    ],
    ids=["billion-laughs", "list-of-itself", "mapping-of-itself", "open", "nested", "flow", "block"],
)
def test_yaml_without_end_is_refused_at_once(text: str, check: Check) -> None:
    cluster = check(text)
    assert calls_of(lambda: check(text)) < 100_000
    assert cluster.exit_status == 1
    assert {diagnostic.code for diagnostic in cluster.diagnostics} == {"PRO004"}
