"""Importing a library that rinforza does not depend on."""

import importlib
from types import ModuleType


def required(library: str, package: str, caller: str) -> ModuleType:
    """Import a library.

    Args:
        library: What to import.
        package: What pip calls it.
        caller: What needs it.

    Raises:
        ImportError: If it is not there; the message says what to install.
    """
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError as error:
        if error.name != library:
            raise  # it is there, and lacks something itself
        raise ImportError(f"{caller} needs {library}: pip install {package}", name=library) from error
