"""The commands themselves, typed as the guide shows them, on the process of the embedded cloud."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from app import synthesize
from config.cluster import load_cluster
from scripts.cli.lifecycle import teardown_command
from scripts.cli.lifecycle.where import Where
from scripts.cli.main import _parser, main
from scripts.cli.rehearsal.target import Target
from scripts.cloud import state
from scripts.cloud.process import Cloud, start_cloud
from scripts.tools.docs.__main__ import ROOT
from tests.tools.docs.blocks import BLOCKS

pytestmark = [pytest.mark.cloud, pytest.mark.synth]

PAGE = "docs/guides/end-of-a-block.md"
_SHELL = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
REGION = "us-east-2"


def shown() -> list[str]:
    """The commands of the guide, in its order."""
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    blocks = "".join(block.replace("\\\n", " ") for block in _SHELL.findall(text))
    return [
        line.partition("  #")[0].strip() for line in blocks.splitlines() if line.startswith("ultracluster ")
    ]


@pytest.fixture(scope="module")
def cloud() -> Iterator[Cloud]:
    with start_cloud() as running:
        yield running


@pytest.fixture
def typed(cloud: Cloud, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the guide's profile, deployed; `--aws` means the embedded cloud here."""
    (block,) = [block for block in BLOCKS if block.page == PAGE]
    block.saved(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(state, "PATH", tmp_path / "cloud.json")
    state.write(state.Running(cloud.endpoint, cloud.account, 0))
    cluster = load_cluster(f"{block.name}.yaml")
    assert cluster.design is not None, cluster.diagnostics
    folder = tmp_path / "cdk.out"
    synthesize(cluster, outdir=str(folder))
    deploy(cloud, folder, block.name)
    return tmp_path


def deploy(cloud: Cloud, folder: Path, name: str) -> None:
    """What `cdk deploy` does after its assets: none of them is looked into here."""
    from scripts.cloud.assets import put_assets

    put_assets(cloud, REGION, folder)  # type: ignore[arg-type]  # both give clients of an account
    s3, text = cloud.client("s3", REGION), (folder / f"{name}.template.json").read_text(encoding="utf-8")
    bucket = f"cdk-hnb659fds-assets-{cloud.account}-{REGION}"
    s3.put_object(Bucket=bucket, Key="template", Body=text.encode())
    cloudformation = cloud.client("cloudformation", REGION)
    cloudformation.create_stack(
        StackName=name,
        TemplateURL=f"{cloud.endpoint}/{bucket}/template",
        Capabilities=["CAPABILITY_NAMED_IAM"],
        EnableTerminationProtection=True,
    )
    (stack,) = cloudformation.describe_stacks(StackName=name)["Stacks"]
    assert stack["StackStatus"] == "CREATE_COMPLETE", stack


def run(command: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    arguments = [word for word in shlex.split(command)[1:] if word != "--aws"]
    status = main(arguments)
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.long
def test_every_command_of_the_guide_does_what_it_says(
    typed: Path, cloud: Cloud, capsys: pytest.CaptureFixture[str]
) -> None:
    fsx = cloud.client("fsx", REGION)
    (system,) = fsx.describe_file_systems()["FileSystems"]
    arns = cloud.client("sagemaker", REGION).list_clusters()["ClusterSummaries"]
    cloud.simulation(
        "jobs",
        cluster=arns[0]["ClusterName"],
        name="pretrain",
        nodes=["ip-10-1-1-1"],
        duration_s=900,
        partition="dev",
        writes={system["FileSystemId"]: 400},
    )
    commands = shown()
    assert [command.split()[1] for command in commands].count("teardown") >= 2
    statuses = {}
    for command in commands:
        statuses[command], _, err = run(command, capsys)
        assert statuses[command] == 0, f"{command}: {err}"
    files: dict[str, Any] = cloud.simulation("files")
    assert files[system["FileSystemId"]] == {"queued": 0, "unlinked": 0, "exported": 400, "lost": 0}
    stacks = cloud.client("cloudformation", REGION).describe_stacks()["Stacks"]
    assert stacks == []

    # and once more, as a machine reads it
    status, out, _ = run(f"{commands[-1]} --json", capsys)
    assert status == 0
    events = [json.loads(line) for line in out.splitlines()]
    assert events[-1]["event"] == "left"
    assert system["FileSystemId"] in events[-1]["text"]


@pytest.mark.parametrize("as_json", [False, True])
def test_a_wrong_name_is_reported_before_a_cloud_is_started(
    as_json: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(state, "PATH", tmp_path / "cloud.json")
    command = f"ultracluster teardown p5-dev --confirm p5{' --json' if as_json else ''}"
    status, out, err = run(command, capsys)
    assert status == 1
    assert "'p5' is not the stack's name 'p5-dev'; the stack was not destroyed" in (out if as_json else err)
    assert "embedded cloud" not in err


@pytest.mark.parametrize("arguments", ["--release", "--group train --no-wait", "--json"])
def test_a_drain_without_a_cloud_starts_none_and_says_what_else_can_be_asked(
    arguments: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(state, "PATH", tmp_path / "cloud.json")
    status, out, err = run(f"ultracluster drain p5-dev {arguments}", capsys)
    assert status == 2
    reported = json.loads(out)["text"] if "--json" in arguments else err
    assert reported.removeprefix("error: ").startswith("the embedded cloud does not run")
    assert "`ultracluster cloud`" in reported
    assert "`--aws`" in reported
    assert "start an embedded cloud ..." not in err


@pytest.mark.parametrize("arguments", ["drain p5-dev", "teardown p5-dev --dry-run"])
def test_a_stack_that_is_not_there_is_reported_with_the_place_that_was_asked(
    arguments: str,
    cloud: Cloud,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(state, "PATH", tmp_path / "cloud.json")
    state.write(state.Running(cloud.endpoint, cloud.account, 0))
    status, _, err = run(f"ultracluster {arguments}", capsys)
    assert status == 2
    assert "error: the stack p5-dev does not exist in us-east-2 of the embedded cloud" in err
    assert "hint: deploy the stack with `make deploy PROFILE=p5-dev`" in err


def test_who_has_no_credentials_learns_where_some_come_from(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setattr("boto3.DEFAULT_SESSION", None)
    assert main(["drain", "p5-dev", "--aws"]) == 2
    reported = capsys.readouterr().err
    assert "AWS rejects the credentials" in reported
    assert "hint: run `aws sso login`" in reported


def test_a_profile_of_another_folder_is_deployed_for_its_teardown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The CDK app runs in its own folder, and the file was named as it is seen from the user's."""
    seen: list[str] = []

    @contextmanager
    def synthesized(options: Any, profile: str) -> Iterator[None]:
        seen.extend((options.profile, profile))
        yield None

    monkeypatch.setattr(teardown_command, "synthesized", synthesized)
    monkeypatch.setattr(teardown_command, "deploy_stack", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text("extends: p5-dev\nname: mine\n", encoding="utf-8")
    cluster = load_cluster("mine.yaml")
    assert cluster.design is not None
    place = Where(
        target=Target("123456789012", started=True, cloud=None),
        design=cluster.design,
        profile="mine.yaml",
        orchestrator=None,
        aws=False,
    )
    teardown_command._deploy_first(place)
    assert seen == [str(tmp_path / "mine.yaml")] * 2


@pytest.mark.parametrize("command", ["connect", "images", "drain", "teardown"])
def test_every_command_about_what_is_deployed_takes_both_places_and_tells_its_default(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    aws = {
        word: _parser().parse_args([command, "p5-dev", *word.split()]).aws
        for word in ("", "--aws", "--embedded")
    }
    # what only reads asks AWS; what holds, ends or deletes touches it only where that is said
    assert aws == {"": command in ("connect", "images"), "--aws": True, "--embedded": False}
    with pytest.raises(SystemExit):
        _parser().parse_args([command, "p5-dev", "--aws", "--embedded"])
    assert "not allowed with" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([command, "--help"])
    options = " ".join(capsys.readouterr().out.split())
    assert options.count("(default, ") == 1


@pytest.mark.parametrize("command", ["connect", "images", "drain --aws", "teardown --aws --dry-run"])
def test_credentials_that_no_configuration_has_are_no_traceback(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nope")
    monkeypatch.setattr("boto3.DEFAULT_SESSION", None)
    assert main([*command.split(), "p5-dev"]) == 2
    reported = capsys.readouterr().err
    assert "config profile (nope) could not be found" in reported
    assert "AWS_PROFILE" in reported or "list-profiles" in reported


@pytest.mark.parametrize(
    ("arguments", "near"),
    [
        ("drain p5-dev --groups train", "--group"),
        ("connect p5-dev --lst", "--list"),
        ("cloud --prt 1", "--port"),
    ],
)
def test_an_option_that_is_none_has_its_neighbour_and_the_help_of_its_command(
    arguments: str, near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments.split())
    assert ended.value.code == 2
    reported = capsys.readouterr().err
    assert f"did you mean `{near}`?" in reported
    assert arguments.startswith("cloud") or f"`ultracluster {arguments.split()[0]} --help`" in reported


@pytest.mark.parametrize("command", ["drain", "teardown"])
def test_a_profile_that_is_none_is_refused(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(f"ultracluster {command} nothing.yaml", capsys)
    assert status == 2
    assert "nothing.yaml" in err


@pytest.mark.parametrize(
    ("typed_words", "goes_on"),
    [
        ("teardown p5-dev --aws --deadline 2h --export", "teardown p5-dev --aws --deadline {at} --export"),
        (
            "drain p5-dev --aws --group train --deadline 2h",
            "drain p5-dev --aws --group train --deadline {at}",
        ),
        ("drain p5-dev --aws --release", "drain p5-dev --aws --release"),
    ],
)
def test_a_command_that_is_stopped_says_how_to_go_on_until_the_same_moment(
    typed_words: str, goes_on: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    began = datetime(2027, 1, 18, 9, 0, tzinfo=UTC)

    class Stopped(Target):
        def now(self) -> datetime:
            return began

        def client(self, service: str, region: str) -> Any:
            raise KeyboardInterrupt

    @contextmanager
    def target(**_: object) -> Iterator[Target]:
        yield Stopped("123456789012", started=False, cloud=None)

    monkeypatch.setattr("scripts.cli.lifecycle.where.target", target)
    assert main(typed_words.split()) == 130
    reported = capsys.readouterr().err
    assert reported.endswith(f"to continue:\n  ultracluster {goes_on.format(at='2027-01-18T11:00Z')}\n")
