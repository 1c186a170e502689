"""The page: tiles, findings, diagram, address budget, all sections, and the critical path."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from importlib.metadata import version
from pathlib import Path

from config.design.model import Design
from config.design.report.plan import PlanReport
from config.diagnostics import Severity, counted
from scripts.cli.plan.diagram.draw import diagram
from scripts.cli.plan.document import Document
from scripts.cli.plan.html.addresses import address_budget
from scripts.cli.plan.html.parts import body_of, findings, key_of, prose, section
from scripts.cli.plan.html.summary import figures
from scripts.cli.plan.html.timeline import timeline

WIDTHS = (1120, 860, 350)
"""Widths of the diagram: for wide pages, for narrow and printed pages, and for phones."""

_STYLE = Path(__file__).with_name("style.css")
_ALLOWED = "default-src 'none'; style-src 'unsafe-inline'"
_LEGEND = (
    ("node", "node"),
    ("gpu", "GPU"),
    ("efa", "network card with EFA"),
    ("both", "network card with EFA and IP address"),
    ("ena", "network card with IP address only"),
    ("disk", "local NVMe disk"),
    ("mds", "metadata server (MDS)"),
    ("oss", "object storage server (OSS)"),
)


def as_page(document: Document, plan: PlanReport | None, design: Design | None) -> str:
    """Return one page without external resources: no scripts, fonts or images from elsewhere."""
    parts = list(_parts(document, plan, design))
    links = "".join(f'<li><a href="#{key}">{escape(title)}</a></li>' for key, title, _ in parts)
    body = "".join(section(title, text, key=key) for key, title, text in parts)
    name, *others = (line.text for line in document.lead)
    name = name.removeprefix(f"{document.title}: ")  # the heading contains the title
    lead = "".join(f"<p>{prose(text)}</p>" for text in others)
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_ALLOWED}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
        f"<title>Plan of {escape(document.title)}</title>"
        f"<style>{_STYLE.read_text(encoding='utf-8')}</style></head><body>"
        '<a class="skip" href="#plan">skip to the plan</a>'
        f'<header><h1>{escape(document.title)}</h1><p class="description">{prose(name)}</p>'
        f'<div class="lead">{lead}</div>{figures(plan) if plan else ""}</header>'
        f'<nav aria-label="parts of the plan"><ul>{links}</ul></nav>'
        f'<main id="plan">{body}</main>'
        f"<footer><p>Created by ultracluster {version('ultracluster')}. Estimates and prices are listed with "
        "their assumptions.</p></footer></body></html>\n"
    )


def _parts(
    document: Document, plan: PlanReport | None, design: Design | None
) -> Iterator[tuple[str, str, str]]:
    """Yield key, title and text of each part; findings are first if there are errors or warnings."""
    grave = any(d.waived is None and d.severity is not Severity.NOTE for d in document.diagnostics)
    finding_part = _findings(document)
    if grave:
        yield finding_part
    if plan and design:
        yield "diagram", "diagram", _picture(design, plan)
        budget = address_budget(design)
        if budget:
            yield "address-budget", "address budget", budget
    for part in document.sections:
        yield key_of(part.title), part.title, body_of(part)
    chart = timeline(plan.deployment) if plan and plan.deployment else ""
    if chart:
        yield "critical-path", "critical path of the deployment", chart
    if not grave:
        yield finding_part


def _findings(document: Document) -> tuple[str, str, str]:
    if not document.diagnostics:
        return "findings", "findings", "<p>No findings.</p>"
    return "findings", f"findings: {counted(document.diagnostics)}", findings(document.diagnostics)


def _picture(design: Design, plan: PlanReport) -> str:
    drawn = "".join(f'<div class="drawn w{width}">{diagram(design, plan, width)}</div>' for width in WIDTHS)
    keys = "".join(
        f'<li><span class="key {kind}"></span>{name}</li>' for kind, name in _LEGEND if _shown(kind, drawn)
    )
    return f'<figure>{drawn}<figcaption><ul class="legend">{keys}</ul></figcaption></figure>'


def _shown(kind: str, drawn: str) -> bool:
    return f'class="{kind}"' in drawn or f'class="card {kind}"' in drawn or f'class="server {kind}"' in drawn
