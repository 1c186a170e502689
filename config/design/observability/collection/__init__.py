"""Collection of metrics: collectors, exporters and their configuration."""
