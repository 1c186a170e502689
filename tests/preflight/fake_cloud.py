"""An account for tests: botocore's own clients, whose calls are answered here and never leave the process.

What is asked is checked by botocore against its service models, as for AWS; so is what is answered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

import boto3
from botocore.exceptions import ClientError
from botocore.model import OperationModel, Shape
from botocore.validate import ParamValidator

from config.cluster import load_cluster
from config.design.model import Design
from scripts.cli.preflight.account import Account, kept

REGION, ACCOUNT = "us-west-2", "222233334444"
NOW = datetime(2027, 1, 10, tzinfo=UTC)
KEY = f"arn:aws:kms:{REGION}:{ACCOUNT}:key/1234abcd-12ab-34cd-56ef-1234567890ab"
SECRET = f"arn:aws:secretsmanager:{REGION}:{ACCOUNT}:secret:pagerduty-AbCdEf"

Answer = Callable[[Mapping[str, Any]], Any]

RICH = {
    "existing": f"""
extends: p6-b200
name: mine
account: "{ACCOUNT}"
deployment: {{permissions_boundary: hpc-boundary, qualifier: hpc}}
network:
  kind: existing
  vpc_id: vpc-12345678
  vpc_cidr: 10.0.0.0/16
  subnets: [{{id: subnet-11111111, cidr: 10.0.0.0/17, availability_zone_id: usw2-az2}}]
storage:
  lustre:
    key_arn: {KEY}
    data_repositories:
      - {{path: /datasets, bucket: my-datasets, import: [new, changed, deleted]}}
      - {{path: /checkpoints, bucket: my-checkpoints, export: [new, changed, deleted]}}
images: {{repositories: [{{name: train}}], caches: [{{upstream: quay}}]}}
access: {{sessions: {{bucket: {{name: my-sessions}}}}}}
observability:
  grafana: {{kind: managed, authentication: identity-center}}
  alerts:
    receivers:
      - {{kind: sns, topic_arn: "arn:aws:sns:{REGION}:{ACCOUNT}:oncall"}}
      - {{kind: pagerduty, secret_arn: "{SECRET}"}}
""",
    "reserved": f"""
extends: p6-b200
name: mine
orchestrator:
  kind: eks
  access: [{{principal: "arn:aws:iam::{ACCOUNT}:role/researchers", policy: cluster-admin}}]
storage: {{mountpoints: [{{name: datasets, bucket: my-datasets}}]}}
observability:
  grafana: {{kind: managed, saml: {{metadata_url: "https://idp.example.com", admins: [ops]}}}}
compute:
  groups:
    - name: train
      role: compute
      instance_type: p6-b200.48xlarge
      count: 8
      capacity:
        kind: odcr
        resource_group_arn: "arn:aws:resource-groups:{REGION}:{ACCOUNT}:group/pretrain"
    - name: block
      role: compute
      instance_type: p6-b200.48xlarge
      count: 8
      capacity: {{kind: capacity-block, reservation_id: cr-0a1b2c3d4e5f60718}}
    - {{name: spot, role: compute, instance_type: p5.48xlarge, count: 1, capacity: {{kind: spot}}}}
    - name: near
      role: compute
      instance_type: p6-b200.48xlarge
      count: 1
      placement_group: {{kind: existing, name: pretrain}}
    - {{name: system, role: system, instance_type: m5.4xlarge, count: 2}}
""",
    "attached": f"""
extends: p6-b200-cluster
name: mine
compute:
  groups:
    - {{name: controller, role: controller, instance_type: m5.4xlarge, count: 1}}
    - name: train
      role: compute
      instance_type: p6-b200.48xlarge
      count: 16
      capacity:
        kind: training-plan
        arn: "arn:aws:sagemaker:{REGION}:{ACCOUNT}:training-plan/pretrain"
        availability_zone_id: usw2-az2
""",
    "pcs": """
extends: p6-b200
name: mine
orchestrator: {kind: pcs}
compute:
  groups:
    - {name: login, role: login, instance_type: m5.4xlarge, count: 1}
    - {name: train, role: compute, instance_type: p6-b200.48xlarge, count: 4, ami_id: ami-0a1b2c3d4e5f60718}
""",
    "mounted": """
extends: p6-b200
name: mine
network:
  kind: existing
  vpc_id: vpc-12345678
  vpc_cidr: 10.0.0.0/16
  subnets: [{id: subnet-11111111, cidr: 10.0.0.0/17, availability_zone_id: usw2-az2}]
storage:
  lustre:
    kind: existing
    file_system_id: fs-0123456789abcdef0
    mount_name: abcdefgh
    security_group_id: sg-0123456789abcdef0
    availability_zone_id: usw2-az2
    subnet_cidr: 10.0.0.0/17
    capacity_gib: 38400
    throughput_mbps_per_tib: 500
    efa: true
  home:
    kind: existing
    file_system_id: fs-0123456789abcdef1
    security_group_id: sg-0123456789abcdef0
    availability_zone_id: usw2-az2
""",
}
"""Profiles that between them name everything that preflight asks about."""


def design_of(name: str, folder: Path, orchestrator: str | None = None) -> Design:
    """The design of a rich profile, or of a built-in one."""
    path = name
    if name in RICH:
        path = f"{name}.yaml"
        (folder / path).write_text(RICH[name], encoding="utf-8")
    cluster = load_cluster(path, base=folder, orchestrator=orchestrator)
    assert cluster.design is not None, [one.message for one in cluster.diagnostics]
    return cluster.design


def refusal(code: str, message: str = "no") -> ClientError:
    """What a service says against a question."""
    return ClientError({"Error": {"Code": code, "Message": message}}, "any")


@dataclass
class FakeCloud:
    """The account. `answers` are by `service:Operation`; all others are answered with nothing."""

    answers: dict[str, Answer] = field(default_factory=dict)
    calls: list[tuple[OperationModel, dict[str, Any]]] = field(default_factory=list)

    def account(self, region: str = REGION, *, on: bool = True) -> Account:
        """Who asks it."""
        return Account(number=ACCOUNT, clients=kept(self.client), region=region, on=on, now=NOW)

    def client(self, service: str, region: str) -> Any:
        """A client of botocore's whose calls end here: one for all clouds, of which the last made answers."""
        _ANSWERS[0] = self._answer
        return _client(service, region)

    def _answer(self, model: OperationModel, params: dict[str, Any]) -> tuple[Any, Any]:
        self.calls.append((model, params))
        found = self.answers.get(f"{model.service_model.service_name}:{model.name}")
        reported = _nothing(model.output_shape) if found is None else found(params)
        if isinstance(reported, ClientError):
            return _Http(400), {**reported.response, "ResponseMetadata": {"RequestId": "1"}}
        faults = faults_of(reported, model.output_shape)
        assert not faults, f"{model.name}: {faults}"
        return _Http(200), {**reported, "ResponseMetadata": {"RequestId": "1"}}


@dataclass
class _Http:
    status_code: int


_ANSWERS: list[Any] = [None]


@lru_cache(maxsize=1)
def _session() -> Any:
    return boto3.session.Session(aws_access_key_id="AKIAIOSFODNN7EXAMPLE", aws_secret_access_key="example")


@lru_cache(maxsize=64)
def _client(service: str, region: str) -> Any:
    """Clients take a while to make."""
    client = _session().client(service, region_name=region)
    asked: dict[int, dict[str, Any]] = {}

    def remember(params: dict[str, Any], **_: Any) -> None:
        asked[threading.get_ident()] = dict(params)

    def answer(model: OperationModel, **_: Any) -> Any:
        return _ANSWERS[0](model, asked[threading.get_ident()])

    client.meta.events.register_first("provide-client-params.*.*", remember)
    client.meta.events.register_last("before-call.*.*", answer)
    return client


def faults_of(answer: Any, shape: Shape | None) -> str:
    """What botocore's service model has against an answer; a test need not tell all that AWS does."""
    report: str = ParamValidator().validate(answer, shape).generate_report() if shape is not None else ""
    reported = [line for line in report.splitlines() if not line.startswith("Missing required")]
    return "\n".join([*reported, *_unknown_words(answer, shape)])


def _unknown_words(answer: Any, shape: Any) -> list[str]:
    if isinstance(answer, dict) and shape is not None and shape.type_name == "structure":
        return [
            fault
            for key, value in answer.items()
            if key in shape.members
            for fault in _unknown_words(value, shape.members[key])
        ]
    if isinstance(answer, list) and shape is not None and shape.type_name == "list":
        return [fault for one in answer for fault in _unknown_words(one, shape.member)]
    values = getattr(shape, "enum", [])
    return [f"{answer} is none of {values}"] if values and answer not in values else []


def _nothing(shape: Any) -> dict[str, Any]:
    """The emptiest answer of a shape: lists without anything."""
    if shape is None:
        return {}
    return {
        name: []
        for name, member in shape.members.items()
        if member.type_name == "list" and not member.metadata.get("min")
    }
