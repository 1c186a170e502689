"""Constructs for access to nodes."""

from ultracluster.access.session_document import SessionDocument, SessionDocumentProps

__all__ = ["SessionDocument", "SessionDocumentProps"]
