"""The plan of a cluster as a document, and the forms in which it is written."""
