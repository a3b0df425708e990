# SPDX-License-Identifier: MIT
"""What was measured, as a text table, as JSON and as Markdown.

In every row less is better, and ratios say how many times as much as ours a peer takes.
"""

from dataclasses import dataclass, field
from typing import List, Optional

from measure import Stat

OURS = "cpsample"
WIDTH = 100


@dataclass
class Peer:
    name: str
    stat: Stat
    note: str = ""
    ratio: Optional[float] = None  # how many times ours; by default of the medians
    is_comparable: bool = True  # it did the same work


@dataclass
class Row:
    figure: str
    case: str
    unit: str
    ours: Stat
    peers: List[Peer] = field(default_factory=list)
    at_most: Optional[float] = None  # what ours is to reach
    at_least_times: dict = field(default_factory=dict)  # peer -> ratio to reach
    note: str = ""

    def __post_init__(self):
        for peer in self.peers:
            # What does not stand out from the noise has no ratio.
            if peer.ratio is None and peer.is_comparable and self.ours.median > 2 * self.ours.error:
                peer.ratio = peer.stat.median / self.ours.median

    @property
    def goal(self):
        words = [f"<= {number(self.at_most)}"] if self.at_most is not None else []
        words += [f"{number(times)}x {name}" for name, times in self.at_least_times.items()]
        return ", ".join(words)

    @property
    def verdict(self):
        words = []
        if self.at_most is not None:
            words.append("reached" if self.ours.median <= self.at_most else "missed")
        for peer in self.peers:
            times = self.at_least_times.get(peer.name)
            if times is not None and peer.is_comparable and peer.ratio is not None:
                words.append("reached" if peer.ratio >= times else "missed")
        words = ["missed"] if "missed" in words else words[:1]
        for peer in self.peers:
            if peer.is_comparable and peer.stat.median < self.ours.median:
                words.append(f"lost to {peer.name}")
        return ", ".join(words)


def number(value):
    """Three digits that count, or all that stand before the point."""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 99.95:
        return f"{value:,.0f}"
    if size >= 9.995:
        return f"{value:.1f}"
    if size >= 0.0995:
        return f"{value:.2f}"
    return f"{value:.3f}"


def median(stat):
    return (">= " if stat.is_least else "") + number(stat.median)


def spread(stat):
    return f"{number(stat.low)} .. {number(stat.high)}" if stat.n > 1 else "one run"


def times(peer):
    return f"{number(peer.ratio)}x" if peer.ratio is not None else ""


def lines_of(row):
    """(case, who, median, spread, ratio, to reach, verdict or note) per line."""
    yield row.case, OURS, median(row.ours), spread(row.ours), "", row.goal, row.verdict, row.note
    for peer in row.peers:
        yield "", peer.name, median(peer.stat), spread(peer.stat), times(peer), "", "", peer.note


def figures(rows):
    """The rows by figure, in order."""
    names = list(dict.fromkeys(row.figure for row in rows))
    return [(name, [row for row in rows if row.figure == name]) for name in names]


def wrapped(words, indent):
    line = indent
    for word in words.split():
        if len(line) + len(word) >= WIDTH and line.strip():
            yield line.rstrip()
            line = " " * len(indent)
        line += word + " "
    yield line.rstrip()


def as_text(machine, rows, notes):
    out = [line for key, value in machine.items() for line in wrapped(value, f"{key + ':':<12}")]
    for name, some in figures(rows):
        out += ["", f"{name}, {some[0].unit}"]
        head = ("", "", "median", "quartiles", "ratio", "to reach", "")
        out.append("  {:<17} {:<10} {:>8} {:>17} {:>7} {:>9}  {}".format(*head).rstrip())
        for row in some:
            for case, who, *cells, verdict, note in lines_of(row):
                goals = cells[3].split(", ")
                rest = f"{verdict}{'; ' if verdict and note else ''}{note}"
                line = f"  {case:<17} {who:<10} {cells[0]:>8} {cells[1]:>17} {cells[2]:>7} "
                out.append(f"{line}{goals[0]:>9}  {rest}".rstrip())
        for note in notes.get(name, []):
            out += wrapped(note, "  * ")
    return "\n".join(out) + "\n"


def as_json(machine, rows, notes, is_quick):
    def plain(stat):
        return dict(median=stat.median, low=stat.low, high=stat.high, runs=stat.n, at_least=stat.is_least)

    def line(row):
        return {
            "figure": row.figure,
            "case": row.case,
            "unit": row.unit,
            OURS: plain(row.ours),
            "note": row.note,
            "peers": [
                dict(
                    name=peer.name,
                    **plain(peer.stat),
                    ratio=peer.ratio,
                    comparable=peer.is_comparable,
                    note=peer.note,
                )
                for peer in row.peers
            ],
            "to_reach": row.goal,
            "verdict": row.verdict,
        }

    return dict(machine=machine, quick=is_quick, rows=[line(row) for row in rows], notes=notes)


def as_markdown(machine, rows, notes):
    """For doc/performance.md: a table per figure, a row per case."""
    out = ["| machine | |", "|---|---|"]
    out += [f"| {key} | {value} |" for key, value in machine.items()]
    for name, some in figures(rows):
        peers = list(dict.fromkeys(peer.name for row in some for peer in row.peers))
        out += ["", f"### {name[0].upper()}{name[1:]}, {some[0].unit}", ""]
        out += [f"| | {' | '.join([OURS, *peers])} | to reach | |", "|---" * (len(peers) + 4) + "|"]
        for row in some:
            cells = [f"**{median(row.ours)}** ({spread(row.ours)}){' ' if row.note else ''}{row.note}"]
            for name_of_peer in peers:
                peer = next((p for p in row.peers if p.name == name_of_peer), None)
                words = [median(peer.stat), times(peer), peer.note] if peer else []
                cells.append(", ".join(word for word in words if word))
            out.append(f"| {row.case} | {' | '.join(cells)} | {row.goal} | {row.verdict} |")
        if notes.get(name):
            out += [""] + [f"- {note}" for note in notes[name]]
    return "\n".join(out) + "\n"
