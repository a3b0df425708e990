# SPDX-License-Identifier: MIT
"""What other tools take for the events of events.c, beside the recorder as it is used."""

import glob
import os
import shutil
from dataclasses import dataclass, field
from typing import Callable

import grid
import here
from measure import Failure, in_turns, must, stat
from table import number

NAME, GROUP, PAGE = "others", "resources", grid.PAGE
TITLE = "an event, beside other tools"
UNIT = "ns of CPU time above a bare run"
HEADS = ["program", "with others"]
ROUNDS = 7
BARE = "bare"


@dataclass
class Way:
    """A way to record a program."""

    name: str
    wrap: Callable  # (bench, argv, out) -> argv and environment
    part: float = 1  # of the events that others make, for those that take long
    needs: str = ""  # a command or a library


@dataclass
class Loop:
    case: str
    kind: str  # of events.c
    n: int
    ways: list = field(default_factory=list)


def ours(resources):
    def wrap(bench, argv, out):
        return argv, here.settings(bench, resources, out)

    return Way(f"cpsample -r {resources}", wrap)


def preloaded(name, library, **settings):
    def wrap(bench, argv, out):
        env = {key: value.replace("OUT", out) for key, value in settings.items()}
        return argv, {"LD_PRELOAD": bench.tool(library) if library == "wake.so" else library, **env}

    part = 0.02 if "HEAPPROFILE" in settings else 1
    return Way(name, wrap, part, "" if library == "wake.so" else library)


def command(name, *words, part=1):
    def wrap(bench, argv, out):
        return [out if word == "OUT" else word for word in words] + argv, {}

    return Way(name, wrap, part, words[0])


WAKE = preloaded("a signal to each thread, 1 ms", "wake.so", WAKE_US="1000")
REALTIME = preloaded(
    "gperftools, CPUPROFILE_REALTIME, 1 ms",
    "libprofiler.so.0",
    CPUPROFILE="OUT",
    CPUPROFILE_REALTIME="1",
    CPUPROFILE_FREQUENCY="1000",
)
SWITCHES = command(
    "perf record -g -e context-switches",
    *("perf", "record", "-q", "-e", "context-switches", "-c", "1", "-g", "-o", "OUT", "--"),
)
HEAPTRACK = command("heaptrack", "heaptrack", "-o", "OUT")
HEAPPROFILE = preloaded("gperftools, HEAPPROFILE", "libtcmalloc.so.4", HEAPPROFILE="OUT")

LOOPS = [
    Loop(
        "malloc and free",
        "malloc",
        2000000,
        [
            ours("cpu,alloc"),
            ours("cpu,alloc-live"),
            HEAPTRACK,
            preloaded("tcmalloc alone", "libtcmalloc.so.4"),
            HEAPPROFILE,
        ],
    ),
    Loop(
        "read of 64 bytes",
        "read64",
        200000,
        [
            ours("cpu,read,write"),
            command("perf trace -s", *("perf", "trace", "-s", "-o", "OUT"), part=0.2),
            command("strace -f -c", *("strace", "-f", "-c", "-o", "OUT"), part=0.1),
        ],
    ),
    Loop(
        "a new page",
        "fault",
        20000,
        [
            ours("cpu,faults"),
            command("perf stat -e page-faults", *("perf", "stat", "-e", "page-faults", "-o", "OUT")),
            command(
                "perf record -g -e page-faults -c 10",
                *("perf", "record", "-q", "-e", "page-faults", "-c", "10", "-g", "-o", "OUT", "--"),
            ),
        ],
    ),
    Loop("ppoll of 0.1 ms", "wait", 2000, [ours("cpu,real"), WAKE, REALTIME, SWITCHES]),
]


def is_installed(bench, name):
    """Whether there is a command of that name, or a library that can be preloaded."""
    if not name.startswith("lib"):
        return shutil.which(name) is not None
    try:
        bench.runner.run(["/bin/true"], {"LD_PRELOAD": name})
    except Failure:  # the loader says that it cannot be preloaded
        return False
    return True


def missing(bench, way):
    """Why it cannot be used here, or None."""
    if way.needs and not is_installed(bench, way.needs):
        return f"no {way.needs} on this machine"
    try:
        once(bench, way, ["/bin/true"])
    except Failure as why:
        return f"refuses here: {' '.join(str(why).split())[:200]}"
    return None


def remove(bench, out):
    """Some tools give several names to what they write."""
    for path in glob.glob(glob.escape(out) + "*"):
        bench.plain.remove(path)


def once(bench, way, argv):
    out = bench.runner.path("others.out")
    remove(bench, out)
    argv, env = way.wrap(bench, argv, out) if way.wrap else (argv, {})
    run = must(bench.runner.run(argv, env, output=True), way.name)
    remove(bench, out)
    return run


def own_ns(run):
    """What events.c has printed, among lines of the tool."""
    lines = (line.split() for line in run.output.splitlines())
    numbers = [words for words in lines if len(words) == 2 and all(w.isdigit() for w in words)]
    if not numbers:
        raise Failure(f"events: {run.output.strip()[-200:]}")
    return float(numbers[-1][1])


def each(bench, loop, way):
    """A function that says what an event takes: in the program, and with all other processes."""
    n = max(100, int(bench.size(loop.n, loop.n // 20) * way.part))
    few = n // 20

    def measured():
        argv = [bench.tool("events"), loop.kind]
        long = once(bench, way, [*argv, str(n)])
        short = once(bench, way, [*argv, str(few)])
        return own_ns(long) / n, (long.cpu - short.cpu) * 1e9 / (n - few)

    return measured


def line(loop, way, cells=(), remark="", measured=None):
    case = f"  {way.name}" if way.wrap else f"{loop.case}, {way.name}"
    return grid.Line(TITLE, UNIT, HEADS, case, list(cells), remark, measured or {})


def measure(bench, loop, ways):
    """Lines of those ways that can be used, and of those that cannot."""
    whys = {way.name: missing(bench, way) for way in ways}
    usable = [way for way in ways if not whys[way.name]]
    bare = Way(BARE, None)
    cases = {way.name: each(bench, loop, way) for way in [bare, *usable]}
    results = in_turns(bench.size(ROUNDS, 1), cases)
    base = stat([own for own, _ in results[BARE]])
    yield line(loop, bare, [number(base.median), "-"], measured={"rounds": results[BARE]})
    for way in ways:
        if whys[way.name]:
            yield line(loop, way, remark=whys[way.name])
            continue
        pairs = list(zip(results[way.name], results[BARE]))
        more = [stat([a[i] - b[i] for a, b in pairs]) for i in (0, 1)]
        cells = [grid.spread(value) for value in more]
        yield line(loop, way, cells, measured={"rounds": results[way.name]})


def run(bench):
    rows = []
    for loop in LOOPS[: bench.size(len(LOOPS), 1)]:
        bench.progress(f"{NAME}: {loop.case}")
        rows += measure(bench, loop, loop.ways)
    for words in NOTES:
        bench.note(TITLE, words.format(rounds=bench.size(ROUNDS, 1)))
    return rows


NOTES = [
    "bare: what an event takes by itself. Medians of {rounds} rounds, with standard errors. program: its "
    "thread in the loop. with others: all processes and threads that the tool has made, "
    "from a long and a short run, so that what a run costs in any case is not in it.",
    "cpsample has its default intervals; heaptrack, perf trace and strace note each event. "
    "gperftools brings an allocator of its own, which is beside it.",
    "a signal to each thread (test/bench/wake.c): what profilers of real time do, with a handler that "
    "does nothing. perf needs the permission to see the kernel's events for context-switches "
    "and for perf trace.",
]
