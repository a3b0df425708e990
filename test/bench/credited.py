# SPDX-License-Identifier: MIT
"""Whether the time that is credited is the program's own, although 10,000 samples a second take time.

A program is recorded beside a bare run of the same work, on the same processor, where both take turns
every few milliseconds: what slows one slows the other, too.
"""

import statistics

import peers
import work
from measure import Failure, stat
from verdict import PAGE

NAME = "credited"
TITLE = "credited time at 10,000/s"
RATE = 10000
ROUNDS = 5
SECONDS = 2
WITHIN = 5  # %


PROGRAMS = {"lua": work.lua, "sqlite": work.sqlite, "gzip": work.gzip}


class Time:
    """What was credited to a program, and what bare runs of it used, in seconds, pair by pair."""

    figure, page, unit = TITLE, PAGE, "seconds of CPU time"
    HEADS = ("program", "bare", "recorded", "credited", "more in %", "s.e.", "samples/s")

    def __init__(self, case, bare, recorded, credited, rate):
        self.case, self.rate = case, rate
        self.bare, self.recorded, self.credited = bare, recorded, credited
        self.more = stat([100 * (ours / theirs - 1) for ours, theirs in zip(credited, bare)])

    @property
    def verdict(self):
        return "" if abs(self.more.median) <= WITHIN else f"beyond {WITHIN} %"

    def cells(self):
        times = [f"{statistics.median(v):.2f}" for v in (self.bare, self.recorded, self.credited)]
        error = f"{self.more.error:.1f}" if self.more.n > 1 else "-"
        more = f"{self.more.median:+.1f}"
        return [self.case, *times, more, error, f"{self.rate:,.0f}", self.verdict]

    def plain(self):
        return {
            "figure": self.figure,
            "case": self.case,
            "bare": self.bare,
            "recorded": self.recorded,
            "credited": self.credited,
            "verdict": self.verdict,
        }

    @classmethod
    def text(cls, rows):
        line = "  {:<10}" + " {:>9}" * (len(cls.HEADS) - 1) + "  {}"
        lines = [(*cls.HEADS, "")] + [row.cells() for row in rows]
        return [line.format(*cells).rstrip() for cells in lines]

    @classmethod
    def markdown(cls, rows):
        out = ["", f"**{cls.figure[0].upper()}{cls.figure[1:]}**, {cls.unit}", ""]
        out += [f"| {' | '.join(cls.HEADS)} | |", "|---" * (len(cls.HEADS) + 1) + "|"]
        return out + [f"| {' | '.join(row.cells())} |" for row in rows]


def measure(bench, name, argv):
    ours = peers.Ours(bench)
    out = bench.runner.path("credited.cps")
    commands = [ours.wrap(argv, out, RATE), (argv, {})]
    bare, recorded, credited, rates = [], [], [], []
    for i in range(bench.size(ROUNDS, 1)):
        ours.remove(out)
        runs = bench.runner.beside(commands if i % 2 else commands[::-1])
        first, second = runs if i % 2 else runs[::-1]
        if first.status != second.status:
            raise Failure(f"{name}: status {first.status}, without a recorder {second.status}")
        info = ours.info(out)
        bare.append(second.cpu)
        recorded.append(first.cpu)
        credited.append(int(info["credited_ns"]) / 1e9)
        rates.append(int(info["samples"]) / first.cpu)
    ours.remove(out)
    return Time(name, bare, recorded, credited, statistics.median(rates))


def run(bench):
    rows = []
    for name, command in PROGRAMS.items():
        if not bench.is_quick or name == "lua":
            bench.progress(f"{NAME}: {name}")
            rows.append(measure(bench, name, command(bench, bench.size(SECONDS, 0.1))))
    bench.note(
        TITLE,
        "The clock perf at 100 us. Each recorded run has a bare run beside it on the same processor. "
        f"What is credited is to be within {WITHIN} % of what the bare run used.",
    )
    return rows
