"""How a check says what is broken."""

from collections.abc import Iterator
from contextlib import contextmanager

WHEN_RAISED = (
    "call only what the contract allows on this state, and stay inside the arrays and fields; "
    "within rinforza.compiled.without_compiling() a breakpoint in the method works"
)


class ConformanceError(AssertionError):
    """A component breaks its contract; the message says where, how, and how to mend it."""


def broken(where: str, what: str, mend: str) -> ConformanceError:
    """Return the error for a broken contract.

    Args:
        where: The component and method, such as `"Connect4.step (compiled)"`.
        what: What it does, as the rest of a sentence that begins with `where`.
        mend: What the author should do, as an instruction.
    """
    return ConformanceError(f"{where} {what}. To mend it: {mend}.")


@contextmanager
def blame(where: str, mend: str = WHEN_RAISED) -> Iterator[None]:
    """Turn whatever a component's method raises into a `ConformanceError` that names it."""
    try:
        yield
    except ConformanceError:
        raise
    except Exception as error:
        raise broken(where, f"raised {type(error).__name__}: {error}", mend) from error
