"""What services refuse of roles, and Prometheus and Grafana of their definitions."""

from __future__ import annotations

from config.diagnostics import codes_of
from config.rules.deployed.code import refused

_PROMETHEUS = "https://docs.aws.amazon.com/prometheus/latest/userguide"

ROLE_TRUSTS = refused(
    "IAM001",
    "a role trusts the service that shall use it",
    "Lambda, EKS and SageMaker look at the role's trust policy when they are given the role, and refuse one that "
    "they cannot assume.",
    "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_create_for-service.html",
)
GRAFANA_VPC = refused(
    "OBS004",
    "a Grafana workspace in ap-northeast-2 connects to no VPC",
    "Amazon Managed Grafana does not support VPC connections there.",
    "https://docs.aws.amazon.com/grafana/latest/APIReference/API_VpcConfiguration.html",
    ages="the Regions where Amazon Managed Grafana connects to VPCs",
)
ALERT_MANAGER = refused(
    "OBS005",
    "an alert manager definition holds alertmanager_config, and template_files at most beside it",
    "Prometheus wants the ordinary Alertmanager file as text under that key, and answers anything else with "
    "'Malformed Alertmanager definition' (OBS-10).",
    f"{_PROMETHEUS}/AMP-alertmanager-config.html",
)
RULE_FILE = refused(
    "OBS006",
    "a rule groups namespace holds one YAML mapping with the key groups",
    "Prometheus refuses a rules file of another form.",
    f"{_PROMETHEUS}/AMP-ruler-rulesfile.html",
)
RECEIVERS = refused(
    "OBS007",
    "an alert manager definition sends as Prometheus can",
    "Receivers are standard topics of SNS with the Region of their signatures, and PagerDuty with its key in Secrets "
    "Manager; other settings are refused, and a repetition after more than 5 days is silently made one of 5 (OBS-10).",
    f"{_PROMETHEUS}/AMP-alertmanager-receiver-config.html",
)
RULE_LIMITS = refused(
    "OBS008",
    "a rule groups namespace is one file of 1 MB at most, with one groups key and names that differ",
    "A second `groups` key hides the first, and Prometheus refuses the file; it takes no larger one.",
    f"{_PROMETHEUS}/AMP_quotas.html",
)
SCRAPE = refused(
    "OBS009",
    "a collector is configured with what it knows",
    "It takes `global` and `scrape_configs`, finds targets through Kubernetes, DNS or by their addresses, reads them "
    "every 30 seconds at most often, and takes 256 KB.",
    "https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/"
    "managed-prometheus-collectors-scraper-configuration.html",
)

CODES = codes_of(globals())
