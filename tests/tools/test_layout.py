"""The repository keeps its shape: the source root, the import rules, no trace of a machine."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

from scripts.tools.setup.lock import REQUIREMENTS

ROOT = Path(__file__).parents[2]

#: Folders that exist on many machines and that a text may well name.
COMMON = {"/", "/home", "/root", "/tmp", "/var/tmp", "/opt", "/srv", "/usr", "/usr/src", "/Users"}


def run(*command: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@cache
def tracked() -> list[Path]:
    """The files of the repository, new ones included."""
    listed = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def tracked_texts() -> Iterator[tuple[Path, str]]:
    """The text files of the repository with their content."""
    for path in tracked():
        content = path.read_bytes()
        if b"\0" not in content:
            yield path.relative_to(ROOT), content.decode()


@pytest.mark.sample(2)
@pytest.mark.parametrize("folder", [".", "constructs", "stacks", "tests"])
def test_import_constructs_gives_the_library(folder: str) -> None:
    code = "import constructs, constructs._jsii; print(constructs.__file__)"
    answer = run(sys.executable, "-c", code, cwd=ROOT / folder)
    assert answer.returncode == 0, answer.stderr
    assert ROOT / "constructs" not in Path(answer.stdout.strip()).parents


def test_constructs_is_a_source_root_with_one_package() -> None:
    assert [path.name for path in (ROOT / "constructs").glob("*.py")] == []
    packages = [path.parent.name for path in (ROOT / "constructs").glob("*/__init__.py")]
    assert packages == ["ultracluster"]


def test_tests_are_no_packages() -> None:
    assert [path for path in tracked() if path.name == "__init__.py" and ROOT / "tests" in path.parents] == []


@pytest.mark.long
def test_no_folder_has_more_than_25_entries() -> None:
    entries = defaultdict(set)
    for path in tracked():
        for entry in (path, *path.parents):
            if ROOT in entry.parents and entry.name != "__init__.py":
                entries[entry.parent].add(entry.name)
    assert len(entries) > 100
    assert {str(folder): len(names) for folder, names in entries.items() if len(names) > 25} == {}


def test_import_rules_hold() -> None:
    answer = run(str(Path(sys.executable).with_name("lint-imports")), "--no-cache")
    assert answer.returncode == 0, answer.stdout + answer.stderr


def machine_paths() -> list[str]:
    """This checkout, the folder above it where that is not a common one, and this environment."""
    candidates = [ROOT, *list(ROOT.parents)[:-2], Path(sys.prefix)]
    return sorted({str(path) for path in candidates if str(path) not in COMMON and path != Path("/")})


def test_no_tracked_file_names_a_path_of_this_machine() -> None:
    pattern = re.compile("|".join(rf"{re.escape(path)}(?![\w-])" for path in machine_paths()))
    found = [f"{path}: {match.group()}" for path, text in tracked_texts() if (match := pattern.search(text))]
    assert found == []


def leaves_the_tree(path: Path, text: str) -> list[str]:
    """Places in a file that name a folder above the root: by parents, or by `..`."""
    depth = len(path.parents) - 1
    found = re.findall(r"ROOT\.parent\b|ROOT\.parents\[|\.\./shared\b", text)
    # `__file__` has one parent in the repository for each folder of its path, and the root
    found += [m[0] for m in re.finditer(r"__file__\b.*\.parents\[(\d+)\]", text) if int(m[1]) > depth]
    found += [
        m[0]
        for m in re.finditer(r"__file__\)(?:\.resolve\(\))?(?:\.parent\b)+", text)
        if m[0].count(".parent") > depth + 1
    ]
    # links and sources are relative to their file
    climbs = re.findall(r"(?<![\w./$*])(?:\.\./)+(?=[\w.])", text)
    return found + [climb for climb in climbs if climb.count("../") > depth]


def test_no_tracked_file_reads_outside_the_repository() -> None:
    found = {str(path): places for path, text in tracked_texts() if (places := leaves_the_tree(path, text))}
    assert found == {}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tests/conftest.py", "ROOT@parent / 'crds'"),
        ("tests/conftest.py", "OTHER_ROOT@parents[0]"),
        ("scripts/tools/one.py", "Path(__file__)@resolve()@parents[3]"),
        ("scripts/tools/one.py", "Path(__file__)@parent@parent@parent@parent"),
        ("scripts/tools/one.sh", "cat @@/@@/@@/crds/one.json"),
        ("docs/one.md", "[one](@@/@@/one.md)"),
        (".ci/run", "cp @@/shared/one ."),
    ],
)
def test_a_path_that_leaves_the_repository_is_found(path: str, text: str) -> None:
    assert leaves_the_tree(Path(path), text.replace("@", "."))
    deeper = re.sub(r"^[^/]*/", "a/b/c/d/", path)
    if "ROOT" not in text and "shared" not in text:
        assert not leaves_the_tree(Path(deeper), text.replace("@", "."))


def test_files_that_machines_write_name_no_local_address() -> None:
    pattern = re.compile(r"file://|/site-packages/|--index-url|--find-links|\"resolved\"")
    for name in (*REQUIREMENTS, "package-lock.json", "package.json", "cdk.json"):
        assert not pattern.search((ROOT / name).read_text()), name


def test_every_make_target_that_the_documents_name_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    for document in ("README.md", "CONTRIBUTING.md"):
        code = "\n".join(
            re.findall(r"`[^`]+`|^```.*?^```", (ROOT / document).read_text(), re.MULTILINE | re.DOTALL)
        )
        named = set(re.findall(r"(?:^|`|&& )make ([a-z-]+)", code, flags=re.MULTILINE))
        assert named <= targets, document


def test_every_path_that_contributing_names_exists() -> None:
    named = re.findall(
        r"`((?:config|constructs|stacks|scripts|tests|docs)/[^` ]*)`", (ROOT / "CONTRIBUTING.md").read_text()
    )
    assert len(named) > 40
    assert [path for path in named if not [*ROOT.glob(path.replace("ROOM", "storage").rstrip("/"))]] == []


def test_every_listed_make_target_has_its_line() -> None:
    listed = run("make", "help").stdout
    for target in (
        "deploy",
        "synth",
        "diff",
        "destroy",
        "test",
        "snapshots",
        "bench",
        "lint",
        "docs",
        "lock",
        "clean",
    ):
        assert re.search(rf"^  {target} +\S", listed, flags=re.MULTILINE), target


def test_the_environment_reads_the_versions_that_the_project_declares() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = declared["dependency-groups"]
    for requirement in [*declared["project"]["dependencies"], *chain(*groups.values())]:
        assert re.fullmatch(r"[A-Za-z0-9._-]+(\[[a-z0-9,]+\])?==[0-9][0-9a-z.]*", requirement), requirement
