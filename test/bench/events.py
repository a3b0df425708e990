# SPDX-License-Identifier: MIT
"""What an event costs by resource: bare, not asked for, counted, and as a sample.

The events are made by events.c, which reads the CPU time of its thread before and after a loop.
"""

from dataclasses import dataclass

import grid
import here
from measure import in_turns, must, stat
from table import number

NAME, GROUP, PAGE = "events", "resources", grid.PAGE
TITLE = "an event"
UNIT = "ns of CPU time; a sample: us"
HEADS = ["bare", "beside", "counted", "more", "a sample"]
ROUNDS = 21
FIRST, SAMPLES = 400, 1400  # the recorder widens an interval after 2,000 samples in a second
CLOCK = "cpu:1000s"  # the clock that is there in any case hardly ticks
BYTES, EVENTS, TIME = "1000G", "1000G", "1000s"  # intervals that do not end


@dataclass
class Event:
    case: str
    resource: str
    kind: str  # of events.c
    n: int  # events of a run that is not sampled
    never: str  # an interval that does not end
    often: str = ""  # one that ends often, if an event can become a sample
    each: float = 1  # events in that interval, or for each sample
    named: str = ""  # what a recording calls it, if not as it is asked for

    @property
    def name(self):
        return self.resource.split(":")[0]


ALL = [
    Event("cpsample_count", "count", "count", 10000000, EVENTS, "200", 200, "events"),
    Event("malloc and free", "alloc", "malloc", 2000000, BYTES, "16k", 114),
    Event("malloc and free", "allocs", "malloc", 2000000, EVENTS, "100", 100),
    Event("malloc and free", "alloc-live", "malloc", 2000000, BYTES, "16k", 114),
    Event("a new page", "faults", "fault", 15000, EVENTS, "10", 10),
    Event("read of a byte", "real", "read1", 200000, TIME),
    Event("poll, ready", "real", "poll", 200000, TIME),
    Event("a wait of 0.1 ms", "real", "wait", 500, TIME, "10us", 1),
    Event("read of 64 bytes", "read", "read64", 200000, BYTES, "1k", 16),
    Event("write of 64 bytes", "write", "write64", 200000, BYTES, "1k", 16),
    Event("fgetc", "read", "fgetc", 5000000, BYTES, "4k", 4096),
    Event("uncontended", "lock", "lock", 3000000, TIME),
    Event("same, 2 threads", "lock", "lock2", 3000000, TIME),
    Event("held for 0.1 ms", "lock", "waited", 500, TIME, "10us", 1),
    Event("a wait of 0.1 ms", "switches", "wait", 500, EVENTS, "1", 1),
    Event("a call", "calls:gnu_get_libc_version", "call", 10000000, EVENTS, "200", 200),
]
QUICK = [("alloc", "malloc"), ("faults", "fault"), ("real", "wait"), ("lock", "lock")]

# Clocks have no events but their ticks: what a tick costs, while a program computes.
TICKS = [["cpu"], ["cpu", "real"], ["user", "system"]]
UNITS = 150000  # of compute, for each run
TICK = "100us"


class Loop:
    """Runs of events.c."""

    def __init__(self, bench, resource, kind):
        self.bench, self.resource, self.kind = bench, resource, kind  # as a recording calls it
        self.out = bench.runner.path("events.cps")
        self.samples = []  # of the loop, in each run that `sampled` has made

    def run(self, n, first, resources=None, clock=None):
        """CPU time in nanoseconds."""
        env = here.settings(self.bench, resources, self.out, clock) if resources else {}
        self.bench.plain.remove(self.out)
        argv = [self.bench.tool("events"), self.kind, str(n), str(first)]
        ran = must(self.bench.runner.run(argv, env, output=True), f"events {self.kind}")
        return float(ran.output.split()[1])

    def each(self, n, resources=None):
        return lambda: self.run(n, max(1, n // 100), resources) / n

    def sampled(self, n, first, resources, clock=None):
        def once():
            used = self.run(n, first, resources, clock)
            taken = here.counts(self.bench, self.out)[self.resource].samples
            self.samples.append(taken * n / (n + first))
            return used

        return once


def of_samples(loop, results):
    """us of a sample, above what the same loop takes without."""
    costs = [
        (often - never) / taken / 1000
        for often, never, taken in zip(results["often"], results["few"], loop.samples)
        if taken
    ]
    return stat(costs) if costs else None


def measure(bench, event):
    bench.progress(f"{NAME}: {event.resource}, {event.case}")
    loop = Loop(bench, event.named or event.name, event.kind)
    n = bench.size(event.n, max(100, event.n // 20))
    never = f"{CLOCK},{event.resource}:{event.never}"
    cases = {
        "bare": loop.each(n),
        "other": loop.each(n, CLOCK),
        "counted": loop.each(n, never),
    }
    if event.often:
        some, first = int(SAMPLES * event.each), int(FIRST * event.each)
        cases["few"] = lambda: loop.run(some, first, never)
        cases["often"] = loop.sampled(some, first, f"{CLOCK},{event.resource}:{event.often}")
    results = in_turns(bench.size(ROUNDS, 1), cases)
    return row_of(event, loop, results)


def row_of(event, loop, results):
    more = stat([a - b for a, b in zip(results["counted"], results["bare"])])
    sample = of_samples(loop, results) if event.often else None
    return grid.Line(
        TITLE,
        UNIT,
        HEADS,
        f"{event.name}: {event.case}",
        [
            *(number(min(results[each])) for each in ("bare", "other", "counted")),
            grid.spread(more),
            grid.spread(sample) if sample else "-",
        ],
        measured={**results, "samples": loop.samples},
    )


def tick(bench, resources):
    bench.progress(f"{NAME}: a tick of {','.join(resources)}")
    loop = Loop(bench, resources[0], "compute")
    often = f"{resources[0]}:{TICK}" + "".join(f",{name}" for name in resources[1:])
    n = bench.size(UNITS, UNITS // 10)
    cases = {
        "few": lambda: loop.run(n, 1),
        "often": loop.sampled(n, 1, often, "perf"),
    }
    results = in_turns(bench.size(ROUNDS, 1), cases)
    sample = of_samples(loop, results)
    return grid.Line(
        TITLE,
        UNIT,
        HEADS,
        f"{', '.join(resources)}: a tick",
        ["-"] * 4 + [grid.spread(sample) if sample else "-"],
        measured={**results, "samples": loop.samples},
    )


def one(bench, case, resources, measured):
    """The line of a case, or one that says why there is none."""
    why = here.missing(bench, resources)
    return grid.Line(TITLE, UNIT, HEADS, case, remark=why) if why else measured()


def run(bench):
    rows = []
    for event in ALL:
        if not bench.is_quick or (event.resource, event.kind) in QUICK:
            case = f"{event.name}: {event.case}"
            rows.append(one(bench, case, [event.name], lambda each=event: measure(bench, each)))
    for resources in TICKS[: bench.size(len(TICKS), 1)]:
        case = f"{', '.join(resources)}: a tick"
        rows.append(one(bench, case, resources, lambda each=resources: tick(bench, each)))
    for words in NOTES:
        bench.note(TITLE, words.format(rounds=bench.size(ROUNDS, 1)))
    return rows


NOTES = [
    "The least of {rounds} rounds, in which the columns take turns. beside: recorded, but not this "
    "resource. counted: with an interval that does not end, so that nothing is a sample. more: counted "
    "above bare, the median of the differences within rounds, and its standard error.",
    "a sample: what a loop with a short interval takes above the same loop with a long one, for "
    "each sample; the stack is always the same one (the figure `sample` has others). -: these events "
    "do not wait, so none of them is a sample.",
    "a tick: every 100 us of CPU time by the clock perf, with the kernel's interrupt and signal, which "
    "take most of it.",
]
