# SPDX-License-Identifier: MIT
"""What was measured, as a text table, as JSON and as Markdown.

In every row less is better, and ratios say how many times as much as ours a peer takes.
"""

from dataclasses import dataclass, field
from typing import List, Optional

from measure import Stat

OURS = "cpsample"
WIDTH = 100
WRAP = 80


@dataclass
class Peer:
    name: str
    stat: Stat
    note: str = ""
    is_comparable: bool = True  # it did the same work
    ratio: Optional[float] = None  # how many times ours: Row says this and the rest
    goal: Optional[float] = None
    verdict: str = ""


@dataclass
class Row:
    figure: str
    case: str
    unit: str
    ours: Stat
    peers: List[Peer] = field(default_factory=list)
    at_most: Optional[float] = None  # what ours is to reach
    at_least_times: dict = field(default_factory=dict)  # name of a peer -> ratio to reach
    note: str = ""

    page = "table.md"  # rows of other pages have text(), markdown() and plain() of their own

    def __post_init__(self):
        ours = self.ours
        for peer in self.peers:
            # A difference within the noise gets no ratio.
            if peer.is_comparable and ours.median > 2 * ours.error and peer.stat.median > 0:
                peer.ratio = peer.stat.median / ours.median
            peer.goal = self.at_least_times.get(peer.name)
            peer.verdict = self.against(peer)

    def against(self, peer):
        """Our figure beside that of a peer, if both are known."""
        words = []
        if peer.goal and peer.ratio is not None:
            words.append("reached" if peer.ratio >= peer.goal else "missed")
        lead = peer.stat.median - self.ours.median
        noise = 2 * (self.ours.error**2 + peer.stat.error**2) ** 0.5
        if peer.is_comparable and lead <= noise:
            words.append(f"{'lost to' if lead < -noise else 'even with'} {peer.name}")
        return ", ".join(words)

    @staticmethod
    def text(rows):
        return text_of(rows)

    @staticmethod
    def markdown(rows):
        return markdown_of(rows)

    def plain(self):
        return plain_of(self)

    @property
    def verdict(self):
        if self.at_most is None:
            return ""
        return "reached" if self.ours.median <= self.at_most else "missed"

    @property
    def overall(self):
        """Which goals were reached, and where a peer is better."""
        words = [self.verdict, *", ".join(peer.verdict for peer in self.peers).split(", ")]
        if "missed" in words:
            words = ["missed", *words]
        words = [w for i, w in enumerate(words) if w and w not in words[:i]]
        return ", ".join(w for w in words if w != "reached" or "missed" not in words)


def number(value):
    """Three significant digits, or all digits before the decimal point."""
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


def at_most(row):
    return f"<= {row.at_most:,.10g}" if row.at_most is not None else ""


def at_least(peer):
    return f">= {peer.goal:g}x" if peer.goal else ""


def lines_of(row):
    """(case, who, median, spread, ratio, to reach, verdict, note) per line."""
    ours = row.ours
    yield row.case, OURS, median(ours), spread(ours), "", at_most(row), row.verdict, row.note
    for peer in row.peers:
        cells = median(peer.stat), spread(peer.stat), times(peer), at_least(peer)
        yield "", peer.name, *cells, peer.verdict, peer.note


def figures(rows):
    """The rows by figure, in order."""
    names = list(dict.fromkeys(row.figure for row in rows))
    return [(name, [row for row in rows if row.figure == name]) for name in names]


def wrapped(words, indent):
    line = indent
    for word in words.split():
        if len(line) + len(word) >= WRAP and line.strip():
            yield line.rstrip()
            line = " " * len(indent)
        line += word + " "
    yield line.rstrip()


LINE = "  {:<17} {:<13} {:>8} {:>17} {:>7} {:>9}  {}"


def text_of(rows):
    out = [LINE.format("", "", "median", "quartiles", "ratio", "to reach", "").rstrip()]
    for row in rows:
        for *cells, verdict, note in lines_of(row):
            line = LINE.format(*cells, "; ".join(word for word in (verdict, note) if word))
            if len(line) > WIDTH:
                out.append(LINE.format(*cells, verdict).rstrip())
                line = " " * 26 + note
            out.append(line.rstrip())
    return out


def as_text(machine, rows, notes):
    out = [line for key, value in machine.items() for line in wrapped(value, f"{key + ':':<12}")]
    for name, some in figures(rows):
        out += ["", f"{name}, {some[0].unit}", *some[0].text(some)]
        for note in notes.get(name, []):
            out += wrapped(note, "  * ")
    return "\n".join(out) + "\n"


def plain_of(row):
    def plain(stat):
        return {
            "median": stat.median,
            "low": stat.low,
            "high": stat.high,
            "runs": stat.n,
            "at_least": stat.is_least,
        }

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
                at_least_times=peer.goal,
                verdict=peer.verdict,
                comparable=peer.is_comparable,
                note=peer.note,
            )
            for peer in row.peers
        ],
        "at_most": row.at_most,
        "verdict": row.overall,
    }


def as_json(machine, rows, notes, is_quick):
    return {
        "machine": machine,
        "quick": is_quick,
        "rows": [row.plain() for row in rows],
        "notes": notes,
    }


def cells_of(*cells):
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def markdown_of(rows):
    """A table per figure, a row per case."""

    def joined(*words):
        return ", ".join(word for word in words if word)

    name = rows[0].figure
    names = list(dict.fromkeys(peer.name for row in rows for peer in row.peers))
    out = ["", f"**{name[0].upper()}{name[1:]}**, {rows[0].unit}", ""]
    out += [cells_of("", OURS, *names, "to reach", ""), "|---" * (len(names) + 4) + "|"]
    for row in rows:
        peers = {peer.name: peer for peer in row.peers}
        cells = [joined(f"**{median(row.ours)}** ({spread(row.ours)})", row.note)]
        for peer in map(peers.get, names):
            cells.append(joined(median(peer.stat), times(peer), peer.note) if peer else "")
        cells.append(joined(at_most(row), *map(at_least, row.peers)))
        cells.append(row.overall)
        out.append(cells_of(row.case, *cells))
    return out


def as_markdown(machine, rows, notes):
    """For doc/performance.md and doc/accuracy.md."""
    out = ["| machine | |", "|---|---|"]
    out += [cells_of(key, value) for key, value in machine.items()]
    for name, some in figures(rows):
        out += some[0].markdown(some)
        if notes.get(name):
            out += [""] + [f"- {note}" for note in notes[name]]
    return "\n".join(out) + "\n"
