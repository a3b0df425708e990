# SPDX-License-Identifier: MIT
"""What recording real time costs a program that waits (idle.c)."""

import grid
import others
from measure import in_turns, must, stat
from table import number

NAME, GROUP, PAGE = "idle", "resources", grid.PAGE
TITLE = "eight threads that wait"
UNIT = "in a second"
HEADS = ["CPU ms", "all CPU ms", "sleeps", "EINTR"]
ROUNDS = 5
THREADS, MS = 8, 2000
WAYS = [
    others.Way("bare", None),
    others.ours("cpu"),
    others.ours("cpu,real"),
    others.WAKE,
    others.REALTIME,
    others.SWITCHES,
]


def once(bench, way):
    ms = bench.size(MS, 300)

    def measured():
        run = others.once(bench, way, [bench.tool("idle"), str(THREADS), str(ms)])
        words = must(run, way.name).output.split()
        us, sleeps, interrupted = map(float, words[-3:])
        seconds = ms / 1000
        return us / 1000 / seconds, run.cpu * 1000 / seconds, sleeps / seconds, interrupted / seconds

    return measured


def run(bench):
    bench.progress(NAME)
    ways = WAYS[: bench.size(len(WAYS), 4)]
    whys = {way.name: others.missing(bench, way) for way in ways if way.wrap}
    usable = [way for way in ways if not whys.get(way.name)]
    results = in_turns(bench.size(ROUNDS, 1), {way.name: once(bench, way) for way in usable})
    rows = []
    for way in ways:
        if whys.get(way.name):
            rows.append(grid.Line(TITLE, UNIT, HEADS, way.name, remark=whys[way.name]))
            continue
        rounds = results[way.name]
        cells = [number(stat([each[i] for each in rounds]).median) for i in range(len(HEADS))]
        rows.append(grid.Line(TITLE, UNIT, HEADS, way.name, cells, measured={"rounds": rounds}))
    bench.note(
        TITLE,
        "Each thread is in poll, for ever; the first one sleeps. Medians of "
        f"{bench.size(ROUNDS, 1)} runs. CPU ms: of the process, after its threads were made. all: with starting, ending, and other "
        "processes. sleeps: how often a thread has gone to sleep, having been woken. EINTR: waits "
        "that a signal has broken off.",
    )
    return rows
