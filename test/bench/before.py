# SPDX-License-Identifier: MIT
"""What the resource cpu costs when it is the only one, beside an earlier recorder.

bench.py --before COMMIT builds its library from git, in BUILD/bench, with the same compiler.
"""

import os
import subprocess

import grid
import sample
import work
from measure import Failure, in_turns, must, stat
from table import number

NAME, GROUP, PAGE = "before", "resources", grid.PAGE
TITLE = "cpu alone, before and after"
UNIT = "by an earlier recorder and by this one"
HEADS = ["before", "now", "more in %"]
DEPTHS = [5, 20, 60]
SIGNALS = 200000
STARTS = 300
ROUNDS, RUNS, SECONDS = 9, 8, 2
CLOCK, CPU = "timer", "cpu:1ms"
PROGRAMS = {"lua": work.lua, "sqlite": work.sqlite, "gzip": work.gzip}


def build(bench, commit):
    """The library of that commit."""
    command = ["git", "-C", bench.root, "rev-parse", "--short", f"{commit}^{{commit}}"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    if found.returncode != 0:
        raise Failure(f"no commit {commit}: {found.stderr.strip()}")
    commit = found.stdout.strip()
    tree = os.path.join(bench.build, "bench", f"before.{commit}")
    library = os.path.join(tree, "build", "libcpsample.so")
    if os.path.exists(library):
        return library
    bench.progress(f"{NAME}: build {commit}")
    os.makedirs(tree, exist_ok=True)
    command = ["git", "-C", bench.root, "archive", commit]
    archive = subprocess.run(command, capture_output=True, check=False)
    if archive.returncode != 0:
        raise Failure(f"git archive {commit}: {archive.stderr.decode().strip()}")
    subprocess.run(["tar", "-x", "-C", tree], input=archive.stdout, check=True)
    make = ["make", "-s", "-C", tree, "BUILD=build", "build/libcpsample.so"]
    made = subprocess.run(make, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise Failure(f"make {commit}: {made.stderr.strip()[-300:]}")
    return library


def settings(library, out, resources):
    """The same clock for both, whatever is the default."""
    settings = {"LD_PRELOAD": library, "CPSAMPLE_OUTPUT": out, "CPSAMPLE_RESOURCES": resources}
    return {**settings, "CPSAMPLE_CLOCK": CLOCK, "CPSAMPLE_KERNEL_TICKS": "on"}


def in_pairs(before, now, unit):
    """Cells of two columns of measured values, round by round."""
    base = stat(before).median
    more = stat([100 * (b - a) / base for a, b in zip(before, now)])
    cells = [f"{number(stat(values).median)} {unit}" for values in (before, now)]
    return [*cells, grid.spread(more)]


def line(case, before, now, unit):
    values = {"before": before, "now": now}
    return grid.Line(TITLE, UNIT, HEADS, case, in_pairs(before, now, unit), measured=values)


def of_samples(bench, libraries, depth):
    bench.progress(f"{NAME}: a sample, {depth} frames")
    signals, out = bench.size(SIGNALS, 2000), bench.runner.path("before.cps")

    def once(library):
        env = settings(library, out, "signals") if library else {"RECURSE_HANDLER": "empty"}

        def raised():
            bench.plain.remove(out)
            return sample.raise_signals(bench, depth, signals, "inner", env)

        return raised

    cases = {name: once(library) for name, library in {"": None, **libraries}.items()}
    results = in_turns(bench.size(ROUNDS, 1), cases)
    above = {name: [a - b for a, b in zip(results[name], results[""])] for name in libraries}
    return line(f"a sample, {depth} frames", above["before"], above["now"], "us")


def of_starts(bench, libraries):
    bench.progress(f"{NAME}: start-up")
    out = bench.runner.path("before.cps")

    def once(library):
        env = settings(library, out, CPU) if library else {}
        return lambda: must(bench.runner.run(["/bin/true"], env), "true").cpu * 1000

    cases = {name: once(library) for name, library in {"": None, **libraries}.items()}
    results = in_turns(bench.size(STARTS, 3), cases)
    base = stat(results[""]).median
    above = {name: [value - base for value in results[name]] for name in libraries}
    return line("start-up", above["before"], above["now"], "ms")


def of_runs(bench, libraries, name, program):
    bench.progress(f"{NAME}: {name}")
    argv = program(bench, bench.size(SECONDS, 0.05))
    used = {each: [] for each in libraries}
    for turn in range(bench.size(RUNS, 1)):
        names = list(libraries)[:: 1 if turn % 2 else -1]
        outs = [bench.runner.path(f"before.{each}.cps") for each in names]
        for out in outs:
            bench.plain.remove(out)
        commands = [(argv, settings(libraries[n], out, CPU)) for n, out in zip(names, outs)]
        for each, run in zip(names, bench.runner.beside(commands)):
            used[each].append(run.cpu)
    return line(name, used["before"], used["now"], "s")


def run(bench):
    if not bench.before:
        return []
    libraries = {"before": build(bench, bench.before), "now": bench.library}
    rows = [of_samples(bench, libraries, depth) for depth in DEPTHS]
    rows.append(of_starts(bench, libraries))
    rows += [of_runs(bench, libraries, name, each) for name, each in PROGRAMS.items()]
    bench.note(
        TITLE,
        f"before: {bench.before}. Medians; more: the median of the differences within rounds, with its "
        "standard error. a sample: us of CPU above an empty handler, with one to seven new inner "
        "frames. start-up: of /bin/true, above a bare one. The other lines are whole runs, both "
        f"at the same time on one processor. The clock is {CLOCK}, with {CPU}.",
    )
    return rows
