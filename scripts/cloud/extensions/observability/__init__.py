"""Observability services of the embedded cloud that moto lacks."""

from . import alarms, logs

EXTENSIONS = (alarms, logs)
