"""The certificates and keys of a control plane on the loopback address."""

from __future__ import annotations

import datetime as dt
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_YEAR = dt.timedelta(days=365)
AUTHORITY = "kueue-ca"
SERVICE = "kueue-webhook-service.kueue-system.svc"


def write_certificates(folder: Path) -> None:
    """Write the certificates ca.crt and tls.crt for 127.0.0.1, their keys, and the keys of service accounts.

    The names and the lifetime are those that Kueue requires of the certificates in its Secret.
    """
    authority_key, key, accounts = (
        rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(3)
    )
    authority = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, AUTHORITY)])
    now = dt.datetime.now(dt.UTC)

    def builder(name: str, public: rsa.RSAPublicKey) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
            .issuer_name(authority)
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(days=1))
            .not_valid_after(now + _YEAR)
        )

    own = (
        builder(AUTHORITY, authority_key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(AUTHORITY)]), critical=False)
    )
    names = [x509.DNSName(SERVICE), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    served = (
        builder("127.0.0.1", key.public_key())
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    )
    for name, one in (("ca.crt", own), ("tls.crt", served)):
        signed = one.sign(authority_key, hashes.SHA256())
        (folder / name).write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    for name, private in (("ca.key", authority_key), ("tls.key", key), ("sa.key", accounts)):
        (folder / name).write_bytes(
            private.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.TraditionalOpenSSL,
                serialization.NoEncryption(),
            )
        )
    (folder / "sa.pub").write_bytes(
        accounts.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
    )
