# SPDX-License-Identifier: MIT
"""CPU time of whole programs by what is recorded of them.

Two runs are made at the same time on one processor, as for the figure `overhead`: what slows one slows
the other.
"""

import grid
import here
import work
from measure import Failure, stat

NAME, GROUP, PAGE = "runs", "resources", grid.PAGE
TITLE = "CPU time of a run"
UNIT = "% more than of the run beside it"
BARE = "bare"
# Heads and what stands beside what.
PAIRS = {
    "cpu": ("cpu", BARE),
    "cpu,real": ("cpu,real", BARE),
    "cpu,real to cpu": ("cpu,real", "cpu"),
    "all": ("all", BARE),
    "bare again": (BARE, BARE),
}
ROUNDS, SECONDS = 8, 2
PROGRAMS = {"gzip": work.gzip, "lua": work.lua, "sqlite": work.sqlite, "import": work.sqlite_import}


def command(bench, argv, resources, side):
    if resources == BARE:
        return argv, {}
    out = bench.runner.path(f"runs.{side}.cps")
    bench.plain.remove(out)
    names = here.everything(bench) if resources == "all" else resources
    return argv, here.settings(bench, names, out)


def beside(bench, argv, what, turn):
    """How much more CPU time the first took than the second, in %."""
    sides = [command(bench, argv, resources, i) for i, resources in enumerate(what)]
    runs = bench.runner.beside(sides if turn % 2 else sides[::-1])
    ours, theirs = runs if turn % 2 else runs[::-1]
    if ours.status != theirs.status or not theirs.cpu:
        raise Failure(f"{argv[0]}: status {ours.status} and {theirs.status}: {ours.errors[-200:]}")
    return 100 * (ours.cpu / theirs.cpu - 1)


def measure(bench, name, program):
    argv = program(bench, bench.size(SECONDS, 0.05))
    more = {head: [] for head in PAIRS}
    for turn in range(bench.size(ROUNDS, 1)):
        for head, what in PAIRS.items():
            more[head].append(beside(bench, argv, what, turn))
    cells = [grid.spread(stat(values)) for values in more.values()]
    return grid.Line(TITLE, UNIT, list(PAIRS), name, cells, measured=more)


def run(bench):
    rows = []
    for name, program in PROGRAMS.items():
        if not bench.is_quick or name == "lua":
            bench.progress(f"{NAME}: {name}")
            rows.append(measure(bench, name, program))
    bench.note(
        TITLE,
        f"Medians of {bench.size(ROUNDS, 1)} pairs, with standard errors, at the default intervals. Both "
        "of a pair take turns on one processor. cpu,real to cpu: one that is recorded with "
        f"cpu,real beside one with cpu. bare again: the noise. all: {here.everything(bench)}. import: "
        "sqlite3 reads a table from a file.",
    )
    return rows
