"""What somebody who is told reads: templates of Alertmanager, with the node's name in the first line."""

from __future__ import annotations

SUBJECT_LENGTH = 100
"""SNS cuts a subject there, and takes ASCII alone
(https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-alertmanager-receiver-validation-truncation.html)."""
NAME_LENGTH = 24
"""The longest name of an alert that leaves room for its place."""
TOLD = 100
"""Alerts that one message tells in full: SNS takes 256 KB."""

_OURS = '{{ $told := .Alerts }}{{ if eq .Status "firing" }}{{ $told = .Alerts.Firing }}{{ end }}'
_STATE = '{{ if eq .Status "firing" }}{{ .CommonLabels.severity | toUpper }}{{ else }}RESOLVED{{ end }}'

# [CRITICAL] GpuMissing: train-7: 1 GPUs are missing (+2 more): 11 + 24 + 2 + 51 + 12 characters at most
SUBJECT = (
    f"{_OURS}[{_STATE}] {{{{ .GroupLabels.alertname }}}}: "
    '{{ printf "%.51s" (index $told 0).Annotations.summary }}'
    "{{ if gt (len $told) 1 }} (+{{ slice $told 1 | len }} more){{ end }}"
)

_FIRING = """\
{{ .Labels.severity | toUpper }} {{ .Labels.alertname }}: {{ .Annotations.summary }}
{{ .Annotations.description }}
Cluster {{ .Labels.cluster }}, {{ with .Labels.node }}node {{ . }}, {{ end }}\
since {{ .StartsAt.UTC.Format "2006-01-02 15:04:05" }} UTC; runbook: {{ .Annotations.runbook }}

"""
_RESOLVED = "RESOLVED {{ .Labels.alertname }}: {{ .Annotations.summary }}\n"


def _all(alerts: str, text: str) -> str:
    first = f"{{{{ if lt $i {TOLD} }}}}"
    return f"{{{{ range $i, $alert := {alerts} }}}}{first}{text}{{{{ end }}}}{{{{ end }}}}"


MESSAGE = _all(".Alerts.Firing", _FIRING) + _all(".Alerts.Resolved", _RESOLVED)
