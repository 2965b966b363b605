"""What games, encoders, policies and learners share: immutable values that compiled code can read."""

from typing import Any, ClassVar

import numpy as np


class Component:
    """An immutable value made of named parameters.

    Numbers, booleans and arrays among the parameters become the fields of a record; that record is `self` in
    a compiled method, so `self.size` reads the same in both lanes. A nested component or a string is only
    for Python.

    Args:
        parameters: Everything that makes two components different; also the constructor's keywords.
        tables: Further record fields that follow from the parameters (look-up tables, sums).
    """

    name: ClassVar[str]

    def __init__(self, parameters: dict[str, Any], tables: dict[str, Any] | None = None):
        state = self.__dict__
        state["_parameters"] = {name: _frozen(value) for name, value in parameters.items()}
        state.update(self._parameters)
        state.update({name: _frozen(value) for name, value in (tables or {}).items()})
        state["record"] = _record({**parameters, **(tables or {})})

    record: np.ndarray

    @property
    def parameters(self) -> dict[str, Any]:
        """The constructor keywords that make this value, as resolved."""
        return dict(self._parameters)

    _parameters: dict[str, Any]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable; make a new one with {name}={value!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._content() == other._content()  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash((type(self), frozenset(self._content().items())))

    def _content(self) -> dict[str, Any]:
        return {name: _comparable(value) for name, value in self._parameters.items()}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in self._parameters.items())})"

    def __reduce__(self) -> Any:
        return _rebuild, (type(self), self._parameters)


def _rebuild(cls: type, parameters: dict[str, Any]) -> Any:
    return cls(**parameters)


def _frozen(value: Any) -> Any:
    """Return a read-only copy of an array, and anything else as it is."""
    if isinstance(value, np.ndarray):
        value = value.copy()
        value.flags.writeable = False
    return value


def _comparable(value: Any) -> Any:
    """Return what stands for a parameter where components are compared and hashed."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, list | tuple):
        return tuple(map(_comparable, value))
    return value


def _record(values: dict[str, Any]) -> np.ndarray:
    fields, content = [], []
    for name, value in values.items():
        if isinstance(value, bool | np.bool_):
            fields.append((name, np.bool_))
        elif isinstance(value, int | np.integer):
            kind = np.uint64 if int(value) > np.iinfo(np.int64).max else np.int64
            fields.append((name, value.dtype if isinstance(value, np.integer) else kind))
        elif isinstance(value, float | np.floating):
            fields.append((name, np.float64))
        elif isinstance(value, np.ndarray):
            fields.append((name, value.dtype, value.shape))
        else:
            continue
        content.append(value)
    record = np.zeros(1, np.dtype(fields or [("unused", np.int64)], align=True))
    for field, value in zip(fields, content, strict=True):
        record[field[0]][0] = value
    record.flags.writeable = False
    return record
