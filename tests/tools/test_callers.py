"""Every function, class and method of the product has a caller outside the tests.

ENTRIES lists what is called in a way that no import shows, with its dispatcher.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from textwrap import dedent

import pytest

from tests.tools.callers import Entry, Product

ROOT = Path(__file__).parents[2]
ENTRIES = (
    Entry("program", "scripts.cli.main", "pyproject.toml: the command `ultracluster`"),
    Entry("program", "scripts.cli.rehearsal.__main__", "make deploy"),
    Entry("program", "scripts.cli.review.comment", ".github/workflows/ultracluster-review.yml"),
    Entry("program", "scripts.tools.artefacts.__main__", "python -m scripts.tools.artefacts"),
    Entry("program", "scripts.tools.bench.__main__", "make bench"),
    Entry("program", "scripts.tools.bench.rules", "make bench"),
    Entry("program", "scripts.tools.charts.__main__", "python -m scripts.tools.charts"),
    Entry("program", "scripts.tools.crds", "python -m scripts.tools.crds"),
    Entry("program", "scripts.tools.docs.__main__", "make docs"),
    Entry("program", "scripts.tools.fuzz.__main__", "make fuzz"),
    Entry("program", "scripts.tools.fuzz.corpus", "make bench"),
    Entry("program", "scripts.tools.fuzz.synth_batch", "make fuzz"),
    Entry("program", "scripts.tools.kubernetes.__main__", "make kubernetes"),
    Entry("program", "scripts.tools.prose.__main__", "make prose"),
    Entry("program", "scripts.tools.prose.sample", "make prose-sample"),
    Entry("program", "scripts.tools.prose.subject", ".pre-commit-config.yaml"),
    Entry("program", "scripts.tools.setup.bootstrap", "make"),
    Entry("program", "scripts.tools.setup.end_of_file", ".pre-commit-config.yaml"),
    Entry("program", "scripts.tools.setup.lock", "make lock"),
    Entry("program", "scripts.tools.upgrades.__main__", "python -m scripts.tools.upgrades"),
    Entry("function", "ultracluster.kubernetes.git_chart_handler.handler", "Lambda"),
    Entry("function", "ultracluster.observability.grafana_function.handler.handler", "Lambda"),
    Entry("function", "ultracluster.storage.lustre_operations_handler.handler", "Lambda"),
    Entry("function", "scripts.cloud.custom.cfnresponse.send", "the code of inline Lambda functions"),
    Entry("package", "config.rules", "config/rules/rooms.py imports the modules of a room"),
    Entry("package", "scripts.cli.arguments", "scripts/cli/main.py imports the parser of a command"),
    Entry("decorator", "rule", "`rules_of` of the embedded cloud"),
    Entry("decorator", "adds", "moto calls the method that an action names"),
    Entry("decorator", "model_validator", "pydantic"),
    Entry("base", "GenerateJsonSchema", "pydantic"),
    Entry("base", "MetaPathFinder", "importlib"),
    Entry("base", "Model", "`models_of` of the embedded cloud"),
    Entry("base", "ArgumentParser.parse_known_args", "argparse"),
    Entry("base", "BaseBackend._url_module", "moto"),
    Entry("base", "BaseHTTPRequestHandler", "http.server"),
    Entry("base", "BaseResponse", "moto calls the method that an action names"),
    Entry("base", "SafeDumper.ignore_aliases", "PyYAML"),
)


@cache
def product() -> Product:
    return Product(ROOT)


def test_every_definition_has_a_caller_outside_the_tests() -> None:
    assert product().dead(ENTRIES) == []


def test_every_entry_of_the_table_is_needed() -> None:
    needless = [entry.name for entry in ENTRIES if not product().dead(e for e in ENTRIES if e != entry)]
    assert needless == []


CLI = [Entry("function", "scripts.cli.main", "")]
PLANTED = {
    "scripts/cli.py": """
        import config.tables
        from config import rows as table
        from config.shapes import Round

        def main():
            for module in (table,):
                module.add()
            return Round().area(), config.tables.read()
        """,
    "config/__init__.py": "",
    "config/rows.py": """
        def add(): return _row()
        def _row(): return 1
        def lost(): return _of_lost()
        def _of_lost(): return 1
        """,
    "config/tables.py": "def read(): return 1\ndef unread(): return read()\n",
    "config/shapes.py": """
        class Round:
            def __eq__(self, other): return self.half()
            def area(self): return 1
            def half(self): return 1
            def twice(self): return self.twice()

            @validator
            def checked(self): return 1

        class Square(Round, Shape):
            def area(self): return 1

        def shown() -> Square: return Square()
        """,
}


@pytest.mark.parametrize(
    ("entries", "dead"),
    [
        ([], ["config/shapes.py Round.checked", "config/shapes.py Square", "config/shapes.py shown"]),
        ([Entry("decorator", "validator", "")], ["config/shapes.py Square", "config/shapes.py shown"]),
        ([Entry("function", "config.shapes.shown", "")], ["config/shapes.py Round.checked"]),
    ],
)
def test_what_no_entry_reaches_is_found(entries: list[Entry], dead: list[str], tmp_path: Path) -> None:
    for name, text in PLANTED.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(dedent(text))
    planted = Product(tmp_path, ("config", "scripts"))
    found = [line.split(":")[0] + " " + line.split()[1] for line in planted.dead([*CLI, *entries])]
    always = ["rows.py lost", "rows.py _of_lost", "shapes.py Round.twice", "tables.py unread"]
    assert sorted(found) == sorted([*(f"config/{name}" for name in always), *dead])
