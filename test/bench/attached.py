# SPDX-License-Identifier: MIT
"""What it costs a program that it is attached to, by us and by perf record -p (pieces.c)."""

import os
import resource
import subprocess
import time

import grid
from measure import Failure, stat

NAME, PAGE = "attached", "attached.md"
TITLE = "a program that is attached to"
UNIT = "CPU time of a piece of work"
HEADS = ["ms", "beyond bare", "beside it", "file"]
BARE = "bare"
TURNS, SECONDS = 7, 4
SETTLES = 0.5  # seconds of a turn that do not count: the tool begins


class Line(grid.Line):
    page = PAGE


def ways(bench, pid, out):
    """name -> command; all take a sample every 4 ms of CPU time."""
    ours = [os.path.join(bench.root, "scripts", "cpsample"), "--library", bench.library, "-q", "-p", pid]
    perf = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "250", "-p", pid, "-o", out]
    return {
        BARE: [],
        "cpsample -p PID -r cpu:4ms": [*ours, "-r", "cpu:4ms", "-o", out],
        "cpsample -p PID --outside": [*ours, "--outside", "-o", out],
        "perf record -g -p PID": [*perf, "-g"],
        "perf record --call-graph dwarf -p PID": [*perf, "--call-graph", "dwarf"],
    }


def children_cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def turn(command, seconds, out):
    """Let the tool record for so long. Returns from when to when the pieces count, what it used, its file's size."""
    before, size = children_cpu(), 0
    if not command:
        time.sleep(SETTLES)
        begin = time.monotonic_ns()
        time.sleep(seconds - SETTLES)
        return begin, time.monotonic_ns(), 0.0, 0
    tool = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    give_up = time.monotonic() + 60
    while not os.path.exists(out) and tool.poll() is None and time.monotonic() < give_up:
        time.sleep(0.01)
    time.sleep(SETTLES)
    begin = time.monotonic_ns()
    time.sleep(seconds - SETTLES)
    end = time.monotonic_ns()
    tool.send_signal(2)
    said = tool.communicate(timeout=120)[1].decode(errors="replace").strip()
    if not os.path.exists(out):
        raise Failure(f"{' '.join(command)}: {said or 'no file'}")
    size = os.path.getsize(out)
    os.unlink(out)
    return begin, end, children_cpu() - before, size


def pieces_between(pieces, begin, end):
    """CPU time in ms of those that began and ended within."""
    return [used / 1e6 for at, used in pieces if at <= end and at - used >= begin]


def read_pieces(path):
    with open(path, encoding="ascii") as file:
        words = [line.split() for line in file]
    return [(int(w[0]), int(w[1])) for w in words if len(w) == 2 and w[1].isdigit()]


def all_turns(bench, program, out):
    found = {}
    for number in range(bench.size(TURNS, 1)):
        commands = list(ways(bench, str(program.pid), out).items())
        shift = number % len(commands)
        for name, command in commands[shift:] + commands[:shift]:
            done = turn(command, bench.size(SECONDS, 1.5), out)
            found.setdefault(name, []).append(done)
    return found


def rows_of(found, pieces):
    """Each turn is compared with the bare one of the same round."""
    medians = {}
    for name, turns in found.items():
        each = [pieces_between(pieces, begin, end) for begin, end, _, _ in turns]
        if not all(each):
            raise Failure(f"{name}: a turn has no whole piece")
        medians[name] = [stat(ms).median for ms in each]
    for name, turns in found.items():
        ratios = [(a / b - 1) * 100 for a, b in zip(medians[name], medians[BARE])]
        beyond = stat(ratios)
        cells = [f"{stat(medians[name]).median:.3f}", "", "", ""]
        if name != BARE:
            cells[1] = f"{beyond.median:+.2f} % ({beyond.low:+.2f} to {beyond.high:+.2f})"
            cells[2] = f"{stat([1000 * t[2] for t in turns]).median:.0f} ms"
            cells[3] = f"{stat([t[3] for t in turns]).median / 1000:.1f} KB"
        yield Line(TITLE, UNIT, HEADS, name, cells, measured={"ms": medians[name], "percent": ratios})


def run(bench):
    bench.progress(NAME)
    out, told = bench.runner.path("attached.cps"), bench.runner.path("pieces")
    with open(told, "wb") as file:
        program = subprocess.Popen([bench.tool("pieces")], stdout=file)
    try:
        found = all_turns(bench, program, out)
    finally:
        program.kill()
        program.wait()
    rows = list(rows_of(found, read_pieces(told)))
    bench.note(
        TITLE,
        f"One process, which calls itself {30} frames deep, is recorded in turns of {bench.size(SECONDS, 1.5)} s, {bench.size(TURNS, 1)} "
        "rounds, whose order changes. ms: CPU time of a piece of work, the median of the medians of all turns. beyond bare: against the bare "
        "turn of the same round, with quartiles. beside it: CPU time of the tool in a turn, with beginning and ending; file: what it has written.",
    )
    return rows
