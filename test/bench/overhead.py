# SPDX-License-Identifier: MIT
"""Overhead of a run: CPU time with a profiler and without, in the same round.

Ours is below what varies from one run to the next. So our rounds are many, and mirrored (none,
ours, none again, none again, ours, none): what drifts evenly cancels. What the second `none` seems
to cost is the noise.
"""

import os

import work
from measure import Failure, in_turns, spent, stat
from table import Peer, Row

NAME = "overhead"
TITLE = "overhead of a run"
UNIT = "% of CPU time"
RATES = [1000, 250, 10000]
AT_MOST = {1000: 0.5}
ROUNDS = {1000: 24, 250: 6, 10000: 6}
QUICK = [(1000, "lua"), (1000, "cc1"), (10000, "sqlite")]
AGAIN = "none again"
PEERS = ["gperftools", "perf -g", "perf dwarf", "gprofng"]


class Case:
    """A workload under a recorder at a rate: runs it, and keeps what the last run says."""

    def __init__(self, bench, recorder, argv, rate):
        self.bench, self.recorder, self.rate = bench, recorder, rate
        self.out = bench.runner.path(f"overhead.{recorder.name.replace(' ', '.')}{recorder.suffix}")
        self.inner = bench.runner.path("spent.inside")
        self.has_inner = recorder.name.startswith("perf")
        if self.has_inner:  # its own process works, too
            argv = bench.runner.command(self.inner, argv)
        self.argv, self.env = recorder.wrap(argv, self.out, rate)
        self.samples = 0
        self.last, self.target = None, []

    def __call__(self):
        self.recorder.remove(self.out)
        if self.has_inner and os.path.exists(self.inner):
            os.unlink(self.inner)
        self.last = self.bench.runner.run(self.argv, self.env)
        inner = spent(self.inner) if self.has_inner else self.last
        self.target.append(inner.cpu)
        if not inner.cpu or self.last.was_stopped:
            raise Failure(f"{self.recorder.name}: {self.last.errors.strip()[-300:]}")
        return self.last.cpu

    def ended_as(self, plain):
        """The program ended as it does without a recorder, or this was not the same work. perf
        has a status of its own."""
        if self.last.status not in (plain.last.status, 0):
            raise Failure(
                f"{self.recorder.name}: status {self.last.status}, without it {plain.last.status}: "
                f"{self.last.errors.strip()[-300:]}"
            )

    def real_rate(self):
        """Samples per second of the last run."""
        samples = self.recorder.samples(self.out, self.last)
        if not samples and not self.bench.is_quick:
            raise Failure(f"{self.recorder.name}: no samples: {self.last.errors.strip()[-300:]}")
        return samples / self.target[-1]


def is_near(real, rate):
    """Were about as many samples taken as were asked for?"""
    return 0.8 * rate <= real <= 1.2 * rate


def percent(with_it, without):
    return stat([(a / b - 1) * 100 for a, b in zip(with_it, without)])


def mirrored(bench, argv, rate, rounds):
    """Ours, the noise, and our real rate."""
    cases = {
        "none": Case(bench, bench.plain, argv, rate),
        "ours": Case(bench, bench.ours, argv, rate),
        AGAIN: Case(bench, bench.plain, argv, rate),
    }
    names, sums = list(cases), {name: [] for name in cases}
    cases["none"]()
    for i in range(rounds):
        order = names[i % 3 :] + names[: i % 3]
        total = dict.fromkeys(names, 0)
        for name in order + order[::-1]:
            total[name] += cases[name]()
        for name in names:
            sums[name].append(total[name])
    cases["ours"].ended_as(cases["none"])
    return (
        percent(sums["ours"], sums["none"]),
        percent(sums[AGAIN], sums["none"]),
        cases["ours"].real_rate(),
    )


def of_peers(bench, argv, rate, fixed):
    """What peers cost beside `fixed`, name -> seconds."""
    cases = {p.name: Case(bench, p, argv, rate) for p in bench.peers(*PEERS)}
    cases["none"] = Case(bench, bench.plain, argv, rate)
    results = in_turns(bench.size(4, 1), cases)
    without = results.pop("none")
    for name, used in results.items():
        cases[name].ended_as(cases["none"])
        real = cases[name].real_rate()
        note = f"{real:,.0f}/s"
        if cases[name].has_inner:
            note += f"; target {percent(cases[name].target, without).median:.2f}"
        used = percent([seconds - fixed[name] for seconds in used], without)
        yield Peer(name, used, note, is_comparable=is_near(real, rate))
    for case in cases.values():
        case.recorder.remove(case.out)


def fixed_costs(bench):
    """What a recording costs that has nothing to record: name -> seconds of CPU time."""
    recorders = [bench.plain, bench.ours, *bench.peers(*PEERS)]
    cases = {r.name: Case(bench, r, ["/bin/true"], 1000) for r in recorders}
    results = in_turns(bench.size(10, 2), cases)
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
            argv = command(bench, bench.size(1, 0.05))
            rounds = bench.size(ROUNDS[rate], 1)
            ours, noise, real = mirrored(bench, argv, rate, rounds)
            peers = [Peer(AGAIN, noise, f"the noise, +- {noise.error:.2f}", is_comparable=False)]
            peers += of_peers(bench, argv, rate, fixed)
            note = f"+- {ours.error:.2f}, {real:,.0f}/s"
            limit = AT_MOST.get(rate)
            if not is_near(real, rate):  # nobody is beaten by doing less
                limit = None
                for peer in peers:
                    peer.is_comparable = False
            rows.append(Row(TITLE, f"{name}, {rate:,}/s", UNIT, ours, peers, limit, note=note))
    costs = ", ".join(f"{name} {seconds * 1000:.1f} ms" for name, seconds in fixed.items())
    bench.note(
        TITLE,
        "Runs of about a second of CPU time. What peers cost that have nothing to record is taken "
        f"off, since long runs do not feel it; what we cost is not. It is {costs}.",
    )
    bench.note(
        TITLE,
        "+- is the standard error of the median. N/s: samples really taken per second; at less "
        "than 80 % of what was asked for there is no ratio, for it is not the same work.",
    )
    bench.note(
        TITLE,
        "perf: of all its processes; target: what the recorded program itself used more, in %.",
    )
    return rows
