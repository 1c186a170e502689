"""Syntax check of shell scripts with the local bash, without running them."""

from __future__ import annotations

import re

from config.rules.registry import Rule
from config.rules.slurm.shell_syntax import syntax_rule

_SAID = re.compile(r"line (\d+): (?:warning: )?(.*)")
_SECONDS = 10


def bash_says(text: str) -> tuple[int, str] | None:
    """Return the line and message of a syntax error; None if the script is valid or bash is not installed."""
    import subprocess  # imported only for a profile with a script

    try:
        ran = subprocess.run(
            ["bash", "--norc", "-n"],
            input=text,
            env={"LC_ALL": "C", "PATH": "/usr/local/bin:/usr/bin:/bin"},
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _SAID.search(ran.stderr)  # bash reports a here-document without its end as a warning
    return (int(found[1]), found[2]) if found else None


SHELL_RULES: tuple[Rule, ...] = (syntax_rule(bash_says),)
"""Rules that commands check in addition to the rules that apply to every profile."""
