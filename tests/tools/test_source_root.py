"""The folder `constructs/` is a source root: an `__init__.py` there would shadow the library of that name."""

from pathlib import Path

import constructs

ROOT = Path(__file__).parents[2]


def test_import_constructs_gives_the_library() -> None:
    assert constructs.__file__ is not None
    assert ROOT / "constructs" not in Path(constructs.__file__).parents
    assert hasattr(constructs, "Construct")


def test_the_source_root_holds_no_python_file_of_its_own() -> None:
    assert list((ROOT / "constructs").glob("*.py")) == []


def test_tests_have_no_init_files() -> None:
    assert list((ROOT / "tests").rglob("__init__.py")) == []
