"""Sections of a document as HTML; only this module escapes texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby

from config.diagnostics import Diagnostic
from scripts.cli.plan.document import Fact, Line, Part, Section, Table, Verbatim

_CODE = re.compile(r"`([^`]+)`")


def section(title: str, body: str, *, key: str | None = None) -> str:
    """Return a part of the page with a heading and an anchor."""
    name = key or key_of(title)
    return (
        f'<section id="{name}" aria-labelledby="{name}-heading"><h2 id="{name}-heading">{escape(title)}</h2>'
        f"{body}</section>"
    )


def key_of(title: str) -> str:
    """Return the anchor of a heading."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "part"


def body_of(part: Section) -> str:
    """Return the HTML of the parts of a section."""
    return "".join(_parts(part.title, part.parts))


def _parts(title: str, parts: tuple[Part, ...]) -> Iterator[str]:
    for kind, same in groupby(parts, type):
        if kind is Fact:
            yield f"<dl>{''.join(_facts(part for part in same if isinstance(part, Fact)))}</dl>"
            continue
        for part in same:
            if isinstance(part, Line):
                yield f"<p>{prose(part.text)}</p>"
            elif isinstance(part, Table):
                yield table(part, f"{title}: {part.headings[0]}")
            elif isinstance(part, Verbatim):
                text = escape("\n".join(part.lines))
                yield _scrolled(f"<pre>{text}</pre>", f"{title}: text to copy")


def _facts(facts: Iterable[Fact]) -> Iterator[str]:
    """Yield the facts as HTML; the name of consecutive facts with one name is written once."""
    groups: list[tuple[str, list[str]]] = []
    for fact in facts:
        if groups and fact.name in ("", groups[-1][0]):
            groups[-1][1].append(fact.text)
        else:
            groups.append((fact.name, [fact.text]))
    for name, texts in groups:
        inner = "".join(f"<dd>{_address(text)}</dd>" for text in texts)
        yield f"<div><dt>{escape(name) or 'note'}</dt>{inner}</div>"


def table(part: Table, label: str) -> str:
    """Return a table in its own frame, which scrolls if the page is too narrow for it."""
    sides = ["right" if number in part.right else "" for number in range(len(part.headings))]
    head = "".join(
        f'<th scope="col"{_class(side)}>{escape(text)}</th>'
        for side, text in zip(sides, part.headings, strict=True)
    )
    rows = "".join(f"<tr>{''.join(_cells(row, sides))}</tr>" for row in part.rows)
    return _scrolled(f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>", label)


def _cells(row: tuple[str, ...], sides: list[str]) -> Iterator[str]:
    for number, (text, side) in enumerate(zip(row, sides, strict=True)):
        if number == 0:
            yield f'<th scope="row"{_class(side)}>{prose(text)}</th>'
        else:
            yield f"<td{_class(side)}>{prose(text)}</td>"


def _class(name: str) -> str:
    return f' class="{name}"' if name else ""


def _scrolled(body: str, label: str) -> str:
    # keyboard users scroll the frame with the arrow keys, so it has a tab index and a name
    return f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(label)}">{body}</div>'


def prose(text: str) -> str:
    """Return a sentence; text in backticks becomes code."""
    return _CODE.sub(r"<code>\1</code>", escape(text))


def _address(text: str) -> str:
    return link(text) if text.startswith("https://") and " " not in text else prose(text)


def link(address: str) -> str:
    """Return a link; a text that is not a URL is returned as text."""
    if not address.startswith("https://"):
        return escape(address)
    return f'<a href="{escape(address)}" rel="noreferrer">{escape(address)}</a>'


def findings(diagnostics: Iterable[Diagnostic]) -> str:
    """Return a list of findings, each with its location, hint and source."""
    return f'<ul class="findings">{"".join(_finding(diagnostic) for diagnostic in diagnostics)}</ul>'


def _finding(found: Diagnostic) -> str:
    kind = "waived" if found.waived is not None else found.severity.value
    mark = f"waived {found.severity.value}" if found.waived is not None else found.severity.value
    at = f"{found.file}:{found.line}" if found.file and found.line else found.file
    rows = (
        ("at", f"<code>{escape(at)}</code>" if at else ""),
        ("waived", prose(found.waived) if found.waived else ""),
        ("hint", prose(found.hint) if found.hint else ""),
        ("source", link(found.source) if found.source else ""),
    )
    inner = "".join(f"<div><dt>{name}</dt><dd>{text}</dd></div>" for name, text in rows if text)
    return (
        f'<li class="finding {kind}"><p><span class="badge {kind}">{mark}</span> <b>{escape(found.code)}</b> '
        f"<code>{escape(found.path)}</code></p><p>{prose(found.message)}</p><dl>{inner}</dl></li>"
    )
