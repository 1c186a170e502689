"""docs/reference/fit.md computes: its formulas give what the code gives, and what others published."""

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
from config.catalog.workload.fit import fit_facts, reached_shares
from config.design.workload.fit import compute, memory, traffic
from config.design.workload.fit.formulas import FORMULAS, FitFormula
from scripts.tools.docs.__main__ import ROOT
from tests.tables import each_row

PAGE = (ROOT / "docs/reference/fit.md").read_text(encoding="utf-8")

_FUNCTIONS: dict[str, Callable[..., float]] = {"min": min, "max": max, "ceil": math.ceil}
_OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}  # fmt: skip


def evaluate(text: str, names: Mapping[str, float]) -> float:
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
PUBLISHED = list(rows("published"))


def test_the_page_prints_every_formula_with_its_sources() -> None:
    assert set(PRINTED) == {formula.name for formula in FORMULAS} == set(fit_facts().formulas)
    modules = (memory, compute, traffic)
    functions = {
        name
        for module in modules
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__
    }
    assert set(PRINTED) == functions
    listed = {cells[0] for cells in rows("key")}
    for name, cells in PRINTED.items():
        keys = set(cells[-1].split(", "))
        assert keys, name
        assert keys <= listed <= set(catalog().sources)


@pytest.mark.sample(6)
@given(st.data())
@pytest.mark.parametrize("formula", FORMULAS, ids=[formula.name for formula in FORMULAS])
def test_what_the_page_prints_is_what_the_code_computes(formula: FitFormula, data: st.DataObject) -> None:
    names = inspect.signature(formula.function).parameters
    given_: dict[str, float] = {name: data.draw(st.integers(1, 4096), label=name) for name in names}
    if formula.name == "expert_parameters":
        given_["experts"] += given_["experts_per_token"]
    printed = evaluate(PRINTED[formula.name][1].strip("`"), given_)
    assert math.isclose(formula.function(**given_), printed, rel_tol=1e-9, abs_tol=1e-9)


@each_row("cells", PUBLISHED, lambda cells: cells[0])
def test_a_formula_of_the_page_gives_what_was_published(cells: list[str]) -> None:
    _, name, shown, gives, published, within, source = cells
    given_ = {key: float(figure) for key, figure in re.findall(r"(\w+) = ([\d.e+-]+)", shown)}
    found = evaluate(PRINTED[name.strip("`")][1].strip("`"), given_)
    assert found == pytest.approx(float(gives), rel=1e-4)
    assert found == pytest.approx(float(published), rel=float(within.rstrip("%")) / 100)
    assert float(within.rstrip("%")) <= 2
    assert source in {key[0] for key in rows("key")}


def test_the_papers_that_the_formulas_are_from_are_all_reproduced() -> None:
    assert {cells[-1] for cells in PUBLISHED} == {
        "ZERO", "KORTHIKANTI", "LLAMA3-SCALE", "DEEPSEEK-V3", "DEEPEP",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("layers", "hidden", "heads", "gpus", "batch", "share", "seconds"),
    [
        # tables 3 and 5 of Korthikanti et al.: sequences of 2048, a vocabulary of 51200, A100 of 312 TFLOPS
        (48, 6144, 64, 8, 4, 0.415, 1.10),
        (96, 12288, 96, 64, 64, 0.514, 13.75),
        (105, 20480, 128, 280, 280, 0.560, 37.83),
        (128, 25600, 160, 512, 512, 0.563, 71.49),
    ],
)
def test_steps_of_korthikanti_follow_from_the_shapes_alone(
    layers: int, hidden: int, heads: int, gpus: int, batch: int, share: float, seconds: float
) -> None:
    parameters = memory.shape_parameters(layers, hidden, heads, heads, 2, 4 * hidden, 0, 1, 51200)
    flops = compute.matrix_flops(parameters) + compute.attention_flops(layers, hidden, 2048)
    found = compute.seconds_at(batch * 2048, flops, gpus, 312 * share)
    assert found == pytest.approx(seconds, rel=0.005)


@pytest.mark.parametrize(
    ("layers", "hidden", "heads"), [(96, 12288, 96), (105, 20480, 128), (128, 25600, 160)]
)
def test_selective_recomputation_keeps_about_a_fifth(layers: int, hidden: int, heads: int) -> None:
    # figure 7: a fifth of what tensor parallelism alone keeps, sbh (10 + 24/t + 5as/(ht)); full: about 10 %
    alone = 2048 * hidden * (10 + 24 / 8 + 5 * heads * 2048 / hidden / 8)
    block = memory.feed_forward_bytes(hidden, 4 * hidden)
    selective = memory.layer_bytes(2048, 1, hidden, block, 0, 8, 1)
    full = memory.layer_input_bytes(2048, 1, hidden, 1)
    assert 0.15 < selective / alone < 0.21
    assert full / alone == pytest.approx(0.09, abs=0.015)


def test_recomputing_attention_costs_what_the_paper_says() -> None:
    # table 2: 72 sbh^2 (1 + 2s/9h) with selective recomputation against 1 + s/6h without, 4 for 3 passes
    hidden, sequence, layers = 12288, 2048, 96
    matrices = 72 * layers * hidden**2
    attention = compute.attention_flops(layers, hidden, sequence)
    assert matrices * (1 + sequence / 6 / hidden) == pytest.approx(matrices + attention)
    assert matrices * (1 + 2 * sequence / 9 / hidden) == pytest.approx(matrices + attention * 4 / 3)


def test_the_share_that_llama_reached_is_of_the_catalogues_peak() -> None:
    low, high = reached_shares()
    assert (round(low, 2), round(high, 2)) == (0.38, 0.43)
