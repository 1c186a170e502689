"""Scripts that machines fetch at boot, published under their content's hash."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeScriptsProps:
    """The files of one bundle.

    Attributes:
        files: Text by file name, without folders (`on_init_complete.sh`).
        key_prefix: First part of the object keys. `hyperpod-lifecycle` by default.
        content_hash: The bundle's version. None: computed from names and texts, so that any change is a new
            prefix and therefore a visible change of the cluster.
    """

    files: Mapping[str, str]
    key_prefix: str = "hyperpod-lifecycle"
    content_hash: str | None = None


# class NodeScripts(Construct): s3_uri: str ("s3://<bucket>/<prefix>/"); bucket_name: str (token); prefix: str
