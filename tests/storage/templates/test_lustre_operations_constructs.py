"""The function for Lustre, root squash and import tasks as they are rendered."""

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aws_cdk import Stack
from constructs import Construct

import ultracluster.storage
from tests.stack.library import library_set
from tests.stack.library.support import Synthesized, depends_on, synthesize
from ultracluster.retention import Retention
from ultracluster.storage import ImportTask, ImportTaskProps, RootSquash, RootSquashProps

pytestmark = pytest.mark.synth

SQUASH = RootSquashProps(
    function_arn="arn:aws:lambda:us-west-2:123456789012:function:f", file_system_id="fs-0123456789abcdef0"
)
IMPORT = ImportTaskProps(
    function_arn=SQUASH.function_arn,
    file_system_id=SQUASH.file_system_id,
    paths=["s3://ultracluster-datasets"],
    links=(),
)


@pytest.fixture(scope="module")
def storage() -> Synthesized:
    def build(stack: Stack) -> None:
        network, nodes = library_set.add_network(Construct(stack, "Network"), Retention.RETAIN)
        scope = Construct(stack, "Storage")
        file_system = library_set.add_storage(scope, network, nodes, Retention.RETAIN)
        library_set.add_lustre_operations(scope, file_system)

    return synthesize(build)


def test_the_template_carries_the_file_as_it_stands(storage: Synthesized) -> None:
    function = storage.properties("AWS::Lambda::Function")
    source = Path(ultracluster.storage.__file__).with_name("lustre_operations_handler.py")
    assert function["Code"] == {"ZipFile": source.read_text(encoding="utf-8")}
    module, name = function["Handler"].split(".")
    assert module == "index"
    defined = {node.name for node in ast.parse(source.read_text()).body if isinstance(node, ast.FunctionDef)}
    assert name in defined


def test_the_function_may_change_its_own_file_systems_only(storage: Synthesized) -> None:
    statements = storage.statements("operations")
    lustre, _ = storage.named("AWS::FSx::FileSystem")
    (own,) = statements["RootSquash"]["Resource"]
    assert own["Fn::Sub"][0].endswith(":file-system/${Id}")
    assert own["Fn::Sub"][1] == {"Id": {"Ref": lustre}}
    assert statements["StartImport"]["Resource"][0] == own
    assert statements["TagImport"]["Resource"] == statements["CancelImport"]["Resource"]
    writing = {sid for sid, s in statements.items() if s["Resource"] == "*"}
    assert writing == {"Watch"}
    assert all(action.startswith("fsx:Describe") for action in statements["Watch"]["Action"])


def test_the_log_group_goes_with_the_stack_and_the_role_cannot_make_another(storage: Synthesized) -> None:
    logical_id, group = storage.named("AWS::Logs::LogGroup", "operations")
    assert group["DeletionPolicy"] == "Delete"
    assert group["Properties"]["LogGroupName"] == "/ultracluster/demo/lustre-operations"
    assert storage.properties("AWS::Lambda::Function")["LoggingConfig"] == {"LogGroup": {"Ref": logical_id}}
    assert "logs:CreateLogGroup" not in storage.statements("operations")["Log"]["Action"]


def test_storage_17_an_import_task_starts_after_every_link(storage: Synthesized) -> None:
    _, task = storage.named("Custom::LustreImportTask")
    assert sorted(depends_on(task)) == sorted(storage.of_type("AWS::FSx::DataRepositoryAssociation"))
    linked = storage.properties("AWS::FSx::DataRepositoryAssociation", "datasets")
    assert task["Properties"]["Paths"] == [linked["DataRepositoryPath"]]


def test_root_squash_names_user_group_and_spared_clients(storage: Synthesized) -> None:
    squash = storage.properties("Custom::LustreRootSquash")
    assert squash["RootSquash"] == "65534:65534"
    assert squash["NoSquashNids"] == ["10.0.128.[10-12]@tcp"]


def test_a_file_system_keeps_its_root_squash_unless_it_is_said_otherwise(storage: Synthesized) -> None:
    assert storage.properties("Custom::LustreRootSquash")["KeepOnDelete"] is True


def test_a_function_that_cannot_answer_holds_a_stack_for_minutes_not_an_hour(storage: Synthesized) -> None:
    timeout = storage.properties("AWS::Lambda::Function")["Timeout"]
    for kind in ("Custom::LustreRootSquash", "Custom::LustreImportTask"):
        assert timeout < storage.properties(kind)["ServiceTimeout"] < 1200


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"uid": 0}, "uid 0: the value must be"),
        ({"gid": 4294967295}, "gid 4294967295"),
        ({"no_squash_nids": ["10.0.1.6@tcp"] * 65}, "65 no_squash_nids: FSx accepts at most 64"),
        ({"no_squash_nids": ["10.0.1.6"]}, "write an address or a range"),
    ],
)
def test_a_root_squash_that_fsx_refuses_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RootSquash(Stack(), "squash", replace(SQUASH, **changes))


@pytest.mark.parametrize("paths", [[], [f"s3://bucket/{number}" for number in range(101)]])
def test_an_import_of_nothing_or_of_too_much_is_refused(paths: list[str]) -> None:
    with pytest.raises(ValueError, match=f"{len(paths)} paths: an import task accepts 1 to 100"):
        ImportTask(Stack(), "import", replace(IMPORT, paths=paths))
