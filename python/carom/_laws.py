"""Impact laws: which there are, how they are written, what their parameters are."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Iterator

import numpy as np

from . import _html
from ._arrays import copied_columns
from ._carom import ffi, lib
from ._errors import check, encoded, new_error, text
from ._work import Arena

_KINDS = {lib.CAROM_PARAMETER_NUMBER: "number", lib.CAROM_PARAMETER_CHOICE: "choice",
          lib.CAROM_PARAMETER_MATRIX: "matrix", lib.CAROM_PARAMETER_LIST: "list",
          lib.CAROM_PARAMETER_SQUARE: "matrix", lib.CAROM_PARAMETER_CONTACTS: "contacts"}


@dataclass(frozen=True)
class LawParameter:
    """A parameter of a law: its name, what it means, its kind, its default (None: there is none)."""

    name: str
    doc: str
    kind: str
    default: Any
    choices: tuple[str, ...]


@dataclass(frozen=True)
class LawInfo:
    """What there is to know about a law: name, a line of text, where it comes from, parameters."""

    name: str
    summary: str
    reference: str
    frictional: bool
    parameters: tuple[LawParameter, ...]


def parameters_of(ops) -> Iterator:
    """The entries of a law's table of parameters."""
    k = 0
    while ops.parameters != ffi.NULL and ops.parameters[k].name != ffi.NULL:
        yield ops.parameters[k]
        k += 1


def _describe(ops) -> LawInfo:
    parameters = []
    for q in parameters_of(ops):
        choices = tuple((text(q.choices) or "").split("|")) if q.kind == lib.CAROM_PARAMETER_CHOICE else ()
        default = choices[0] if choices else q.number
        if q.kind not in (lib.CAROM_PARAMETER_CHOICE, lib.CAROM_PARAMETER_NUMBER) or default != default:
            default = None
        parameters.append(LawParameter(text(q.name), text(q.doc), _KINDS[q.kind], default, choices))
    return LawInfo(text(ops.name), text(ops.summary), text(ops.reference), bool(ops.frictional), tuple(parameters))


class Laws(dict):
    """Laws by name; a table in notebooks."""

    def _repr_html_(self) -> str:
        return _html.laws(self)


def laws() -> Laws:
    """The laws of the library by name, in the order they are listed."""
    found = (_describe(lib.carom_law_at(k)) for k in range(lib.carom_law_count()))
    return Laws((law.name, law) for law in found)


def _written(value: Any) -> str:
    """A value as it stands in a scene; numbers read back to the last bit."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(_written(entry) for entry in value) + "]"
    return repr(float(value))


def law(name: str, **parameters: Any) -> str:
    """A law with parameters in the form every function of the package takes: `path:stop=stronge`.

    >>> law("matrix", E=[[0.5, 0.0], [0.1, 0.5]])
    'matrix:E=[[0.5, 0.0], [0.1, 0.5]]'
    """
    if not parameters:
        return name
    return name + ":" + ",".join(f"{key}={_written(value)}" for key, value in parameters.items())


def variants() -> Iterator[str]:
    """Every law, a choice that varies once for each of its words: what `carom impact` tries."""
    for k in range(lib.carom_law_count()):
        ops = lib.carom_law_at(k)
        varying = next((q for q in parameters_of(ops) if q.varies), None)
        if varying is None:
            yield text(ops.name)
            continue
        for word in text(varying.choices).split("|"):
            yield f"{text(ops.name)}:{text(varying.name)}={word}"


def values_of(one) -> dict[str, Any]:
    """The parameters of a law with their values, given or by default."""
    values: dict[str, Any] = {}
    for q in parameters_of(one.ops):
        given = lib.carom_law_value(one, q.name)
        name = text(q.name)
        if q.kind == lib.CAROM_PARAMETER_CHOICE:
            values[name] = text(given.text) if given else text(q.choices).split("|")[0]
        elif q.kind == lib.CAROM_PARAMETER_NUMBER:
            number = lib.carom_law_number(one, q.name)
            if given or np.isfinite(number):
                values[name] = number
        elif given and given.words != ffi.NULL:
            values[name] = [text(given.words[i]) for i in range(given.rows)]
        elif given:
            values[name] = copied_columns(given.numbers, given.rows, given.columns)
    return values


def labels(entries: list) -> list[str]:
    """What tells each law of a list from the others: `path:stop=newton`, as the program writes it."""
    listed, room = ffi.new("carom_law *[]", list(entries)), ffi.new("char[]", 1024)
    made = []
    for k in range(len(entries)):
        lib.carom_law_label(len(entries), listed, k, room, len(room))
        made.append(text(room))
    return made


def print_number(value: float) -> str:
    """The shortest text that reads back as the same number, as C writes it."""
    room = ffi.new("char[]", 64)
    lib.carom_number_print(value, room)
    return ffi.string(room).decode()


class HeldLaw:
    """A law for C."""

    error: BaseException | None = None

    def __init__(self, c):
        self.c = c


class ParsedLaw(HeldLaw):
    """A law for C with the memory of its values, for impacts of n velocities and p contacts."""

    def __init__(self, written: str, n: int, p: int):
        self._arena, error = Arena(), new_error()
        super().__init__(ffi.new("carom_law *"))
        check(lib.carom_scene_parse_law_for(n, p, encoded("law", written), self._arena.c, self.c, error), error)

    def __del__(self):
        self._arena.__exit__()


def raise_pending(*held) -> None:
    """Raise what a law of one's own met while C used it."""
    for one in held:
        if one.error is not None:
            raise one.error


@functools.lru_cache(maxsize=256)
def parse(written: str, n: int, p: int) -> ParsedLaw:
    """A law written as `name` or `name:parameter=value,...`, for impacts of one structure."""
    return ParsedLaw(written, n, p)
