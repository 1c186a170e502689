"""Checks of keys, secrets, topics and roles that the profile names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from config.diagnostics import Path
from config.profile.base import IAM_PRINCIPAL, KMS_KEY_ARN, SECRET_ARN, TOPIC_ARN
from config.rules.preflight import codes
from scripts.cli.preflight.asking import Ask, MissingError
from scripts.cli.preflight.buckets import allows, everybody, statements
from scripts.cli.preflight.checks import Check, Found, Verdict, check, needs, wrong
from scripts.cli.preflight.place import Place
from scripts.cli.preflight.profile_values import values_of_form

_SERVICES_USE = ("kms:Decrypt", "kms:GenerateDataKeyWithoutPlaintext", "kms:CreateGrant")
"""Some of the actions that AWS services use on a key
(https://docs.aws.amazon.com/fsx/latest/LustreGuide/encryption-at-rest.html)."""


def checks(place: Place) -> Iterator[Check]:
    """Yield the checks of resources that the profile names by ARN."""
    profile = place.design.profile
    for arn, at in values_of_form(profile, KMS_KEY_ARN).items():
        name = arn.rpartition("/")[2]
        yield check("KMS", f"the key {name}", needs("kms:DescribeKey", arn), _key, arn, at)
        if _own(place, arn):  # only the owning account can read the policy of a key
            yield check("KMS", f"the policy of {name}", needs("kms:GetKeyPolicy", arn), _key_policy, arn, at)
    for arn, at in values_of_form(profile, SECRET_ARN).items():
        name, asked = arn.partition(":secret:")[2], needs("secretsmanager:DescribeSecret", arn)
        yield check("Secrets", f"the secret {name}", asked, _secret, arn, at)
    for arn, at in values_of_form(profile, TOPIC_ARN).items():
        name, asked = arn.rpartition(":")[2], needs("sns:GetTopicAttributes", arn)
        yield check("SNS", f"the topic {name}", asked, _topic, arn, at)
    for arn, at in values_of_form(profile, IAM_PRINCIPAL).items():
        if ":role/" in arn and _own(place, arn):
            name = arn.rpartition("/")[2]
            yield check("IAM", f"the role {name}", needs("iam:GetRole", arn), _role, arn, at)


def _own(place: Place, arn: str) -> bool:
    known = place.account or place.design.profile.account
    return known in (None, arn.split(":")[4])


def _region(arn: str) -> str:
    return arn.split(":")[3]


def _key(arn: str, at: Path, ask: Ask) -> Verdict:
    name = arn.rpartition("/")[2]
    try:
        answer = ask("kms", "DescribeKey", region=_region(arn), KeyId=arn)["KeyMetadata"]
    except MissingError:
        message = f"the key {name} does not exist in {_region(arn)} of account {arn.split(':')[4]}"
        return wrong("does not exist", codes.KEY, at, message, "use a key from `aws kms list-keys`")
    faults = []
    for what, real, wanted in (
        ("state", answer.get("KeyState", "Enabled"), "Enabled"),
        ("spec", answer.get("KeySpec", "SYMMETRIC_DEFAULT"), "SYMMETRIC_DEFAULT"),
        ("usage", answer.get("KeyUsage", "ENCRYPT_DECRYPT"), "ENCRYPT_DECRYPT"),
    ):
        if real != wanted:
            hint = (
                "run `aws kms cancel-key-deletion` and `aws kms enable-key` to restore the key"
                if what == "state"
                else "use a symmetric key that encrypts"
            )
            message = f"the key {name} has the {what} {real}, not {wanted}"
            faults.append(Found(codes.KEY, at, message, hint))
    return Verdict(str(answer.get("KeyState", "exists")), tuple(faults))


def _key_policy(arn: str, at: Path, ask: Ask) -> Verdict:
    answer = statements(
        ask("kms", "GetKeyPolicy", region=_region(arn), KeyId=arn, PolicyName="default")["Policy"]
    )
    name, account = arn.rpartition("/")[2], arn.split(":")[4]
    against = [
        one
        for one in answer
        if one.get("Effect") == "Deny" and everybody(one) and allows(one, *_SERVICES_USE)
    ]
    unconditional = [one for one in against if not one.get("Condition")]
    if unconditional:
        message = (
            f"the policy of the key {name} denies use of the key to all principals "
            f"({unconditional[0].get('Sid', 'a statement without Sid')})"
        )
        return wrong("denies all principals", codes.KEY_POLICY, at, message, "remove this statement")
    if any(
        one.get("Effect") == "Allow" and _to_account(one) and allows(one, *_SERVICES_USE) for one in answer
    ):
        return Verdict("the account can use the key")
    message = f"the policy of the key {name} does not allow the whole account {account} to use the key"
    hint = "add the statement of a default key policy, or a statement for each role and service that uses the key"
    return wrong("only named principals", codes.KEY_POLICY, at, message, hint)


def _to_account(statement: Mapping[str, Any]) -> bool:
    if everybody(statement):
        return True
    principal = statement.get("Principal")
    named = principal.get("AWS", []) if isinstance(principal, dict) else []
    several = named if isinstance(named, list) else [named]
    return any(str(one).endswith(":root") or str(one).isdecimal() for one in several)


def _secret(arn: str, at: Path, ask: Ask) -> Verdict:
    name = arn.partition(":secret:")[2]
    try:
        answer = ask("secretsmanager", "DescribeSecret", region=_region(arn), SecretId=arn)
    except MissingError:
        message = f"the secret {name} does not exist in {_region(arn)}"
        hint = "use a secret from `aws secretsmanager list-secrets`, by its ARN"
        return wrong("does not exist", codes.SECRET, at, message, hint)
    deleted = answer.get("DeletedDate")
    if deleted is None:
        return Verdict("exists")
    message = (
        f"the secret {name} has been scheduled for deletion since {str(deleted)[:10]}, and cannot be read"
    )
    hint = f"run `aws secretsmanager restore-secret --secret-id {arn}` to restore the secret"
    return wrong("deleted", codes.SECRET, at, message, hint)


def _topic(arn: str, at: Path, ask: Ask) -> Verdict:
    try:
        ask("sns", "GetTopicAttributes", region=_region(arn), TopicArn=arn)
    except MissingError:
        message = f"the topic {arn.rpartition(':')[2]} does not exist in {_region(arn)}"
        hint = "use a topic from `aws sns list-topics`, or remove `topic_arn` to let the stack create one"
        return wrong("does not exist", codes.NAMED_THING, at, message, hint)
    return Verdict("exists")


def _role(arn: str, at: Path, ask: Ask) -> Verdict:
    name = arn.rpartition("/")[2]
    try:
        ask("iam", "GetRole", RoleName=name)
    except MissingError:
        message = f"the role {name} does not exist in the account"
        hint = "use a role from `aws iam list-roles`, by its ARN"
        return wrong("does not exist", codes.NAMED_THING, at, message, hint)
    return Verdict("exists")
