"""What the bash of this machine says of a script, without running any of it."""

from __future__ import annotations

import re

from config.rules.registry import Rule
from config.rules.slurm.shell_syntax import syntax_rule

_SAID = re.compile(r"line (\d+): (?:warning: )?(.*)")
_SECONDS = 10


def bash_says(text: str) -> tuple[int, str] | None:
    """The line where bash stops, and why; None for a script that it can read, or where there is no bash."""
    import subprocess  # only a profile with a script needs it

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
    found = _SAID.search(ran.stderr)  # a here-document without its end is a warning
    return (int(found[1]), found[2]) if found else None


SHELL_RULES: tuple[Rule, ...] = (syntax_rule(bash_says),)
"""Looked at beside the rules of every profile."""
