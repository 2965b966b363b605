"""Importing a library that rinforza does not depend on."""

import importlib
from types import ModuleType


def required(library: str, caller: str, extra: str = "") -> ModuleType:
    """Import a library.

    Args:
        library: What to import, and what pip calls it.
        caller: What needs it.
        extra: The extra of rinforza that it is in.

    Raises:
        ImportError: If it is not there; the message says what to install.
    """
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError as error:
        if error.name != library:
            raise  # it is there, and lacks something itself
        hint = f", or the extra `{extra}`" if extra else ""
        raise ImportError(f"{caller} needs {library}: pip install {library}{hint}", name=library) from error
