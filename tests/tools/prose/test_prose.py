"""The word list finds its words in every type of text, and the counts only fall."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from scripts.tools.prose import sample
from scripts.tools.prose.__main__ import COUNTS, main
from scripts.tools.prose.hits import rows
from scripts.tools.prose.subject import main as main_of_subject
from scripts.tools.prose.texts import files, is_prose, texts_of
from tests.conftest import ROOT

LIST = "scripts/tools/prose/words.yaml"
PLANTED = {
    "docs/guides/planted.md": ("# Title\n\nA sentence.\n\n- The rule tells the value.\n", 5, "docs"),
    "config/rules/planted.py": ('X = f"{__name__} tells the value"\n', 1, "strings"),
    "config/catalog/data/planted.json": (
        '{\n"why": "the rule tells the value"\n}\n',
        2,
        "strings",
    ),
    "config/rules/storage/examples/planted.yaml": ("A:\n  why: the rule tells the value\n", 2, "strings"),
    "config/profiles/planted.yaml": ("name: a\n# the rule tells the value\n", 2, "docs"),
    "scripts/cli/planted.py": ('"""A module.\n\nIt tells the value.\n"""\n', 3, "docstrings"),
    "scripts/cli/comment.py": ("X = 1  # it tells the value\n", 1, "docstrings"),
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of some of the product, with the counts of all of it."""
    for name in ("README.md", COUNTS, "config/rules/storage", "docs/guides"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("name", PLANTED)
def test_a_listed_word_is_found_with_its_place(
    name: str, tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, line, kind = PLANTED[name]
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text(text, encoding="utf-8")
    assert main([str(tree / name)], tree) == 1
    (hit,) = capsys.readouterr().out.splitlines()
    assert hit.startswith(f"{name}:{line}: {kind}: tell: 'tells': write report")


def test_a_count_above_its_number_fails(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--write"], tree)
    assert main([], tree) == 0
    declared = (tree / COUNTS).read_text(encoding="utf-8")
    (tree / "docs/guides/more.md").write_text("It tells the value.\n", encoding="utf-8")
    capsys.readouterr()
    assert main([], tree) == 1
    assert "docs/guides/more.md:1: docs: tell" in capsys.readouterr().out
    assert main(["--write"], tree) == 1
    assert (tree / COUNTS).read_text(encoding="utf-8") == declared


def test_a_count_falls_and_a_count_of_zero_has_no_row(tree: Path) -> None:
    (tree / COUNTS).write_text('{"docs": {"docs/planted": 5}}', encoding="utf-8")
    (tree / "docs/planted").mkdir()
    (tree / "docs/planted/page.md").write_text("It tells the value.\n", encoding="utf-8")
    main(["--write"], tree)
    assert json.loads((tree / COUNTS).read_text(encoding="utf-8"))["docs"] == {"docs/planted": 1}
    shutil.rmtree(tree / "docs/planted")
    main(["--write"], tree)
    assert json.loads((tree / COUNTS).read_text(encoding="utf-8")) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lustre capacity … GiB is not a multiple", True),
        ("see `sum by (x) (y)` on that page", True),
        ("write `spare: 0` here", False),  # two words
        ("sum by (instance) (rate(node_disk_bytes[5m])) > 0", False),
        ("^(?:a|b) and [a-z]+ or \\d+ then$", False),
        (".items[] | select(.status == 1) | .name", False),
        ("set -eu && cd the folder of it", False),
        ("SELECT name FROM a WHERE it is there", False),
        ("node_group", False),
    ],
)
def test_prose_is_reported_from_programs(text: str, expected: bool) -> None:
    assert is_prose(text) is expected


def test_textlint_finds_a_wrong_product_name(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Title\n\nThe the cloudwatch alarm of `cloudwatch` fires.\n", encoding="utf-8")
    node, linter = Path(sys.executable).with_name("node"), ROOT / "node_modules/textlint/bin/textlint.js"
    done = subprocess.run(
        [node, linter, "--format", "unix", "--config", ROOT / ".textlintrc.json", page],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    assert "page.md:3:5" in done.stdout
    assert "use “CloudWatch”" in done.stdout
    assert done.stdout.count("[Error/") == 2


def test_the_texts_of_the_product_are_of_every_type() -> None:
    kinds = {
        text.kind for file in files(ROOT, ["docs/guides", "config/rules"]) for text in texts_of(ROOT, file)
    }
    assert kinds == {"docs", "strings", "docstrings"}
    assert len(rows()) > 50


@pytest.mark.long
def test_a_sample_has_ten_sentences_of_each_type_and_is_the_same_for_a_seed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    outputs = []
    for seed in ("a", "a", "b"):
        assert sample.main([seed]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1] != outputs[2]
    heads = [line for line in outputs[0].splitlines() if not line.startswith("  ")]
    assert heads == ["guides:", "diagnostics:", "output:", "docstrings:"]
    assert len(outputs[0].splitlines()) == 44


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("Treat 0.0.0.0/1 as public", []),
        ("Pass the zone to the planner", []),
        ("Merge branch 'main'", []),
        ("treat 0.0.0.0/1 as public", ["`treat` must contain only letters and start with a capital"]),
        ("Fix: the zone", ["`Fix:` must contain only letters and start with a capital"]),
        ("Added a rule", ["`Added` is not in the imperative, such as Add, Fix or Rewrite"]),
        ("Fixes a rule", ["`Fixes` is not in the imperative, such as Add, Fix or Rewrite"]),
        (
            "Adding a rule.",
            ["`Adding` is not in the imperative, such as Add, Fix or Rewrite", "a period at the end"],
        ),
        ("Add " + "a" * 69, ["73 characters, at most 72"]),
        ("", ["`` must contain only letters and start with a capital"]),
    ],
)
def test_a_commit_subject_is_checked(
    subject: str, expected: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "COMMIT_EDITMSG"
    file.write_text(f"{subject}\n\nwhy.\n" if subject else "# only a comment\n", encoding="utf-8")
    assert main_of_subject([str(file)]) == bool(expected)
    assert [
        line.removeprefix("commit subject: ") for line in capsys.readouterr().err.splitlines()
    ] == expected


@pytest.mark.parametrize("row", yaml.safe_load((ROOT / LIST).read_text(encoding="utf-8"))["kept"], ids=str)
def test_a_text_that_must_not_change_is_in_its_file(row: dict[str, str]) -> None:
    path = ROOT / row["file"]
    short = row["text"].replace("…", "{") in re.sub(r"{[^}]*}", "{", path.read_text("utf-8"))
    assert short or row["text"] in {text.text for text in texts_of(ROOT, path)}
