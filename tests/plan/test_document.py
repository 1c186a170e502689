"""One document, and the same said in every form."""

from __future__ import annotations

import pytest

from config.profile.source.reference import built_in_names
from tests.plan.shown import document, flat, read, rendered, shown, texts

CASES = [*((name, None) for name in built_in_names()), ("p6-b200", "eks"), ("p6-b200", "pcs")]


@pytest.mark.sample(3)
@pytest.mark.parametrize(("profile", "under"), CASES)
def test_text_markdown_and_page_say_the_same(profile: str, under: str | None) -> None:
    reported = document(profile, under)
    in_text = flat(shown(profile, "text", under=under, columns=1000))
    in_markdown = flat(rendered(shown(profile, "markdown", under=under)).text)
    in_page = flat(read(shown(profile, "html", under=under)).text)
    for section in reported.sections:
        assert section.title in in_text
        for text in texts(section.parts):
            for form in (in_text, in_markdown, in_page):
                assert flat(text) in form, text
    for found in reported.diagnostics:
        for form in (in_text, in_markdown, in_page):
            assert flat(found.message) in form
            assert flat(found.hint) in form


def test_a_document_has_what_was_written_in_its_order() -> None:
    titles = [section.title for section in document("p6-b200", "eks").sections]
    assert titles == [
        "compute",
        "jobs",
        "network",
        "storage",
        "observability",
        "deployment",
        "price",
        "quotas",
    ]
