"""Tables for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any, Iterable

import numpy as np

_SIGNS = {True: "✓", False: "✗", None: "–"}


def cell(value: Any) -> str:
    """A value as it stands in a table."""
    if value is None or isinstance(value, (bool, np.bool_)):
        return _SIGNS[None if value is None else bool(value)]
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    if isinstance(value, np.ndarray):
        return ", ".join(f"{number:.6g}" for number in value.ravel()[:8]) + (" …" if value.size > 8 else "")
    return escape(str(value))


def table(caption: str, head: Iterable[str], rows: Iterable[Iterable[Any]], note: str = "") -> str:
    """A table with a caption; no style of its own, so that it follows the notebook's."""
    lines = [f"<table><caption>{escape(caption)}</caption><thead><tr>"]
    lines += [f"<th>{escape(word)}</th>" for word in head]
    lines.append("</tr></thead><tbody>")
    for row in rows:
        lines.append("<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>")
    lines.append("</tbody></table>" + (f"<p>{escape(note)}</p>" if note else ""))
    return "".join(lines)


def outcomes(found) -> str:
    """The laws with their verdicts."""
    names = found.coordinates[:8]
    more = ["…"] if len(found.coordinates) > 8 else []
    rows = []
    for one in found.values():
        if one:
            v = one.verdict
            rows.append([one.label, *one.velocity[:8], *more, one.energy_change, v.kinematic, v.kinetic, v.energetic,
                         one.message])
        else:
            rows.append([one.label, *[None] * (len(names) + len(more)), None, None, None, None,
                         f"{one.status}: {one.message}"])
    return table(found.title or "impact", ["law", *names, *more, "energy change", "kinematic", "kinetic", "energetic",
                                           ""], rows)


def motion(one) -> str:
    """What a motion did."""
    rows = [["method", one.method], ["law", one.law], ["time", f"{one.t[0]:g} … {one.t[-1]:g}" if len(one) else "–"],
            ["rows", len(one)], ["impacts", len(one.impacts)],
            ["end", one.end if one.complete else f"{one.end}: {one.message}"]]
    if one.ledger is not None:
        rows += [[f"energy: {name}", getattr(one.ledger, name)] for name in
                 ("initial", "impacts", "events", "friction", "forces", "final", "balance_error")]
    if len(one):
        rows += [[name, value] for name, value in zip(one.coordinates + one.velocities,
                                                      [*one.q[-1], *one.u[-1]])][:24]
    return table(one.title or "motion", ["", ""], rows)


def check(found) -> str:
    """Certificates."""
    note = f"contact problem: {found.contact_problem.kind}. " if found.contact_problem else ""
    if found.critical_friction:
        note += f"critical friction: {found.critical_friction.common:g}"
    return table(found.title or "check", ["certificate", "holds", "scope", "value", "bound", "meaning"],
                 ([c.name, c.holds, c.scope, c.value, c.bound, c.text] for c in found.values()), note)


def impacts(found) -> str:
    """A batch in a few lines."""
    good = found.ok
    rows = [["impacts", found.answer.size], ["with an outcome", int(np.count_nonzero(good))],
            *([word, int(np.count_nonzero(getattr(found, word) & good))] for word in
              ("kinematic", "kinetic", "energetic"))]
    return table(f"law {found.law}, shape {found.answer.shape}", ["", ""], rows)


def laws(found: dict) -> str:
    """The laws there are."""
    return table("laws", ["law", "", "parameters", "reference"],
                 ([law.name, law.summary, ", ".join(q.name for q in law.parameters), law.reference]
                  for law in found.values()))


def pairs(caption: str, values: dict[str, Any], note: str = "") -> str:
    """Names with their values."""
    return table(caption, ["", ""], values.items(), note)
