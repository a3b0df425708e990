# SPDX-License-Identifier: MIT
"""Overhead of a run: CPU time of a program with a profiler, and of the same one without.

Two runs one after the other differ by more than we cost, on a machine that others use, too. So they
run at the same time, on one processor, where they take turns every few milliseconds: what slows
one of them slows the other. What a second program without a profiler seems to cost is the noise;
what an empty handler costs is the kernel's part of each tick, and the interrupt alone is the part of
it that every timer has.
"""

import os

import work
from measure import Failure, in_turns, spent, stat
from peers import Empty, Interrupt, OursByDefault, OursByTimer
from table import Peer, Row

NAME = "overhead"
TITLE = "overhead of a run"
UNIT = "% of CPU time"
RATES = [1000, 250, 10000]
AT_MOST = {1000: 0.5}
SECONDS = 3  # of a run, about
ROUNDS = {1000: 6, 250: 4, 10000: 2}
ROUNDS_OF_PEERS = {1000: 3, 250: 2, 10000: 2}
QUICK = [(1000, "lua"), (10000, "sqlite")]
AGAIN = "none again"
EMPTY = "empty handler"
INTERRUPT = "interrupt alone"
OURS_BY_TIMER = OursByTimer.name
STRATA = OursByDefault.name
TIMER_RATE = 250  # samples a second that the kernel's own ticks are good for, mostly
PEERS = ["gperftools", "perf -g", "perf dwarf", "gprofng"]


class Case:
    """A workload under a recorder at a rate, and what its runs used."""

    def __init__(self, bench, name, recorder, argv, rate):
        self.bench, self.name, self.recorder = bench, name, recorder
        self.out = bench.runner.path(f"overhead.{name.replace(' ', '.')}{recorder.suffix}")
        self.inner = bench.runner.path(f"spent.inside.{name.replace(' ', '.')}")
        self.has_inner = recorder.name.startswith("perf")
        if self.has_inner:  # its own process works, too
            argv = bench.runner.command(self.inner, argv)
        self.command = recorder.wrap(argv, self.out, rate)
        self.last, self.target = None, []
        self.more, self.more_in_target = [], []  # in %

    def prepare(self):
        self.recorder.remove(self.out)
        if self.has_inner and os.path.exists(self.inner):
            os.unlink(self.inner)

    def ran(self, run):
        self.last = run
        inner = spent(self.inner) if self.has_inner else run
        self.target.append(inner.cpu)
        if not inner.cpu or run.was_stopped:
            raise Failure(f"{self.name}: {run.errors.strip()[-300:]}")

    def ended_as(self, plain):
        """The program ended as it does without a recorder, or this was not the same work. perf
        has a status of its own."""
        if self.last.status not in (plain.last.status, 0):
            raise Failure(
                f"{self.name}: status {self.last.status}, without it {plain.last.status}: "
                f"{self.last.errors.strip()[-300:]}"
            )

    def real_rate(self):
        """Samples per second of the last run."""
        samples = self.recorder.samples(self.out, self.last)
        if not samples and not self.bench.is_quick:
            raise Failure(f"{self.name}: no samples: {self.last.errors.strip()[-300:]}")
        return samples / self.target[-1]


def is_near(real, rate):
    """Whether about as many samples were taken as were asked for."""
    return 0.8 * rate <= real <= 1.2 * rate


def pair(bench, case, plain, fixed, is_first):
    """Run both at the same time. `fixed`: seconds that the case costs whatever is recorded."""
    order = [case, plain] if is_first else [plain, case]
    for each in order:
        each.prepare()
    for each, run in zip(order, bench.runner.beside([each.command for each in order])):
        each.ran(run)
    without = plain.last.cpu
    case.more.append(((case.last.cpu - fixed) / without - 1) * 100)
    case.more_in_target.append((case.target[-1] / without - 1) * 100)
    case.ended_as(plain)


def measure(bench, argv, rate, fixed):
    """The cases of a workload at a rate, name -> case."""
    recorders = {"ours": bench.ours, STRATA: OursByDefault(bench), AGAIN: bench.plain}
    recorders |= {EMPTY: Empty(bench), INTERRUPT: Interrupt(bench)}
    if rate <= TIMER_RATE:
        recorders[OURS_BY_TIMER] = OursByTimer(bench)
    recorders.update({peer.name: peer for peer in bench.peers(*PEERS)})
    cases = {name: Case(bench, name, each, argv, rate) for name, each in recorders.items()}
    plain = Case(bench, "none", bench.plain, argv, rate)
    for i in range(bench.size(ROUNDS[rate], 1)):
        for name, case in cases.items():
            if name not in PEERS:
                pair(bench, case, plain, 0, i % 2 == 0)
            elif i < ROUNDS_OF_PEERS[rate]:
                pair(bench, case, plain, fixed[name], i % 2 == 0)
    return cases


def of_peer(case, rate):
    used = stat(case.more)
    if case.name == AGAIN:
        return Peer(case.name, used, f"the noise, +- {used.error:.2f}", is_comparable=False)
    if case.name in (EMPTY, INTERRUPT):
        return Peer(case.name, used, f"+- {used.error:.2f}", is_comparable=False)
    real = case.real_rate()
    note = f"{real:,.0f}/s"
    if case.name in (OURS_BY_TIMER, STRATA):
        return Peer(case.name, used, f"+- {used.error:.2f}, {note}", is_comparable=False)
    if case.has_inner:
        note += f"; target {stat(case.more_in_target).median:.2f}"
    return Peer(case.name, used, note, is_comparable=is_near(real, rate))


def row_of(name, cases, rate):
    ours = cases.pop("ours")
    used, real = stat(ours.more), ours.real_rate()
    peers = [of_peer(case, rate) for case in cases.values()]
    if not is_near(real, rate):  # nobody is beaten by doing less
        for peer in peers:
            peer.is_comparable = False
    empty = stat(cases[EMPTY].more)
    above, error = used.median - empty.median, (used.error**2 + empty.error**2) ** 0.5
    return Row(
        TITLE,
        f"{name}, {rate:,}/s",
        UNIT,
        used,
        peers,
        AT_MOST.get(rate) if is_near(real, rate) else None,
        note=f"+- {used.error:.2f}, {real:,.0f}/s; {above:.2f} +- {error:.2f} above the empty "
        "handler",
    )


def cost(bench, case):
    def once():
        case.prepare()
        return bench.runner.run(*case.command).cpu

    return once


def fixed_costs(bench):
    """The cost of recording a program that does nothing: name -> seconds of CPU time."""
    recorders = [bench.plain, bench.ours, *bench.peers(*PEERS)]
    commands = {r.name: Case(bench, r.name, r, ["/bin/true"], 1000) for r in recorders}
    results = in_turns(bench.size(10, 1), {n: cost(bench, c) for n, c in commands.items()})
    bare = stat(results.pop("none")).median
    return {name: stat(used).median - bare for name, used in results.items()}


def run(bench):
    rows = []
    fixed = fixed_costs(bench)
    for rate in RATES:
        for name, command in work.ALL.items():
            if bench.is_quick and (rate, name) not in QUICK:
                continue
            bench.progress(f"{NAME}: {name} at {rate:,}/s")
            argv = command(bench, bench.size(SECONDS, 0.05))
            cases = measure(bench, argv, rate, fixed)
            rows.append(row_of(name, dict(cases), rate))
            for case in cases.values():
                case.recorder.remove(case.out)
    costs = ", ".join(f"{name} {seconds * 1000:.1f} ms" for name, seconds in fixed.items())
    bench.note(
        TITLE,
        "Runs of two to three seconds of CPU time, each beside one without a profiler, on the same "
        "processor. What peers cost when they have nothing to record is subtracted, since it does "
        f"not matter in long runs; what cpsample costs then is not. It is {costs}.",
    )
    bench.note(
        TITLE,
        "empty handler: a perf event that ticks as often as that of cpsample, and a handler that "
        "does nothing. This is the part of a tick that the kernel and the virtual machine take. "
        "interrupt alone: such an event without signals; the kernel only writes an address down.",
    )
    bench.note(
        TITLE,
        "our timer: cpsample with the clock timer, CPU timers, as gperftools has them. The kernel "
        "looks at them when its own clock ticks. strata: cpsample with its default clock. The column "
        "cpsample is with the perf clock.",
    )
    bench.note(
        TITLE,
        "+- is the standard error of the median. N/s are the samples really taken per second. If "
        "they are less than 80 % of what was asked for, there is no ratio: the work is another.",
    )
    bench.note(
        TITLE,
        "perf: of all its processes; target: how much more the recorded program itself used, in %.",
    )
    return rows
