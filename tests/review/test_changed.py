"""Which profiles of a repository a change touches, and what is told of each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.diagnostics import Diagnostic, Severity
from scripts.cli.main import main
from scripts.cli.review.changed import review_changed
from scripts.cli.review.errors import UnusableError
from scripts.cli.review.forms.markdown import MARKER, NOTHING
from scripts.cli.review.inputs import changed as inputs
from scripts.cli.review.inputs.changed import Options
from scripts.cli.review.inputs.load import UnusableInputsError
from scripts.cli.review.inputs.profiles import ROOT, ProfileRead
from scripts.cli.review.inputs.side import StackTemplate
from scripts.cli.review.report import Report
from tests.review.support import Repository, git, template

ASKED: list[tuple[str, Path]] = []


def finding(code: str, severity: Severity) -> Diagnostic:
    return Diagnostic(code=code, severity=severity, path="a", message=f"m {code}", hint="h", source="s")


def read(path: str, base: Path, orchestrator: str | None, *, app: Path = ROOT) -> ProfileRead:
    """A profile as the synthesis of this test reads it: a topic whose name is all that the files say."""
    ASKED.append((path, app))
    texts, data = "", yaml.safe_load((base / path).read_text())
    while isinstance(data.get("extends"), str) and (base / path).parent.joinpath(data["extends"]).is_file():
        texts += str(data)
        data = {
            **yaml.safe_load((base / path).parent.joinpath(data["extends"]).read_text()),
            **data,
            "extends": None,
        }
    found = tuple(finding(code, Severity.ERROR) for code in data.get("errors", ()))
    found += tuple(finding(code, Severity.WARNING) for code in data.get("warnings", ()))
    if data.get("crash"):
        raise UnusableError([f"{path} could not be synthesized: boom"], "try `cdk synth` with it")
    if data.get("errors"):
        return ProfileRead(stack=None, found=found)
    topic = {"Type": "AWS::SNS::Topic", "Properties": {"TopicName": str(data.get("topic", "t"))}}
    stack = StackTemplate(template=template({"T": topic}), name=data["name"], region="us-west-2", found=found)
    return ProfileRead(stack=stack, found=found)


@pytest.fixture(autouse=True)
def _synthesis(monkeypatch: pytest.MonkeyPatch) -> None:
    ASKED.clear()
    monkeypatch.setattr(inputs, "read_profile", read)


def reviewed(folder: Path, old: str = "v0", new: str = "v1", *under: str) -> Report:
    return review_changed(old, new, Options(folder=folder, under=under))


def reported(report: Report) -> list[tuple[str | None, str | None, str]]:
    return [(review.profile, review.stack, review.status) for review in report.stacks]


def profile(name: str, **more: Any) -> str:
    return yaml.safe_dump({"extends": "p6-b200", "name": name, **more})


def test_only_profiles_that_differ_are_read(repository: Repository) -> None:
    same = profile("same")
    folder = repository(
        {
            "clusters/a.yaml": profile("a"),
            "clusters/same.yaml": same,
            "readme.md": "1",
            "k8s.yaml": "kind: Job\n",
        },
        {"clusters/a.yaml": profile("a", topic="u"), "readme.md": "2", "k8s.yaml": "kind: Pod\n"},
    )
    report = reviewed(folder)
    assert reported(report) == [("clusters/a.yaml", "a", "changed")]
    assert report.stacks[0].counts == {"replace": 1}
    assert {path for path, _ in ASKED} == {"clusters/a.yaml"}


def test_nothing_is_to_be_reviewed_where_no_profile_differs(repository: Repository) -> None:
    folder = repository({"a.yaml": profile("a")}, {"readme.md": "1"})
    report = reviewed(folder)
    assert (report.stacks, report.exit_status, ASKED) == ((), 0, [])


def test_a_comment_changes_nothing_and_is_rejected(repository: Repository) -> None:
    folder = repository({"a.yaml": profile("a")}, {"a.yaml": f"# why\n{profile('a')}"})
    assert reported(reviewed(folder)) == [("a.yaml", "a", "unchanged")]


def test_profiles_that_come_and_go_are_reported(repository: Repository) -> None:
    folder = repository(
        {"a.yaml": profile("a", warnings=["AAA001"])}, {"b.yaml": profile("b", warnings=["BBB001"])}
    )
    (folder / "a.yaml").unlink()
    git(folder, "commit", "--all", "--quiet", "--message=gone")
    report = reviewed(folder, "v0", "HEAD")
    assert reported(report) == [("a.yaml", "a", "removed"), ("b.yaml", "b", "added")]
    removed, added = report.stacks
    assert [d.code for d in removed.diagnostics] == ["REV050"]
    assert [d.code for d in added.diagnostics] == ["BBB001"]
    assert report.exit_status == 0


def test_a_file_that_moves_is_the_same_stack(repository: Repository) -> None:
    folder = repository({"a.yaml": profile("a"), "z.yaml": profile("z")})
    (folder / "clusters").mkdir()
    git(folder, "mv", "a.yaml", "clusters/b.yaml")
    git(folder, "commit", "--quiet", "--message=moved")
    assert reported(reviewed(folder, "v0", "HEAD")) == [("a.yaml -> clusters/b.yaml", "a", "unchanged")]


def test_a_profile_with_errors_is_refused_with_all_of_them(repository: Repository) -> None:
    broken = profile("a", errors=["AAA001", "AAA002"], warnings=["AAA003"])
    folder = repository({"a.yaml": profile("a")}, {"a.yaml": broken})
    report = reviewed(folder)
    assert reported(report) == [("a.yaml", "a", "refused")]
    assert [d.code for d in report.stacks[0].diagnostics] == ["AAA001", "AAA002", "AAA003"]
    assert report.exit_status == 1


def test_a_profile_that_is_mended_tells_which_errors_went(repository: Repository) -> None:
    folder = repository({"a.yaml": profile("a", errors=["AAA001"])}, {"a.yaml": profile("a")})
    report = reviewed(folder)
    assert reported(report) == [("a.yaml", "a", "mended")]
    assert [d.code for d in report.stacks[0].gone] == ["AAA001"]
    assert report.exit_status == 0


def test_a_refused_profile_that_goes_fails_nothing(repository: Repository) -> None:
    folder = repository({"a.yaml": profile("a", errors=["AAA001"]), "b": "b"})
    (folder / "a.yaml").unlink()
    git(folder, "commit", "--all", "--quiet", "--message=gone")
    report = reviewed(folder, "v0", "HEAD")
    assert (reported(report), report.exit_status) == ([("a.yaml", None, "removed")], 0)


BASES: list[tuple[str, dict[str, str], dict[str, str]]] = [
    ("what_it_extends", {"base.yaml": "extends: p5\n"}, {"a.yaml": "extends: ../base.yaml\nname: a\n"}),
    (
        "a_data_profile",
        {"base.yaml": profile("d")},
        {"a.yaml": profile("a", data={"profile": "../base.yaml"})},
    ),
    ("a_script", {"s.sh": "#"}, {"a.yaml": profile("a", orchestrator={"lifecycle": {"script": "../s.sh"}})}),
    ("a_folder", {"c/d/e": "#"}, {"a.yaml": profile("a", orchestrator={"charts": {"folder": "../c"}})}),
]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("before", "mine"), [case[1:] for case in BASES], ids=[case[0] for case in BASES])
def test_a_profile_is_touched_by_a_file_that_it_names(
    repository: Repository, before: Mapping[str, str], mine: Mapping[str, str]
) -> None:
    files = {f"x/{name}": text for name, text in before.items()} | {f"x/y/{n}": t for n, t in mine.items()}
    folder = repository(files, {f"x/{name}": f"{text}# more\n" for name, text in before.items()})
    assert "x/y/a.yaml" in [review.profile for review in reviewed(folder).stacks]


def test_a_profile_that_is_called_like_a_folder_does_not_name_it(repository: Repository) -> None:
    folder = repository({"docs.yaml": profile("docs"), "docs/a.md": "1"}, {"docs/a.md": "2"})
    assert reported(reviewed(folder)) == []


def test_a_large_chart_is_brought_along_whole(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = profile("a", orchestrator={"charts": {"folder": "charts"}})
    folder = repository(
        {"a.yaml": mine, "charts/big.tgz": "x" * 2_000_000}, {"charts/big.tgz": "y" * 2_000_000}
    )
    sizes: list[int] = []

    def sized(path: str, base: Path, orchestrator: str | None, *, app: Path = ROOT) -> ProfileRead:
        sizes.append((base / "charts/big.tgz").stat().st_size)
        return read(path, base, orchestrator, app=app)

    monkeypatch.setattr(inputs, "read_profile", sized)
    assert reported(reviewed(folder)) == [("a.yaml", "a", "unchanged")]
    assert sizes == [2_000_000] * 2


def test_settings_of_the_users_git_change_nothing(repository: Repository) -> None:
    folder = repository({"a.yaml": profile("a")}, {"a.yaml": profile("a", topic="u")})
    for name, value in (("color.ui", "always"), ("diff.renames", "copies"), ("grep.lineNumber", "true")):
        git(folder, "config", name, value)
    assert reported(reviewed(folder)) == [("a.yaml", "a", "changed")]


def test_a_base_without_a_name_is_no_stack_of_its_own(repository: Repository) -> None:
    files = {"base.yaml": "extends: p5\n", "a.yaml": "extends: base.yaml\nname: a\n"}
    folder = repository(files, {"base.yaml": "extends: p5\ntopic: u\n"})
    assert reported(reviewed(folder)) == [("a.yaml", "a", "changed")]


def test_a_base_that_is_missing_and_comes_touches_its_profile(repository: Repository) -> None:
    folder = repository({"a.yaml": "extends: base.yaml\nname: a\n"}, {"base.yaml": "extends: p5\n"})
    assert ("a.yaml", "a", "unchanged") in reported(reviewed(folder))


@pytest.mark.long
def test_where_profiles_are_looked_for_can_be_set(repository: Repository) -> None:
    both = {"x/a.yaml": profile("a"), "y/b.yaml": profile("b"), "y/c.yaml": profile("c")}
    folder = repository(both, {name: text + "tags: {a: b}\n" for name, text in both.items()})
    assert [r.profile for r in reviewed(folder, "v0", "v1", "y").stacks] == ["y/b.yaml", "y/c.yaml"]
    assert [r.profile for r in reviewed(folder, "v0", "v1", "x", "y/c.yaml").stacks] == [
        "x/a.yaml",
        "y/c.yaml",
    ]
    # from a folder of the repository as from its top
    assert [r.profile for r in reviewed(folder / "y", "v0", "v1", "b.yaml").stacks] == ["y/b.yaml"]
    assert len(reviewed(folder / "y").stacks) == 3
    with pytest.raises(UnusableError, match="z is in neither revision"):
        reviewed(folder, "v0", "v1", "z")


def test_files_of_other_programs_are_no_profiles(repository: Repository) -> None:
    others = {
        ".eslintrc.yaml": "extends: a\n", ".github/workflows/a.yaml": "name: a\ncompute: b\n",
        "a.json": '{"extends": 1}', "values.yaml": "image:\n  storage: 1\n", "notes.md": "extends: x\n",
    }  # fmt: skip
    folder = repository(others, {name: f"{text}\n" for name, text in others.items()})
    assert reported(reviewed(folder)) == []


def test_a_file_that_is_no_yaml_any_more_is_not_passed_over(repository: Repository) -> None:
    folder = repository({"a.yaml": profile("a")}, {"a.yaml": "extends: p6-b200\nname: [a\n"})
    with pytest.raises(yaml.YAMLError):  # this test's synthesis reads it, as the loader of profiles does
        reviewed(folder)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("v0", "nowhere", ["NEW nowhere"]),
        ("nowhere", "v1", ["OLD nowhere"]),
        ("x", "y", ["OLD x", "NEW y"]),
        ("--all", "v1", ["OLD --all"]),
    ],
)
def test_unknown_revisions_are_reported_together(
    repository: Repository, old: str, new: str, said: list[str]
) -> None:
    folder = repository({"a.yaml": profile("a")}, {"a.yaml": profile("b")})
    with pytest.raises(UnusableInputsError) as raised:
        reviewed(folder, old, new)
    assert [f"{side} {argument}" for side, argument, _ in raised.value.problems] == said
    assert "is not a revision of this repository" in str(raised.value)


def test_profiles_that_cannot_be_synthesized_are_reported_together(repository: Repository) -> None:
    folder = repository(
        {"a.yaml": profile("a"), "b.yaml": profile("b")},
        {"a.yaml": profile("a", crash=True), "b.yaml": profile("b", crash=True)},
    )
    with pytest.raises(UnusableInputsError) as raised:
        reviewed(folder)
    assert [(side, argument) for side, argument, _ in raised.value.problems] == [
        ("NEW", "a.yaml"),
        ("NEW", "b.yaml"),
    ]


def test_a_change_of_ultracluster_itself_touches_every_profile(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {"config/profiles/a.yaml": profile("a"), "stacks/cluster.py": "1"}
    folder = repository(
        files, {"stacks/cluster.py": "2"}, {"config/profiles/a.yaml": profile("a", topic="u")}
    )
    assert reported(reviewed(folder)) == []  # of another repository it is only a file
    monkeypatch.setattr(inputs, "ROOT", folder.resolve())
    assert reported(reviewed(folder)) == [("config/profiles/a.yaml", "a", "unchanged")]
    apps = [app for _, app in ASKED]
    assert len(set(apps)) == 2
    assert folder.resolve() not in apps
    ASKED.clear()
    assert reported(reviewed(folder, "v1", "v2")) == [("config/profiles/a.yaml", "a", "changed")]
    assert {app for _, app in ASKED} == {folder.resolve()}


@pytest.fixture
def here(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = repository(
        {"a.yaml": profile("a"), "b.yaml": profile("b")}, {"a.yaml": profile("a", topic="u")},
        {"a.yaml": profile("a", errors=["AAA001"])}, {"readme.md": "1"},
    )  # fmt: skip
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.sample(4)
@pytest.mark.parametrize(
    ("old", "new", "status"), [("v0", "v1", 0), ("v2", "v3", 0), ("v1", "v2", 1), ("v0", "x", 2)]
)
@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_the_command_ends_as_the_report_says(here: Path, old: str, new: str, status: int, form: str) -> None:
    output = here / "report"
    assert main(["review", old, new, "--changed", "--format", form, "--output", str(output)]) == status
    if form == "json":
        assert json.loads(output.read_text())["exit_status"] == status
    elif form == "markdown":
        assert output.read_text().startswith(MARKER)
        assert output.read_text().endswith(f"{NOTHING}\n") is (old == "v2")
    else:
        assert output.exists() is (status != 2)


@pytest.mark.usefixtures("here")
def test_a_file_that_cannot_be_written_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", "v0", "v1", "--changed", "--output", "no/such/folder"]) == 2
    assert "error: no/such/folder cannot be written: no such file or directory" in capsys.readouterr().err


def test_outside_of_a_repository_the_command_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert main(["review", "v0", "v1", "--changed"]) == 2
    assert "is not in a git repository" in capsys.readouterr().err


def test_options_that_do_not_go_together_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", "a", "b", "--under", "x"]) == 2
    assert "--under requires --changed" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["review", "a", "b", "--changed", "--profile", "x"])
