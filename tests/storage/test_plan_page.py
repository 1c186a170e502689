"""reference/storage-plan.md computes: its formulas give what the code gives, its tables what is published."""

from __future__ import annotations

import ast
import inspect
import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.catalog import catalog
from config.design.storage.formulas import FORMULAS, Formula
from scripts.tools.docs.__main__ import ROOT

PAGE = (ROOT / "docs/reference/storage-plan.md").read_text(encoding="utf-8")

_FUNCTIONS: dict[str, Callable[..., float]] = {
    "min": min, "max": max, "ceil": math.ceil, "floor": math.floor, "sqrt": math.sqrt, "exp": math.exp,
}  # fmt: skip
_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip


def compute(text: str, names: Mapping[str, float]) -> float:
    """What a formula of the page gives; anything but arithmetic is refused."""

    def walk(node: ast.expr) -> float:
        match node:
            case ast.Constant(value=int() | float() as number):
                return number
            case ast.Name(id=name):
                return names[name]
            case ast.BinOp(left=left, op=op, right=right):
                found: float = _OPERATORS[type(op)](walk(left), walk(right))
                return found
            case ast.Call(func=ast.Name(id=name), args=args):
                return _FUNCTIONS[name](*map(walk, args))
            case ast.IfExp(test=ast.Compare(left=left, ops=[ast.Lt()], comparators=[right])):
                return walk(node.body if walk(left) < walk(right) else node.orelse)
        raise ValueError(ast.dump(node))

    return walk(ast.parse(text, mode="eval").body)


def rows(first: str) -> Iterator[list[str]]:
    """The rows of the tables whose first heading is the given one."""
    inside = False
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            inside = False
        elif cells[0] == first:
            inside = True
        elif inside and not set(cells[0]) <= {"-"}:
            yield cells


PRINTED = {cells[0].strip("`"): cells for cells in rows("name")}
CONSTANTS = {cells[0].strip("`"): cells for cells in rows("constant")}
WORKED = list(rows("formula"))


def test_the_page_prints_every_formula_with_its_sources() -> None:
    assert set(PRINTED) == {formula.name for formula in FORMULAS} == set(catalog().checkpoints.formulas)
    listed = {cells[0] for cells in rows("key")}
    for name, cells in PRINTED.items():
        keys = set(cells[-1].split(", "))
        assert keys, name
        assert keys <= listed


@pytest.mark.sample(4)
@given(st.data())
@pytest.mark.parametrize("formula", FORMULAS, ids=[formula.name for formula in FORMULAS])
def test_what_the_page_prints_is_what_the_code_computes(formula: Formula, data: st.DataObject) -> None:
    kinds = {"int": st.integers(1, 4096), "float": st.floats(0.5, 1e6)}
    parameters = inspect.signature(formula.function).parameters.values()
    given_ = {one.name: data.draw(kinds[one.annotation], label=one.name) for one in parameters}
    try:
        printed = compute(PRINTED[formula.name][1].strip("`"), given_)
    except OverflowError:  # a failure comes before anything is done
        printed = 1
    assert math.isclose(formula.function(**given_), printed, rel_tol=1e-6, abs_tol=1e-6)


@pytest.mark.parametrize("cells", WORKED, ids=[f"{cells[0].strip('`')}: {cells[1]}" for cells in WORKED])
def test_a_worked_figure_is_what_the_formula_gives(cells: list[str]) -> None:
    given_ = {name: float(figure) for name, figure in re.findall(r"(\w+) = ([\d.e+-]+)", cells[1])}
    shown = float(cells[2].split()[0])
    assert compute(PRINTED[cells[0].strip("`")][1].strip("`"), given_) == pytest.approx(shown, abs=1e-4)


def test_every_formula_is_worked() -> None:
    assert {cells[0] for cells in WORKED} == {f"`{formula.name}`" for formula in FORMULAS}


def worked(formula: str, **given_: float) -> float:
    """The figure that the page prints for a formula at these arguments, whatever its constants."""
    for name, shown, gives in WORKED:
        figures = {key: float(figure) for key, figure in re.findall(r"(\w+) = ([\d.e+-]+)", shown)}
        if name == f"`{formula}`" and given_.items() <= figures.items():
            return float(gives.split()[0])
    raise KeyError((formula, given_))


def test_write_times_are_those_that_were_worked_out_by_hand() -> None:
    # 0.98 TB and 5.67 TB on 4800, 9600 and 38400 GiB at 1000 MB/s/TiB: 4.7, 9.4 and 37.5 GB/s
    assert list(rows("checkpoint")) == [
        ["70B at 14 bytes: 0.98 TB", "209 s", "105 s", "26 s"],
        ["405B at 14 bytes: 5.67 TB", "1210 s", "605 s", "151 s"],
    ]


@pytest.mark.parametrize(
    ("formula", "given_", "gives"),
    [
        # 782 GB at 5 GB/s take 156 s (press summary of NVIDIA's article)
        ("seconds_to_move", {"size_gb": 782, "mbps": 5000}, 156.4),
        # every server with EFA is worth the same 4.7 GB/s of disks
        ("provisioned_mbps", {"capacity_gib": 4800}, 4687.5),
        ("provisioned_mbps", {"capacity_gib": 38400}, 4687.5),
        # 9600 GiB at 1000 with EFA are 2 servers, of which a client over ENA gets 1.25 GB/s
        ("servers", {"capacity_gib": 9600}, 2),
        ("ena_client_mbps", {"object_servers": 2}, 1250),
        # 100 Gbps over ENA take 20 servers
        ("ena_client_mbps", {"object_servers": 19}, 11875),
        ("ena_client_mbps", {"object_servers": 20}, 12500),
        # 700 Gbps over EFA, 1200 with GPUDirect Storage
        ("efa_client_mbps", {"efa_client_gbps": 700}, 87500),
        ("efa_client_mbps", {"efa_client_gbps": 1200}, 150000),
        # 128 clients of P5 and P6-B200, 64 of P6-B300
        ("clients_at_most", {"interfaces": 8}, 128),
        ("clients_at_most", {"interfaces": 16}, 64),
        # 50.4 TiB of scratch have 22 servers, that of the metadata counted
        ("servers", {"capacity_gib": 50400}, 21),
        ("metadata_servers", {"metadata_iops": 12000}, 1),
        # Daly's own figures: 5 minutes to write, a failure in 24 h, 6 h and 15 min: 117, 57 and 9.1 minutes
        ("daly_s", {"mtbf_s": 86400}, pytest.approx(117 * 60, abs=30)),
        ("daly_s", {"mtbf_s": 21600}, pytest.approx(57 * 60, abs=30)),
        ("daly_s", {"mtbf_s": 900}, pytest.approx(9.1 * 60, abs=3)),
        # about one interruption in three hours
        ("mtbf_hours", {"gpus": 16384}, pytest.approx(3.1, abs=0.05)),
    ],
)
def test_a_published_figure_is_on_the_page(formula: str, given_: dict[str, float], gives: float) -> None:
    assert worked(formula, **given_) == gives


def test_published_checkpoints_have_their_bytes_per_parameter() -> None:
    figures = [cells[2] for cells in rows("published checkpoint")]
    assert figures == ["10.0", "14.7", "11.7", "12.1", "12.0", "1.9"]


def test_constants_are_those_of_the_catalogue() -> None:
    figures = {name: float(cells[1]) for name, cells in CONSTANTS.items()}
    assert figures == {
        "ena_client_gbps": 100, "gbps_per_server": 5, "efa_client_gbps": 700, "efa_gds_client_gbps": 1200,
        "max_efa_connections": 1024, "metadata_iops_per_server": 12000, "interruptions": 419, "days": 54,
        "failed_gpus": 16384, "fill_at_most": 0.8, "copies": 2,
    }  # fmt: skip


def test_the_rates_of_each_kind_are_those_of_the_tables() -> None:
    rates = {(cells[0], cells[1]): cells[2:] for cells in rows("type")}
    assert rates == {
        ("scratch-2 ssd", "200"): ["200 / 1300", "200", "100", "6.7"],
        ("persistent-1 ssd", "50"): ["250 / 1300", "50 / 240", "50 / 240", "2.2"],
        ("persistent-1 ssd", "100"): ["500 / 1300", "100 / 240", "100 / 240", "4.4"],
        ("persistent-1 ssd", "200"): ["750 / 1300", "200 / 240", "200 / 240", "8.8"],
        ("persistent-1 hdd", "12"): ["40 / 375", "12 / 80", "12 / 50", "0.4"],
        ("persistent-1 hdd", "40"): ["150 / 1300", "40 / 250", "40 / 150", "1.5"],
        ("persistent-2 ssd", "125"): ["320 / 1300", "125 / 500", "125 / 500", "3.4"],
        ("persistent-2 ssd", "250"): ["640 / 1300", "250 / 500", "250 / 500", "6.8"],
        ("persistent-2 ssd", "500"): ["1300", "500", "500", "13.7"],
        ("persistent-2 ssd", "1000"): ["2600", "1000", "1000", "27.3"],
    }
