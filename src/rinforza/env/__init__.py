"""One game, driven by the caller."""

from .env import Env
from .snapshot import EnvSnapshot

__all__ = ["Env", "EnvSnapshot"]
