"""What Numba's errors mean to somebody who wrote a game: the cause in plain words and the usual mend."""

import difflib
import re
from collections.abc import Callable
from typing import Any, NamedTuple

OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>", "invert": "~", "neg": "-",
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "not_": "not", "contains": "in",
    "getitem": "[...]", "setitem": "[...] =", "iadd": "+=", "isub": "-=", "imul": "*=", "iand": "&=",
    "ior": "|=", "ixor": "^=", "ilshift": "<<=", "irshift": ">>=", "ifloordiv": "//=", "itruediv": "/=",
}  # fmt: skip
BIT_OPERATORS = ("&", "|", "^", "<<", ">>", "~", "&=", "|=", "^=", "<<=", ">>=")

UNSIGNED = (
    "a board of unsigned integers met a plain integer or `/`, which gives another type; write every number "
    "that meets a board as a constant of the module, such as ONE = np.uint64(1), and divide with //"
)
FIELDS = (
    "name a field of the record; self has the numbers, booleans and arrays among the component's parameters, "
    "and a method of self is written as a plain function of the module"
)
NO_LIST = "write into the array that the method is given, and build no list, dictionary, set or text"
NO_END = "give it a case that returns a value at once, and write that case first"
NO_EXCEPT = "test beforehand whether it can fail; a method need not raise and catch"
PLAIN = (
    "use numbers, arrays, records and plain functions of a module; do the rest in Python, outside the methods"
)
EVERY_PATH = "end every path with a return of that type"


class Advice(NamedTuple):
    """What is wrong, what usually helps, and the name that it is about, if any."""

    cause: str
    mend: str
    name: str = ""  # of a variable or an attribute, or Python's name of an instruction


def advice_on(error: Exception, text: str) -> Advice:
    """Return the advice on an error of Numba's, given its text without colours."""
    record = _record_at_fault(error)
    if record is not None:
        return _unknown_field(str(error.args[0]), list(record.fields))
    for pattern, give in RULES:
        match = re.search(pattern, text)
        if match:
            return give(match)
    return Advice(_telling_lines(text) or type(error).__name__, PLAIN)


def _record_at_fault(error: Exception) -> Any:
    """Return Numba's record type when it raised a bare KeyError for a field that it lacks."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    owner = trace and trace.tb_frame.f_locals.get("self")
    return owner if isinstance(error, KeyError) and type(owner).__name__ == "Record" else None


def _unknown_field(name: str, known: list[str]) -> Advice:
    near = difflib.get_close_matches(name, known, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return Advice(f"the record has no field {name} (it has {', '.join(known)}){hint}", FIELDS, name)


def _operation(match: re.Match) -> Advice:
    name, kinds = match["name"], match["kinds"]
    operator = OPERATORS.get(name)
    shown = _types(kinds)
    if operator is None:
        return Advice(f"{name}(...) cannot be called with ({shown})", PLAIN)
    cause = f"the operation {operator} does not exist for {shown}"
    if operator in BIT_OPERATORS and "float" in kinds:
        return Advice(cause, UNSIGNED)
    if name in ("getitem", "setitem") and re.search(r"float\d+", kinds.split(",", 1)[-1]):
        return Advice(cause, "index with integers: // divides without a fraction")
    return Advice(cause, PLAIN)


def _unified(match: re.Match) -> Advice:
    name = match["variable"].split(".")[0]
    mend = UNSIGNED if "uint64" in match[0] else "give the variable one type on every path"
    return Advice(
        f"{name} is {_types(match['one'])} on one path and {_types(match['other'])} on another", mend
    )


def _undefined(match: re.Match) -> Advice:
    name = match["name"]
    return Advice(
        f"the name {name} is not defined",
        "define or import it at the top of the module; check the spelling",
        name,
    )


def _returned(match: re.Match) -> Advice:
    got, expected = _types(match["got"]), _types(match["expected"])
    if expected == "none":
        return Advice(f"it returns {got}, but its callers expect no result", "return nothing")
    if got == "none":
        return Advice(f"a path ends without a result, where {expected} is expected", EVERY_PATH)
    return Advice(f"it returns {got}, where {expected} is expected", EVERY_PATH)


def _call(match: re.Match) -> Advice:
    return Advice(
        f"a call does not fit the parameters {match['parameters']} of the function: {match['reason']}",
        "pass as many arguments as the function has parameters, in their order",
    )


def _prototype_call(match: re.Match) -> Advice:
    return Advice(
        f"a call by address does not fit the prototype {match['name']!r}: {match['reason']}",
        "pass the address, then one value for each argument; an array is its address and its dimensions",
    )


def _fixed(cause: str, mend: str) -> Callable[[re.Match], Advice]:
    """Return a rule whose cause is a template over the pattern's groups."""

    def give(match: re.Match) -> Advice:
        groups = {name: _types(text) for name, text in match.groupdict().items()}
        return Advice(cause.format(**groups), mend, groups.get("name", ""))

    return give


RULES: tuple[tuple[str, Callable[[re.Match], Advice]], ...] = (
    (r"exception_match", _fixed("only `except:` and `except Exception:` can be compiled", NO_EXCEPT)),
    (r"NameError: name '(?P<name>\w+)' is not defined", _undefined),
    (r"variable '(?P<name>\w+)' (?:referenced before|is not defined)", _undefined),
    (r"Cannot unify (?P<one>.+?) and (?P<other>.+?) for '(?P<variable>[^']+)'", _unified),
    (r"No conversion from (?P<got>.+?) to (?P<expected>\S+) for '\$\S*return", _returned),
    (
        r"imprecise type: Dict",
        _fixed("it builds a dictionary whose content has no type", NO_LIST),
    ),
    (
        r"imprecise type: (?P<kind>list|set)",
        _fixed("it builds a {kind} whose content has no type", NO_LIST),
    ),
    (
        r"module '(?P<module>[\w.]+)' has no attribute '(?P<name>\w+)'",
        _fixed("{module} has no {name}", "check the spelling"),
    ),
    (r"Unknown attribute '(?P<name>\w+)' of type (?P<kind>\w+)", _fixed("{kind} has no {name}", PLAIN)),
    (
        r"Untyped global name '(?P<name>\w+)'",
        _fixed("{name} is nothing that compiled code can use", PLAIN),
    ),
    (
        r"unsupported NumPy function '(?P<function>[\w.]+)'",
        _fixed("{function} cannot be used in compiled code", "write the loop: it is as fast when compiled"),
    ),
    (
        r"Cannot bind '.*?' to signature '(?P<parameters>[^']*)' due to \"TypeError: (?P<reason>[^\"]*)\"",
        _call,
    ),
    (r"(?P<name>\w+)\(\) (?P<reason>(?:missing \d+ required|takes \d+ ).*)", _prototype_call),
    (
        r"No implementation of function Function\(<(?:built-in function|function|intrinsic|ufunc|class) "
        r"'?(?P<name>\w+).*?found for signature:\s*>>> [\w.<> ]+\((?P<kinds>.*)\)",
        _operation,
    ),
    (
        r"Invalid use of .*?with parameters \((?P<kinds>.*?)\)",
        _fixed("a call with ({kinds}) is not possible", PLAIN),
    ),
    (r"(?:reflected list|list\()", _fixed("it builds a list", NO_LIST)),
    (r"Cannot cast (?P<got>.+?) to (?P<expected>\w+)", _fixed("{got} cannot become {expected}", PLAIN)),
    (
        r"format spec in f-strings|unsupported opcode \(FORMAT_WITH_SPEC",
        _fixed("it formats text with an f-string", PLAIN),
    ),
    (
        r"unsupported opcode \(IMPORT_NAME",
        _fixed("it has an import in it", "import at the top of the module"),
    ),
    (r"unsupported opcode \((?P<opcode>\w+)\)", _fixed("it uses what cannot be compiled ({opcode})", PLAIN)),
    (
        r"The 'with|context manager",
        lambda match: Advice("a with statement cannot be compiled", PLAIN, "BEFORE_WITH"),
    ),
    (r"runaway recursion", _fixed("the recursion has no path that returns without calling itself", NO_END)),
    (r"use of yield|yield in", _fixed("a generator cannot be compiled", "write a loop")),
)


def _types(text: str) -> str:
    """Say Numba's types in fewer words."""
    text = re.sub(r"Literal\[(\w+)\]\(.*?\)", r"\1", text)
    text = re.sub(r"<iv=.*?>", "", text)
    text = re.sub(r"nestedarray\((\w+), .*?\)\)", r"array of \1", text)
    text = re.sub(
        r"Array\((\w+), (\d+), .*?\)|array\((\w+), .*?\)", lambda m: f"array of {m[1] or m[3]}", text
    )
    text = re.sub(r"Record\(.*?;\d+;(?:True|False)\)", "a record", text)
    text = re.sub(r"\bint\b", "int64", text)
    return re.sub(r"unicode_type|\bstr\b", "text", text)


def _telling_lines(text: str) -> str:
    dull = ("Failed in nopython", "During:", "File ", "This error may", "- ", "<source", "^", ">>>", "* ")
    lines = [line.strip() for line in text.splitlines()]
    telling = [line for line in lines if line and not line.startswith(dull)]
    told = re.sub(r"_[0-9a-f]{32}(_outermost)?|\.? Raised from .*", "", " ".join(telling[:2]))
    return told[:300].rstrip(" .")
