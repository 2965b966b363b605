"""One message for a function that Numba could not compile."""

import re
from types import FunctionType

MENDS = (
    (
        r"Cannot determine Numba type of|Untyped global name",
        "pass only numbers, arrays, records and functions",
    ),
    (
        r"Unknown attribute|record.*has no|static_getattr|getattr",
        "name a field of the state or of the record",
    ),
    (
        r"Cannot unify",
        "give the variable one type on every path (np.uint64 does not mix with plain integers)",
    ),
    (
        r"No implementation of function|Invalid use of",
        "use operations that NumPy scalars and arrays offer",
    ),
    (r"NameError|not defined", "define the name at the top of the module"),
    (r"reflected list|list\(", "write into the array that the method is given, and build no list"),
)


def explain(error: Exception, function: FunctionType, label: str) -> TypeError:
    """Turn Numba's error into one that names the method, the line and the usual mend."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    place = re.findall(r'File "([^"]+)", line (\d+)', text)
    where = f"{place[-1][0]}, line {place[-1][1]}" if place else _home(function)
    mend = next((advice for pattern, advice in MENDS if re.search(pattern, text)), None)
    message = f"{label} does not compile ({where}): {_cause(text)}"
    return TypeError(f"{message}. Usual mend: {mend}" if mend else message)


def _home(function: FunctionType) -> str:
    return f"{function.__code__.co_filename}, line {function.__code__.co_firstlineno}"


def _cause(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    dull = (
        "Failed in nopython",
        "During:",
        "File ",
        "This error may",
        "- Resolution",
        "<source",
        "^",
    )
    telling = [line for line in lines if not line.startswith(dull)]
    return " ".join(telling[:3])[:300] or type(lines).__name__
