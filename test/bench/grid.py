# SPDX-License-Identifier: MIT
"""Lines of the tables of doc/resources.md: a name, cells below heads, and what else is to be said."""

from dataclasses import dataclass, field
from typing import List

from table import number

PAGE = "resources.md"
WIDTH = 80


@dataclass
class Line:
    """A line of a table. Without cells, the remark says why."""

    figure: str
    unit: str
    heads: List[str]  # above the cells
    case: str
    cells: List[str] = field(default_factory=list)
    remark: str = ""
    measured: dict = field(default_factory=dict)  # for JSON: name -> value

    page = PAGE
    verdict = ""

    @staticmethod
    def text(rows):
        return text_of(rows)

    @staticmethod
    def markdown(rows):
        return markdown_of(rows)

    def plain(self):
        return {"figure": self.figure, "case": self.case, **self.measured, "note": self.remark}


def widths_of(rows):
    heads = rows[0].heads
    return [
        max(len(cell) for cell in [head, *(row.cells[i] for row in rows if row.cells)])
        for i, head in enumerate(heads)
    ]


def text_of(rows):
    widths = widths_of(rows)
    first = max(len(row.case) for row in rows)

    def line(case, cells):
        aligned = (f"  {cell:>{width}}" for cell, width in zip(cells, widths))
        return f"  {case:<{first}}{''.join(aligned)}"

    out = [line("", rows[0].heads).rstrip()]
    for row in rows:
        shown = line(row.case, row.cells)
        if not row.remark:
            out.append(shown.rstrip())
        elif len(shown) + 2 + len(row.remark) <= WIDTH:
            out.append(f"{shown}  {row.remark}")
        else:
            out += [shown.rstrip(), *wrapped(row.remark, 6)]
    return out


def wrapped(words, indent):
    line = " " * indent
    for word in words.split():
        if len(line) + len(word) > WIDTH and line.strip():
            yield line.rstrip()
            line = " " * indent
        line += word + " "
    yield line.rstrip()


def markdown_of(rows):
    heads = rows[0].heads
    has_remarks = any(row.remark for row in rows)
    out = ["", f"**{rows[0].figure[0].upper()}{rows[0].figure[1:]}**, {rows[0].unit}", ""]
    out.append(f"| {' | '.join(['', *heads] + [''] * has_remarks)} |")
    out.append("|---" + "|---:" * len(heads) + "|---" * has_remarks + "|")
    for row in rows:
        cells = row.cells or [""] * len(heads)
        out.append(f"| {' | '.join([row.case, *cells] + [row.remark] * has_remarks)} |")
    return out


def spread(stat):
    """A median and its standard error."""
    if stat.n == 1:
        return number(stat.median)
    error = number(stat.error) if stat.error >= 9.95 else f"{stat.error:.2g}"
    return f"{number(stat.median)} +-{error}"
