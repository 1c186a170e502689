"""The name of a profile in its environment: what the stack and everything in it is called."""

from __future__ import annotations

from config.profile.model import Profile

MARK = "env"
"""What stands between a profile's name and its environment.

`pretrain-prod` may be a profile of that name. `pretrain-env-prod` is only `pretrain` in `prod`, and no name of
another profile begins with it: an environment is one word, and no word but the first of a name is `env` (ENV001).
"""


def full_name(name: str, environment: str | None) -> str:
    """`pretrain` in `prod` is `pretrain-env-prod`; without an environment the name stays as it is."""
    return f"{name}-{MARK}-{environment}" if environment else name


def in_environment(profile: Profile) -> Profile:
    """The profile under the name that its stack has: everything that is named follows from it."""
    if profile.environment is None:
        return profile
    return profile.model_copy(update={"name": full_name(profile.name, profile.environment)})


def stated_name(profile: Profile) -> str:
    """The name as the user wrote it, of a profile that is called as in its environment."""
    return profile.name.removesuffix(full_name("", profile.environment))
