"""The shell of a script of the user's own. The core starts no program: who does gives the checker."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from config.design.model import Design
from config.diagnostics import Code
from config.rules.registry import ERROR, Finding, Rule

SYNTAX = Code(
    code="HYP026",
    severity=ERROR,
    holds="a script of one's own is one that its shell can read",
    why="A shell stops where it cannot read on: the node fails, and a controller that stays out fails the whole cluster. "
    "`ultracluster validate` and `plan` ask the bash of the machine, where there is one, about scripts of bash and sh; "
    "synthesis starts no program and does not look, nor does anybody at scripts of other programs.",
    source="https://www.gnu.org/software/bash/manual/html_node/The-Set-Builtin.html",
)

Checker = Callable[[str], tuple[int, str] | None]
"""The line where a script stops, and why; None for one that the shell can read."""

_SHELL = re.compile(r"#! ?/\S*?(?:/env(?: -S)? )?(?:/)?(?:ba)?sh(?:\s|$)")


def syntax_rule(checker: Checker) -> Rule:
    """The rule, as this checker looks at scripts."""

    def shell_can_read_it(design: Design) -> Iterator[Finding]:
        script = design.user_script
        if script is None or script.fault is not None or not _SHELL.match(script.text):
            return
        fault = checker(script.text) if "\r" not in script.text else None
        if fault:
            line, said = fault
            yield Finding(
                at=("orchestrator", "lifecycle", "script"),
                message=f"line {line} of {script.path}: {said}",
                hint=f"mend it; `bash -n {script.path}` says the same",
            )

    return Rule(
        code=SYNTAX,
        reads=frozenset(("orchestrator",)),
        check=shell_can_read_it,
        where=frozenset(("user-script",)),
    )
