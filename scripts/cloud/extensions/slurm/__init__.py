"""Extensions of moto for PCS and accounting databases."""

from . import databases

EXTENSIONS = (databases,)
