# SPDX-License-Identifier: MIT
"""How large recordings of several resources are, beside the files of other tools."""

import glob
import os

import grid
import here
import others
import redis
import work
from measure import Failure, must
from table import number

NAME, GROUP, PAGE = "sizes", "resources", grid.PAGE
TITLE = "sizes of recordings"
UNIT = "bytes"
HEADS = ["bytes", "a second", "samples", "a sample"]
SECONDS = 3
REQUESTS = 50000  # of each kind, in a second


def ways(bench):
    return [
        others.ours("cpu"),
        others.ours("cpu,real"),
        others.ours(here.everything(bench)),
        others.HEAPTRACK,
        others.HEAPPROFILE,
    ]


def program(command):
    """A function that runs a program in a way to record it."""

    def run(bench, way, out, seconds):
        argv = command(bench, seconds)
        argv, env = way.wrap(bench, argv, out) if way.wrap else (argv, {})
        ran = bench.runner.run(argv, env)
        if ran.was_stopped:
            raise Failure(f"{way.name}: {ran.errors.strip()[-200:]}")
        return ran

    return run


def served(bench, way, out, seconds):
    """A redis-server, while it is asked."""
    server = redis.Server(
        bench, "sizes", lambda argv: way.wrap(bench, argv, out) if way.wrap else (argv, {})
    )
    server.ask(max(100, round(REQUESTS * seconds)))
    return must(server.stop(), way.name)


PROGRAMS = {
    "lua": program(work.lua),
    "sqlite3, import": program(work.sqlite_import),
    "redis-server": served,
}


def measure(bench, make, way, bare):
    """Cells, and values for JSON. `bare`: seconds that the program takes by itself."""
    out = bench.runner.path("sizes.out")
    others.remove(bench, out)
    is_slow = way is others.HEAPPROFILE  # and its files do not grow with time
    run = make(bench, way, out, bench.size(SECONDS / 10 if is_slow else SECONDS, 0.05))
    files = [path for path in glob.glob(glob.escape(out) + "*") if os.path.isfile(path)]
    if not files:
        return [], {}, "nothing was written"
    size = sum(map(os.path.getsize, files))
    samples = here.samples(here.counts(bench, out)) if "cpsample" in way.name else 0
    others.remove(bench, out)
    cells = [f"{size:,}", "-" if is_slow else number(size / bare)]
    cells += [f"{samples:,}", number(size / samples)] if samples else ["-", "-"]
    values = {"bytes": size, "bare": bare, "recorded": run.wall, "samples": samples}
    return cells, values, ""


def lines(bench, name, make):
    if make is served and redis.missing():
        yield grid.Line(TITLE, UNIT, HEADS, name, remark=redis.missing())
        return
    all_of_it = others.ours(here.everything(bench)).name
    bare = make(bench, others.Way("bare", None), "", bench.size(SECONDS, 0.05)).wall
    for way in ways(bench):
        case = f"{name}: {'cpsample, all' if way.name == all_of_it else way.name}"
        why = others.missing(bench, way)
        if why:
            yield grid.Line(TITLE, UNIT, HEADS, case, remark=why)
            continue
        cells, values, remark = measure(bench, make, way, bare)
        yield grid.Line(TITLE, UNIT, HEADS, case, cells, remark, values)


def run(bench):
    rows = []
    for name, make in PROGRAMS.items():
        if not bench.is_quick or name == "lua":
            bench.progress(f"{NAME}: {name}")
            rows += lines(bench, name, make)
    bench.note(
        TITLE,
        f"One run each, of some {SECONDS} seconds, at the default intervals; a second: of a run that is "
        "not recorded. A sample of cpu and real is "
        "counted once, and so is one of alloc and alloc-live. all: "
        f"{here.everything(bench)}. heaptrack writes down each allocation; HEAPPROFILE writes its "
        "sums at the end (and at each further GB), in a run of a tenth of the length.",
    )
    return rows
