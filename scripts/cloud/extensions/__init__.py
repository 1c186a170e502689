"""Operations and behaviour added to moto's services."""

from __future__ import annotations

import functools

from botocore import session

# moto and its services make many sessions; with a loader each, the largest API models are read several times
session.create_loader = functools.lru_cache(session.create_loader)
