"""Write the review as a comment on a pull request: `python -m scripts.cli.review.comment FILE --number N`.

The comment is written with GitHub's command `gh`, which reads its token from GH_TOKEN. An earlier comment is
found by its first line and its author, and its text is replaced. A review without profiles does not create a
comment, but updates an existing comment.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .forms.markdown import MARKER, NOTHING

AUTHOR = "github-actions[bot]"
"""Author of the comments that a workflow writes with its token."""
_TIMEOUT_S = 120
_GONE = "(HTTP 404)"


class RefusedError(Exception):
    """GitHub or `gh` rejected a request."""


def publish(report: str, repository: str, number: int, author: str = AUTHOR) -> str:
    """Create or update the comment, and return a sentence about the result. Raises RefusedError."""
    comments = f"repos/{repository}/issues/{number}/comments"
    own = _own(_pages(_gh("--paginate", f"{comments}?per_page=100")), author)
    body = json.dumps({"body": report})
    if own is not None:
        try:
            _gh("--method", "PATCH", f"repos/{repository}/issues/comments/{own}", "--input", "-", body=body)
        except RefusedError as error:
            if _GONE not in str(error):
                raise
            # the comment was deleted after it was listed
        else:
            return f"comment {own} is updated"
    if report.rstrip().endswith(NOTHING):
        return "no comment: no profile differs"
    _gh("--method", "POST", comments, "--input", "-", body=body)
    return "the comment is created"


def _own(comments: list[Any], author: str) -> int | None:
    """Return the id of the comment that an earlier review wrote; None if there is no such comment."""
    for comment in comments:
        written = str(comment.get("body") or "").startswith(MARKER)
        if written and (comment.get("user") or {}).get("login") == author:
            return int(comment["id"])
    return None


def _pages(text: str) -> list[Any]:
    """Return the items of all pages: older versions of `gh` print one list for each page."""
    decoder, items, place = json.JSONDecoder(), [], 0
    text = text.strip()
    while place < len(text):
        page, place = decoder.raw_decode(text, place)
        items += page
        while place < len(text) and text[place].isspace():
            place += 1
    return items


def _gh(*arguments: str, body: str | None = None) -> str:
    try:
        done = subprocess.run(
            ["gh", "api", *arguments],
            input=body, capture_output=True, text=True, encoding="utf-8", check=False, timeout=_TIMEOUT_S,
        )  # fmt: skip
    except FileNotFoundError:
        raise RefusedError("gh is not installed; GitHub-hosted runners include it") from None
    except subprocess.TimeoutExpired:
        raise RefusedError(f"gh did not answer within {_TIMEOUT_S} s") from None
    if done.returncode:
        raise RefusedError(" ".join(done.stderr.split()) or f"gh exited with status {done.returncode}")
    return done.stdout


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0 success, 2 an error, which is printed."""
    parser = argparse.ArgumentParser(prog="python -m scripts.cli.review.comment", description=__doc__)
    parser.add_argument("file", type=Path, help="the report in Markdown")
    parser.add_argument("--number", type=int, required=True, help="number of the pull request")
    parser.add_argument("--repository", default=os.environ.get("GITHUB_REPOSITORY"), help="OWNER/NAME")
    parser.add_argument("--author", default=AUTHOR, help=f"author of the comment; default: {AUTHOR}")
    options = parser.parse_args(argv)
    if not options.repository:
        parser.error("the repository is not known: add --repository OWNER/NAME, or set GITHUB_REPOSITORY")
    try:
        report = options.file.read_text(encoding="utf-8")
        print(publish(report, options.repository, options.number, options.author))
    except OSError as error:
        message = f"{options.file} cannot be read: {(error.strerror or str(error)).lower()}"
    except (RefusedError, ValueError, KeyError, TypeError, AttributeError) as error:
        message = f"the comment was not written: {error}"
    else:
        return 0
    print(f"error: {message}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
