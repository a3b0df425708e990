# SPDX-License-Identifier: MIT
"""How many requests a redis-server answers that is recorded, beside one that is not.

All of them run at the same time, and are asked in turns, in an order that is drawn for each turn: those
that are not asked sleep. A block of turns has servers of its own, since each process lies elsewhere
in memory.
"""

import random
import statistics

import grid
import here
import redis
from measure import stat

NAME, GROUP, PAGE = "served", "resources", grid.PAGE
TITLE = "redis-server under redis-benchmark"
UNIT = "% more than bare"
HEADS = ["requests/s", "CPU of a request", "samples/s"]
BLOCKS, TURNS, REQUESTS = 10, 4, 60000
BARE, AGAIN = "bare", "bare again"


def cases_of(bench):
    """Name -> the resources that are recorded."""
    return {
        BARE: None,
        AGAIN: None,
        "cpu": "cpu",
        "cpu,real": "cpu,real",
        "all": here.everything(bench),
    }


def server(bench, number, resources):
    out = bench.runner.path(f"served.{number}.cps")
    bench.plain.remove(out)
    env = here.settings(bench, resources, out) if resources else {}
    return redis.Server(bench, f"served.{number}", lambda argv: (argv, env))


def block(bench, cases, draw):
    """Name -> requests per second and CPU time of a request, both in % more than bare, samples a second
    of CPU time, and the first two as they are."""
    names = list(cases)
    servers = {name: server(bench, i, cases[name]) for i, name in enumerate(names)}
    requests = bench.size(REQUESTS, 2000)
    answers = {name: [] for name in names}
    for turn in range(1 + bench.size(TURNS, 1)):
        draw.shuffle(names)
        for name in names:
            answer = servers[name].ask(requests)
            if turn:  # the first one warms up
                answers[name].append(answer)
    used = {name: each.stop().cpu for name, each in servers.items()}
    found = {}
    for i, name in enumerate(cases):
        beside = [
            (100 * (rate / bare_rate - 1), 100 * (cpu / bare_cpu - 1))
            for (rate, cpu), (bare_rate, bare_cpu) in zip(answers[name], answers[BARE])
        ]
        taken = 0
        if cases[name]:
            counts = here.counts(bench, bench.runner.path(f"served.{i}.cps"))
            taken = here.samples(counts) / used[name]
        found[name] = [statistics.median(column) for column in zip(*beside)] + [taken]
        found[name] += [statistics.median(rate for rate, _ in answers[name])]
        found[name] += [statistics.median(cpu for _, cpu in answers[name])]
    return found


def run(bench):
    why = redis.missing()
    if why:
        return [grid.Line(TITLE, UNIT, HEADS, "redis-server", remark=why)]
    cases, blocks, draw = cases_of(bench), [], random.Random(1)
    for i in range(bench.size(BLOCKS, 1)):
        bench.progress(f"{NAME}: block {i + 1} of {bench.size(BLOCKS, 1)}")
        blocks.append(block(bench, cases, draw))
    rows = []
    for name in cases:
        rates, cpus, taken, *absolute = zip(*(each[name] for each in blocks))
        if name == BARE:
            rate, cpu = map(statistics.median, absolute)
            cells = [f"{rate:,.0f}", f"{cpu / 1000:.2f} us", "-"]
        else:
            n = statistics.median(taken)
            cells = [grid.spread(stat(rates)), grid.spread(stat(cpus)), f"{n:,.0f}" if n else "-"]
        measured = {"rates": rates, "cpu": cpus, "samples": taken, "absolute": absolute}
        rows.append(grid.Line(TITLE, UNIT, HEADS, name, cells, measured=measured))
    bench.note(TITLE, NOTE.format(blocks=len(blocks), turns=bench.size(TURNS, 1)))
    bench.note(TITLE, f"all: {cases['all']}. samples/s: of CPU time.")
    return rows


NOTE = (
    "Each line but bare is beside bare, in %: medians of {blocks} blocks, with standard errors. A block "
    "has a server for each line; each is asked {turns} times, in turns, and the median of its "
    "ratios counts. The servers have one processor, redis-benchmark (set and get, 50 clients) the other. "
    "bare again: the noise."
)
