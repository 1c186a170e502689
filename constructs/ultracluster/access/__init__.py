"""How people come onto machines."""

from ultracluster.access.session_document import SessionDocument, SessionDocumentProps

__all__ = ["SessionDocument", "SessionDocumentProps"]
