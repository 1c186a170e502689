"""Operations and behaviour added to moto's services."""

from __future__ import annotations

import functools

from botocore import session

# moto creates many sessions; each loader would read the largest API models again
session.create_loader = functools.lru_cache(session.create_loader)
