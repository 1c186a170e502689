"""Rule for the shell syntax of a user's script. Rules do not start programs; the caller sets the checker."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from config.design.model import Design
from config.diagnostics import Code
from config.rules.registry import ERROR, Finding, Rule

SYNTAX = Code(
    code="HYP026",
    severity=ERROR,
    holds="the shell can parse your lifecycle script",
    why="A shell stops at a syntax error, so the node fails. If the controller fails, the creation of the whole cluster fails. "
    "`ultracluster validate` and `plan` check scripts for bash and sh with the local bash, if bash is installed. Synthesis does "
    "not check scripts, and scripts for other programs are never checked.",
    source="https://www.gnu.org/software/bash/manual/html_node/The-Set-Builtin.html",
)

Checker = Callable[[str], tuple[int, str] | None]
"""Function that returns the line and message of the first syntax error; None if the script has none."""

_SHELL = re.compile(r"#! ?/\S*?(?:/env(?: -S)? )?(?:/)?(?:ba)?sh(?:\s|$)")


def syntax_rule(checker: Checker) -> Rule:
    """Return a rule that checks scripts with this checker."""

    def shell_can_read_it(design: Design) -> Iterator[Finding]:
        script = design.user_script
        if script is None or script.fault is not None or not _SHELL.match(script.text):
            return
        fault = checker(script.text) if "\r" not in script.text else None
        if fault:
            line, message = fault
            yield Finding(
                at=("orchestrator", "lifecycle", "script"),
                message=f"the shell cannot parse line {line} of {script.path} ({message})",
                hint=f"correct the script; `bash -n {script.path}` reports the same error",
            )

    return Rule(
        code=SYNTAX,
        reads=frozenset(("orchestrator",)),
        check=shell_can_read_it,
        where=frozenset(("user-script",)),
    )
