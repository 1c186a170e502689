"""Codes for roles that services reject, and for definitions that Prometheus and Grafana reject."""

from __future__ import annotations

from config.diagnostics import codes_of
from config.rules.deployed.code import refused

_PROMETHEUS = "https://docs.aws.amazon.com/prometheus/latest/userguide"

ROLE_TRUSTS = refused(
    "IAM001",
    "a role trusts the service that uses it",
    "Lambda, EKS and SageMaker check the role's trust policy when they receive the role, and reject a role that "
    "they cannot assume.",
    "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_create_for-service.html",
)
GRAFANA_VPC = refused(
    "OBS004",
    "a Grafana workspace in ap-northeast-2 does not connect to a VPC",
    "Amazon Managed Grafana does not support VPC connections in ap-northeast-2.",
    "https://docs.aws.amazon.com/grafana/latest/APIReference/API_VpcConfiguration.html",
    ages="the Regions where Amazon Managed Grafana connects to VPCs",
)
ALERT_MANAGER = refused(
    "OBS005",
    "an alert manager definition has only alertmanager_config and, optionally, template_files",
    "Amazon Managed Service for Prometheus expects the Alertmanager file as text under alertmanager_config. For any other content it returns "
    "'Malformed Alertmanager definition' (OBS-10).",
    f"{_PROMETHEUS}/AMP-alertmanager-config.html",
)
RULE_FILE = refused(
    "OBS006",
    "a rule groups namespace contains one YAML mapping with the key groups",
    "Prometheus rejects a rules file in another format.",
    f"{_PROMETHEUS}/AMP-ruler-rulesfile.html",
)
RECEIVERS = refused(
    "OBS007",
    "an alert manager definition has only receivers and settings that Prometheus supports",
    "Receivers are standard SNS topics with a signing Region, and PagerDuty with its key in Secrets "
    "Manager. Other settings are rejected. A repeat interval above 5 days becomes 5 days, without an error (OBS-10).",
    f"{_PROMETHEUS}/AMP-alertmanager-receiver-config.html",
)
RULE_LIMITS = refused(
    "OBS008",
    "a rule groups namespace is one file of at most 1 MB, with one groups key and unique names",
    "A second `groups` key hides the first `groups` key, and Prometheus rejects the file. Prometheus also rejects a file above 1 "
    "MB.",
    f"{_PROMETHEUS}/AMP_quotas.html",
)
SCRAPE = refused(
    "OBS009",
    "a collector has a configuration that it supports",
    "A collector supports `global` and `scrape_configs`. It discovers targets through Kubernetes, DNS or static addresses. The "
    "minimum scrape interval is 30 seconds, and the maximum size is 256 KB.",
    "https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/"
    "managed-prometheus-collectors-scraper-configuration.html",
)

CODES = codes_of(globals())
