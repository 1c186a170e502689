"""Keys, types, units, closed sets and bounds: each fault in the user's own words, all in one pass."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from config.cluster import Cluster
from config.diagnostics import Diagnostic
from config.profile.base import CERTIFICATES, FORMS
from config.profile.source.shape import json_schema

Errors = Callable[..., list[Diagnostic]]

FAULTS = [
    # lines over p6-b200, code, path, message, what the hint says
    ("regoin: us-west-2", "PRO010", "regoin", "unknown key `regoin`", "did you mean `region`?"),
    ("storage: {lustre: {capacity: 9600}}", "PRO015", "storage.lustre.capacity",
     "`capacity` has the wrong unit, the key is `capacity_gib`", "write `capacity_gib: ...`"),
    ("storage: {lustre: {capacity_tib: 38.4}}", "PRO015", "storage.lustre.capacity_tib",
     "`capacity_tib` has the wrong unit, the key is `capacity_gib`", "write `capacity_gib: 38400`"),
    ("storage: {lustre: {capacity_gib: 38.4 TiB}}", "PRO015", "storage.lustre.capacity_gib",
     "'38.4 TiB' has a unit", "write `capacity_gib: 38400`"),
    ("storage: {lustre: {capacity_gib: 1.2TiB}}", "PRO015", "storage.lustre.capacity_gib",
     "'1.2TiB' has a unit", "write `capacity_gib: 1200`"),
    ("storage: {lustre: {throughput_mbps_per_tib: 500 MB/s}}", "PRO015",
     "storage.lustre.throughput_mbps_per_tib", "'500 MB/s' has a unit",
     "write `throughput_mbps_per_tib: 500`"),
    ("storage: {lustre: {capacity_gib: '38400'}}", "PRO011", "storage.lustre.capacity_gib",
     "'38400' is not a whole number", "write `capacity_gib: 38400`, without quotes"),
    ("storage: {lustre: {capacity_gib: 9600.5}}", "PRO011", "storage.lustre.capacity_gib",
     "9600.5 is not a whole number", "write a whole number"),
    ("storage: {lustre: {capacity_gib: 9.6e3}}", "PRO011", "storage.lustre.capacity_gib",
     "9600.0 is not a whole number", "write `capacity_gib: 9600`"),
    ("storage: {lustre: {efa: yes}}", "PRO011", "storage.lustre.efa", "'yes' is not true or false",
     "write true or false"),
    ("network: {vpc_cidr: }", "PRO011", "network.vpc_cidr",
     "`vpc_cidr` has no value, but must be text", "add a value"),
    ("orchestrator: {kind: pcs, settings: 5}", "PRO011", "orchestrator.settings",
     "5 is not a mapping of keys to values", "write a mapping"),
    ("storage: 5", "PRO011", "storage", "5 is not a mapping of keys to values", "write a mapping"),
    ("account: 123456789012", "PRO011", "account", "123456789012 is not text",
     'write `account: "123456789012"`, in quotes'),
    ("account: 012345678901", "PRO011", "account", "12345678901 is not text",
     'write `account: "012345678901"`, in quotes'),
    ("description: 8e123456", "PRO011", "description", "inf is not text",
     'write `description: "..."`, in quotes'),
    ("observability: {grafana: {version: 12.4}}", "PRO011", "observability.grafana.version",
     "12.4 is not text", 'write `version: "12.4"`, in quotes'),
    ("observability: {alerts: {receivers: [{kind: slack}]}}", "PRO012",
     "observability.alerts.receivers[0].kind", "'slack' is not a valid value of `kind`",
     "write `kind: sns` and subscribe the receiver to the topic"),
    ("observability: {alerts: {receivers: [{kind: email}]}}", "PRO012",
     "observability.alerts.receivers[0].kind", "'email' is not a valid value of `kind`",
     "write `{kind: sns, emails: [...]}`"),
    ("observability: {repair: {actions: {gpu-missing: reset}}}", "PRO012",
     "observability.repair.actions.gpu-missing", "'reset' is not a valid value of `gpu-missing`",
     "write `reboot`"),
    ("account: '12345'", "PRO016", "account", "'12345' is not a valid value of `account`", "12 digits"),
    ("orchestrator: hyperpod-slurm", "PRO011", "orchestrator",
     "'hyperpod-slurm' is not a mapping of keys to values", "write `orchestrator: {kind: hyperpod-slurm}`"),
    ("network: new", "PRO011", "network", "'new' is not a mapping of keys to values",
     "write `network: {kind: new, vpc_cidr: ...}`"),
    ("network: [a]", "PRO011", "network", "a list is not a mapping of keys to values",
     "one of existing, new"),
    ("network: {kind: nwe}", "PRO012", "network.kind", "'nwe' is not a valid value of `kind`",
     "did you mean new? write one of: new, existing"),
    ("network: {kind: [a]}", "PRO012", "network.kind", "a list is not a valid value of `kind`",
     "write one of: new, existing"),
    ("storage: {lustre: {deployment: scratch-1}}", "PRO012", "storage.lustre.deployment",
     "'scratch-1' is not a valid value of `deployment`", "did you mean scratch-2?"),
    ("storage: {lustre: {compression: lz5}}", "PRO012", "storage.lustre.compression",
     "'lz5' is not a valid value of `compression`", "did you mean lz4? write one of: lz4, none"),
    ("orchestrator: {kind: slurm}", "PRO012", "orchestrator.kind", "'slurm' is not a valid value of `kind`",
     "hyperpod-slurm"),
    ("storage: {local_nvme: {raid: 1}}", "PRO012", "storage.local_nvme.raid",
     "1 is not a valid value of `raid`", "write 0"),
    ("storage: {lustre: {data_repositories: [{path: /a, bucket: new, import: new}]}}", "PRO011",
     "storage.lustre.data_repositories[0].import", "'new' is not a list", "such as `import: [new]`"),
    ("storage: {lustre: {data_repositories: [{path: /a, bucket: new, export: [create]}]}}", "PRO012",
     "storage.lustre.data_repositories[0].export[0]", "'create' is not a valid value of `export`",
     "write one of: new, changed, deleted"),
    ("storage: {lustre: {data_repositories: [{path: /a, import: [new]}]}}", "PRO013",
     "storage.lustre.data_repositories[0].bucket", "`bucket` is missing", "add `bucket:` (`new`, or"),
    ("orchestrator: {kind: eks, endpoint: public}", "PRO011", "orchestrator.endpoint",
     "'public' is not a mapping of keys to values", "write `endpoint: {kind: public, cidrs: ...}`"),
    ("orchestrator: {kind: eks, karpenter: true}", "PRO011", "orchestrator.karpenter",
     "true is not a mapping of keys to values", "write `karpenter: {groups: ...}`"),
    ("orchestrator: {kind: eks, karpenter: {groups: [train]}}", "PRO011", "orchestrator.karpenter.groups[0]",
     "'train' is not a mapping of keys to values", "write `{name: train}`"),
    ("orchestrator: {kind: eks, scheduling: {teams: {name: vision}}}", "PRO011",
     "orchestrator.scheduling.teams", "a mapping is not a list", "such as `teams: [{...}]`"),
    ("orchestrator: {kind: hyperpod-eks, training_operator: true}", "PRO011",
     "orchestrator.training_operator", "true is not a mapping of keys to values",
     "write `training_operator: {}`"),
    ("orchestrator: {kind: hyperpod-eks, training_operator: false}", "PRO011",
     "orchestrator.training_operator", "false is not a mapping of keys to values", "remove the key"),
    ("orchestrator: {kind: eks, scheduling: {priorities: [{name: urgent, value: 5000000}]}}", "PRO014",
     "orchestrator.scheduling.priorities[0].value", "5000000 is more than 1000000", "write 1000000 or less"),
    ("storage: {lustre: {weekly_maintenance_start: Sunday}}", "PRO016",
     "storage.lustre.weekly_maintenance_start",
     "'Sunday' is not a valid value of `weekly_maintenance_start`", "day:HH:MM in UTC"),
    ("network: {secondary_zones: [usw2]}", "PRO016", "network.secondary_zones[0]",
     "'usw2' is not a valid value of `secondary_zones`", "a zone ID such as usw2-az2"),
    ("availability_zone: usw2-az2", "PRO016", "availability_zone",
     "'usw2-az2' is not a valid value of `availability_zone`", "write a zone ID to `availability_zone_id`"),
    ("network: {vpc_cidr: 10.0.0.0}", "PRO016", "network.vpc_cidr",
     "'10.0.0.0' is not a valid value of `vpc_cidr`", "10.0.0.0/16"),
    ("region: us-west", "PRO016", "region", "'us-west' is not a valid value of `region`", "us-west-2"),
    ("compute: {groups: []}", "PRO014", "compute.groups", "`groups` has 0 items", "add at least 1"),
    ("compute: {groups: [{name: a, role: compute, instance_type: p5.48xlarge, count: -1}]}", "PRO014",
     "compute.groups[0].count", "-1 is less than 0", "write 0 or more"),
    ("compute: {groups: [{name: a, role: compute, instance_type: p5.48xlarge, count: 10000}]}", "PRO014",
     "compute.groups[0].count", "10000 is more than 6758", "write 6758 or less"),
    ("observability: {prometheus: {retention_days: 0}}", "PRO014", "observability.prometheus.retention_days",
     "0 is less than 1", "write 1 or more"),
    ("workload: {parameters: -1}", "PRO014", "workload.parameters", "-1 is less than 1",
     "write 1 or more"),
    ("workload: {parameters: 1e999}", "PRO014", "workload.parameters", "inf is not a finite number",
     "such as 405e9"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("lines", "code", "path", "message", "hint"), FAULTS, ids=[fault[0][:60] for fault in FAULTS]
)
def test_a_fault_is_reported_in_the_users_words(
    lines: str, code: str, path: str, message: str, hint: str, errors: Errors
) -> None:
    (found,) = errors(lines + "\n")
    assert (found.code, found.path, found.message) == (code, path, message)
    assert hint in found.hint
    assert (found.file, found.line) == ("my.yaml", 3)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("P6_B200", "'P6_B200' is not a valid value of `name`"),
        ("-a", "'-a' is not a valid value of `name`"),
        ('"a\\n"', "'a\\n' is not a valid value of `name`"),
        ("a" * 33, "has 33 characters"),
        ("12", "12 is not text"),
        ("8e123456", "inf is not text"),
        ("", "`name` has no value, but must be text"),
    ],
)
def test_a_name_is_lower_case_words(name: str, said: str, check: Callable[..., Cluster]) -> None:
    (found,) = [d for d in check(f"extends: p6-b200\nname: {name}\n").diagnostics if d.severity == "error"]
    assert said in found.message
    assert found.line == 2


def test_a_very_long_value_is_cut_in_messages(errors: Errors) -> None:
    lines = (f"region: {'y' * 99_000}", f"{'z' * 1_000}: 1", f"storage: {{lustre: {{efa: {'x' * 9_000}}}}}")
    found = errors("\n".join(lines))
    assert len(found) == 3
    assert all(len(diagnostic.message) < 150 for diagnostic in found)


@pytest.mark.parametrize("amount", ["9" * 400, "9" * 400 + " TiB", "1e400", "9" * 30])
def test_a_number_beyond_every_bound_is_no_traceback(amount: str, errors: Errors) -> None:
    found = errors(f"storage: {{lustre: {{capacity_gib: {amount}}}}}\n")
    assert "storage.lustre.capacity_gib" in {diagnostic.path for diagnostic in found}


def test_scalars_are_those_of_yaml_1_2(check: Callable[..., Cluster]) -> None:
    cluster = check("extends: p6-b200\nname: mine\ndescription: no\nworkload: {parameters: 405e9}\n")
    assert cluster.design
    assert cluster.design.profile.description == "no"
    assert cluster.design.profile.workload
    assert cluster.design.profile.workload.parameters == 405e9


def test_null_gives_a_key_its_default_back(check: Callable[..., Cluster]) -> None:
    base = "extends: p6-b200\nname: base\nstorage: {lustre: {compression: none, mount_path: /data}}\n"
    cluster = check(
        "extends: base.yaml\nname: mine\nstorage: {lustre: {compression: null, mount_path: ~}}\n",
        files={"base.yaml": base},
    )
    assert cluster.design
    assert cluster.design.lustre
    assert cluster.design.lustre.settings
    assert (cluster.design.lustre.settings.compression, cluster.design.lustre.mount_path) == ("lz4", "/fsx")


def test_all_faults_are_reported_at_once(errors: Errors) -> None:
    found = errors(
        "regoin: us-west-2\n"
        "storage: {lustre: {capacity_gib: 10000}}\n"
        "network: {vpc_cidr: 10.0.0.1/16}\n"
        "observability: {grafana: managed}\n"
        "disposable: 1\n"
    )
    assert [(d.line, d.code) for d in found] == [
        (3, "PRO010"),
        (4, "LUS002"),
        (5, "NET001"),
        (6, "PRO011"),
        (7, "PRO011"),
    ]


def test_a_rule_is_not_judged_on_a_part_of_a_wrong_shape(errors: Errors) -> None:
    assert [d.code for d in errors("storage: {lustre: {efa: maybe, capacity_gib: 1}}\n")] == ["PRO011"]


def test_control_characters_are_reported_as_escapes_in_one_line(errors: Errors) -> None:
    (found,) = errors('"\\e[31m\\nred": 1\n')
    assert (found.code, found.path) == ("PRO010", r"\x1b[31m\nred")
    assert r"unknown key `\x1b[31m\nred`" in found.message


@pytest.mark.parametrize("sign", [r"\x07", r"\x7f", r"\x93", r"\u2028", r"\u202e", r"\uffff", "$"])
def test_a_text_that_goes_into_the_template_has_no_sign_that_readers_refuse(
    sign: str, errors: Errors
) -> None:
    (found,) = errors(f'description: "our{sign}first cluster"\n')
    assert (found.code, found.path) == ("PRO016", "description")
    (found,) = errors(f'waive: [{{code: CAP011, reason: "our{sign}first cluster"}}]\n')
    assert (found.code, found.path) == ("PRO016", "waive[0].reason")


def test_a_key_kind_where_none_is_known_hides_no_missing_key(errors: Errors) -> None:
    found = errors("compute: {groups: [{kind: gpu, role: compute}]}\n")
    missing = {d.path.rpartition(".")[2] for d in found if d.code == "PRO013"}
    assert missing == {"name", "instance_type", "count"}
    assert [d.path for d in found if d.code == "PRO010"] == ["compute.groups[0].kind"]


@pytest.mark.parametrize("value", ["false", "0.0"])
def test_a_word_of_another_type_is_not_taken_for_a_whole_number_of_a_closed_set(
    value: str, errors: Errors
) -> None:
    # to Python false is 0: `raid: false` would be RAID 0 over all disks
    (found,) = errors(f"storage: {{local_nvme: {{raid: {value}}}}}\n")
    assert (found.code, found.path) == ("PRO011", "storage.local_nvme.raid")
    assert found.message == f"{value} is not a whole number"


def test_a_very_long_text_of_a_rule_is_cut_in_its_middle(errors: Errors) -> None:
    (found,) = errors(f'storage: {{lustre: {{mount_path: "{"x" * 5000}"}}}}\n')
    assert found.code == "LUS007"
    assert len(found.message) < 1000
    assert found.message.endswith("is not a plain absolute path")


def test_a_key_with_a_dot_does_not_hide_the_rest(errors: Errors) -> None:
    found = errors("storage.lustre: 1\nstorage: {lustre: {capacity_gib: 10000}}\n")
    assert {d.code for d in found} == {"PRO010", "LUS002"}


def test_a_profile_that_stands_alone_needs_its_name_region_zone_and_network(
    check: Callable[..., Cluster],
) -> None:
    found = check("description: nothing else\n").diagnostics
    assert {(d.code, d.path) for d in found} == {
        ("PRO013", "name"),
        ("PRO013", "region"),
        ("PRO020", "profile"),
        ("PRO023", "profile"),
    }


def _patterns(schema: object) -> set[str]:
    if isinstance(schema, dict):
        own = {schema["pattern"]} if isinstance(schema.get("pattern"), str) else set()
        own |= set(schema.get("patternProperties", ()))
        return own.union(*(_patterns(part) for part in schema.values()))
    if isinstance(schema, list):
        return set().union(*(_patterns(part) for part in schema))
    return set()


def test_every_form_is_reported_in_words_with_an_example_that_has_it() -> None:
    assert _patterns(json_schema()) == set(FORMS)
    # a file in PEM has several lines, and no place for an example among the words
    for pattern, form in ((pattern, form) for pattern, form in FORMS.items() if pattern != CERTIFICATES):
        shown = [*form.split(), form.rpartition("such as ")[2]]
        assert any(re.fullmatch(pattern, word.strip(';,"')) for word in shown)


def test_every_key_says_what_it_means() -> None:
    schema = json_schema()
    silent = [
        f"{name}.{key}"
        for name, model in {"Profile": schema, **schema["$defs"]}.items()
        for key, described in model["properties"].items()
        if key != "kind" and not described.get("description")
    ]
    assert silent == []


def test_a_version_that_yaml_reads_as_a_number_goes_in_quotes(errors: Errors) -> None:
    found = errors("orchestrator: {kind: eks, kubernetes_version: 1.30}\n")
    (reported,) = [d for d in found if d.path == "orchestrator.kubernetes_version"]
    assert reported.code == "PRO012"
    assert reported.message == "1.3 is a number, but `kubernetes_version` is a version in quotes"
    assert reported.hint.startswith('write one of: "1.30", "1.31"')
