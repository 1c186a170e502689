"""Examples of a code, with the finding of the bad example, for `ultracluster explain`.

The examples are read from the generated pages in docs/reference/rules, so no rule runs again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from config.diagnostics import Code

FOLDER = Path(__file__).parents[2] / "docs" / "reference" / "rules"
_ENTRY = """
### {code}

.+?

(?P<why>.+?)

```(?P<language>[a-z]+)
# bad
(?P<bad>.+?)```
```text
[a-z]+\\[{code}\\] (?P<path>.+?): (?P<message>.+?)
  hint: (?P<hint>.+?)
```

```[a-z]+
# good
(?P<good>.+?)```
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """One code: a bad example with its path, message and hint, a good example, and failure reports.

    `bad` and `good` are texts in `language`. `reports` has the URL of each public failure report that the
    rule prevents.
    """

    language: str
    bad: str
    path: str
    message: str
    hint: str
    good: str
    reports: Mapping[str, str]


def waiving(code: Code) -> str:
    """Return a text that states whether a code can be waived; for an error, also the reason."""
    if not code.waivable:
        return "cannot be waived"
    return f"can be waived: AWS changes {code.ages}" if code.ages else "can be waived"


def explained(code: Code) -> Explained:
    """Return the examples of a code from its page. Raises KeyError for a code without a page."""
    entry = re.compile(_ENTRY.format(code=code.code), re.DOTALL)
    for page in FOLDER.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        if (start := text.find(f"\n### {code.code}\n")) >= 0 and (found := entry.match(text, start)):
            parts = found.groupdict()
            prevents = parts.pop("why").removeprefix(code.why)
            return Explained(**parts, reports=dict(re.findall(r"\[([^]]+)\]\(([^)]+)\)", prevents)))
    raise KeyError(code.code)
