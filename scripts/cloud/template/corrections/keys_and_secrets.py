"""Corrections for KMS keys, secrets and parameters: fixed properties, and the effect of a new value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from scripts.cloud.template.effects import Effect

from .model import Change, Correct, Correction

_KEY = "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-kms-key.html"
_STATES = "https://docs.aws.amazon.com/kms/latest/developerguide/enabling-keys.html"
_SECRET = "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-secretsmanager-secret.html"
_PARAMETER = "https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_PutParameter.html"


def _key(change: Change) -> Iterator[Correction]:
    for name, default in (
        ("KeySpec", "SYMMETRIC_DEFAULT"),
        ("KeyUsage", "ENCRYPT_DECRYPT"),
        ("Origin", "AWS_KMS"),
        ("MultiRegion", False),
    ):
        was, will = (default if value is None else value for value in change.sides(name))
        if was != will:
            reason = "set at creation; the update fails, so that the key is not lost"
            hint = "create a second key with another logical id, and encrypt the data again with the new key"
            yield Correction((name,), Effect.REFUSED, reason, _KEY, hint)
    was, will = (value is not False for value in change.sides("Enabled"))
    if was and not will:
        reason = "data that the key encrypts cannot be read while the key is disabled"
        yield Correction(("Enabled",), Effect.INTERRUPTION, reason, _STATES)


def _secret(change: Change) -> Iterator[Correction]:
    for name in ("GenerateSecretString", "SecretString"):
        if change.differs(name):
            reason = "the secret gets a new value; clients with the old value can no longer log in"
            yield Correction((name,), Effect.INTERRUPTION, reason, _SECRET)


def _parameter(change: Change) -> Iterator[Correction]:
    for name in ("Type", "DataType"):
        was, will = (value or ("text" if name == "DataType" else value) for value in change.sides(name))
        if was != will:
            reason = f"the type of a parameter cannot change from {was} to {will}"
            yield Correction((name,), Effect.REFUSED, reason, _PARAMETER, "rename the parameter")
    if change.sides("Tier")[0] == "Advanced" and change.sides("Tier")[1] != "Advanced":
        reason = "an advanced parameter cannot become a standard one"
        yield Correction(("Tier",), Effect.REFUSED, reason, _PARAMETER, "rename the parameter")


CORRECTIONS: Mapping[str, tuple[Correct, ...]] = {
    "AWS::KMS::Key": (_key,),
    "AWS::SecretsManager::Secret": (_secret,),
    "AWS::SSM::Parameter": (_parameter,),
}
