"""Alertmanager templates of the messages to receivers, with the node's name in the first line."""

from __future__ import annotations

SUBJECT_LENGTH = 100
"""SNS truncates a longer subject, and accepts only ASCII
(https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-alertmanager-receiver-validation-truncation.html)."""
NAME_LENGTH = 24
"""Maximum length of an alert name, so that the place of the fault fits in the subject."""
REPORTED = 100
"""Maximum number of alerts with details in one message, since SNS accepts 256 KB."""

_OURS = '{{ $shown := .Alerts }}{{ if eq .Status "firing" }}{{ $shown = .Alerts.Firing }}{{ end }}'
_STATE = '{{ if eq .Status "firing" }}{{ .CommonLabels.severity | toUpper }}{{ else }}RESOLVED{{ end }}'

# [CRITICAL] GpuMissing: train-7: missing GPUs: 1 (+2 more): at most 11 + 24 + 2 + 51 + 12 characters
SUBJECT = (
    f"{_OURS}[{_STATE}] {{{{ .GroupLabels.alertname }}}}: "
    '{{ printf "%.51s" (index $shown 0).Annotations.summary }}'
    "{{ if gt (len $shown) 1 }} (+{{ slice $shown 1 | len }} more){{ end }}"
)

_FIRING = """\
{{ .Labels.severity | toUpper }} {{ .Labels.alertname }}: {{ .Annotations.summary }}
{{ .Annotations.description }}
Cluster {{ .Labels.cluster }}, {{ with .Labels.node }}node {{ . }}, {{ end }}\
since {{ .StartsAt.UTC.Format "2006-01-02 15:04:05" }} UTC; runbook: {{ .Annotations.runbook }}

"""
_RESOLVED = "RESOLVED {{ .Labels.alertname }}: {{ .Annotations.summary }}\n"


def _all(alerts: str, text: str) -> str:
    first = f"{{{{ if lt $i {REPORTED} }}}}"
    return f"{{{{ range $i, $alert := {alerts} }}}}{first}{text}{{{{ end }}}}{{{{ end }}}}"


MESSAGE = _all(".Alerts.Firing", _FIRING) + _all(".Alerts.Resolved", _RESOLVED)
