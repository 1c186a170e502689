"""What services refuse of roles, and Prometheus and Grafana of their definitions."""

from __future__ import annotations

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

CODES = (ROLE_TRUSTS, GRAFANA_VPC, ALERT_MANAGER, RULE_FILE)
