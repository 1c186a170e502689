"""The life of a cluster between its deployment and its last day: drained, torn down."""
