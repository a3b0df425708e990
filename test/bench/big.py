# SPDX-License-Identifier: MIT
"""Big streams to folded stacks: time per sample, and memory."""

import os
import random
import shutil
import subprocess

import work
from measure import Failure, in_turns, must, stat
from table import Peer, Row

NAME = "big"
TITLE = "big streams to folded stacks"
MEMORY = "memory of big streams"
UNIT = "ns of CPU per sample"
AT_MOST = 100  # 10 million samples per second and core

# Folds what perf script writes: a line per frame, innermost first, an empty line after each sample.
FOLD = r"""
/^$/ { if (s != "") n[s]++; s = ""; next }
/^[ \t]/ {
	sub(/^[ \t]*[0-9a-f]+ /, ""); sub(/\+0x[0-9a-f]+ .*| \(.*/, "")
	s = s == "" ? $0 : $0 ";" s
}
END { for (s in n) print s, n[s] }
"""
SUM = r"""{ n = $NF; sub(/ [0-9]+$/, ""); c[$0] += n } END { for (s in c) print s, c[s] }"""


def synthetic(bench, sizes):
    """Streams that the recorder's own objects write, one per core at a time: name -> (path,
    samples)."""
    made, waiting = {}, []
    try:
        for name, samples, paths, *more in sizes:
            stem = bench.runner.path(name.replace(" ", "."))
            made[name] = (f"{stem}.cps", samples)
            command = [bench.tool("streams"), stem, str(samples), str(paths), *more]
            waiting.append(subprocess.Popen(command))
            if len(waiting) == (os.cpu_count() or 1):
                finish(waiting)
        finish(waiting)
    finally:
        for process in waiting:
            process.kill()
    return made


def finish(processes):
    while processes:
        if processes[0].wait() != 0:
            raise Failure("streams: failed")
        processes.pop(0)


def short(n):
    return f"{n / 1e6:.3g} M" if n >= 1000000 else f"{n / 1000:.3g} k"


def sizes(bench):
    free = shutil.disk_usage(bench.runner.directory).free
    for kind, n, paths, *more in [
        *(("repeat", n, 1000) for n in bench.size([10**6, 10**7, 10**8], [10000, 50000, 100000])),
        *(("jumps", n, 1000, "0", "jumps") for n in bench.size([10**7], [100000])),
        *(("distinct", n, n // 10) for n in bench.size([10**6, 10**7], [200000])),
    ]:
        name = f"{kind} {short(n)}"
        if free < 100 * n:
            bench.remark(f"no room on the disk for {name}")
        else:
            yield name, n, paths, *more


def fold(bench, case, paths, samples, pipes, at_most, rounds=5):
    """Rows of time and of memory: ours on these files, beside shell pipelines (name -> (command,
    samples))."""

    def once(name, argv):
        return lambda: must(bench.runner.run(argv, output=bench.runner.path("folded")), name)

    bench.progress(f"{NAME}: {case}")
    cases = {"ours": once(case, [bench.cpconv, "--folded", *paths])}
    bash = ["bash", "-o", "pipefail", "-c"]
    cases.update({name: once(name, [*bash, command]) for name, (command, _) in pipes.items()})
    results = in_turns(bench.size(rounds, 1), cases, budget=40)
    each = stat([run.cpu * 1e9 / samples for run in results["ours"]])
    wall = stat([run.wall for run in results["ours"]]).median
    peers, theirs = [], []
    for name, (_, n) in pipes.items():
        peers.append(Peer(name, stat([run.cpu * 1e9 / n for run in results[name]])))
        theirs.append(Peer(name, stat([run.rss / 2**20 for run in results[name]])))
    size = sum(map(os.path.getsize, paths))
    note = f"{short(samples)} in {wall:.2f} s, {size / samples:.1f} B each"
    return [
        Row(TITLE, case, UNIT, each, peers, at_most, note=note),
        Row(MEMORY, case, "MB", stat([run.rss / 2**20 for run in results["ours"]]), theirs),
    ]


def recursion(bench):
    """A million signals, in the recursion of the first figure."""
    out, signals = bench.runner.path("recursion.cps"), bench.size(1000000, 10000)
    env = {"LD_PRELOAD": bench.library, "CPSAMPLE_RESOURCES": "signals", "CPSAMPLE_OUTPUT": out}
    must(bench.runner.run([bench.tool("recurse"), "60", str(signals), "inner"], env), "recurse")
    return out, bench.ours.samples(out, None)


def text_lines(bench, folded):
    """A million lines of folded stacks, one per sample, as they come out of a file of sums."""
    with open(folded, encoding="utf-8") as file:
        pairs = [line.rstrip("\n").rsplit(" ", 1) for line in file]
    lines = bench.size(1000000, 10000)
    path, weights = bench.runner.path("lines.folded"), [int(weight) for _, weight in pairs]
    chosen = random.Random(1).choices([stack for stack, _ in pairs], weights, k=lines)
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{stack} 1\n" for stack in chosen)
    return path, lines


def of_cc1(bench):
    rate = bench.size(10000, 1000)
    ours = work.recording(bench, bench.ours, rate)
    pipes = {}
    for peer in bench.peers("perf -g"):
        theirs = work.recording(bench, peer, rate)
        pipes["perf | awk"] = (f"perf script -i '{theirs.path}' | awk '{FOLD}'", theirs.samples)
    yield from fold(bench, f"cc1 at {rate:,}/s", [ours.path], ours.samples, pipes, AT_MOST, 3)
    many = work.copies(ours.path, 10)
    yield from fold(bench, "cc1, 10 files", many, 10 * ours.samples, {}, AT_MOST)
    for name in many:
        os.unlink(name)


def run(bench):
    rows = []
    bench.progress(f"{NAME}: streams are made")
    for name, (path, samples) in synthetic(bench, list(sizes(bench))).items():
        limit = AT_MOST if name.startswith("repeat") else None
        rows += fold(bench, name, [path], samples, {}, limit)
        if name == f"repeat {short(bench.size(1000000, 10000))}":
            text, lines = text_lines(bench, bench.runner.path("folded"))
        os.unlink(path)
    path, samples = recursion(bench)
    rows += fold(bench, "recursion", [path], samples, {}, AT_MOST)
    rows += of_cc1(bench)
    pipes = {
        "awk": (f"awk '{SUM}' '{text}'", lines),
        "sort | uniq": (f"sort '{text}' | uniq -c", lines),
    }
    rows += fold(bench, "lines of text", [text], lines, pipes, None)
    rows.sort(key=lambda row: row.figure == MEMORY)
    bench.note(
        TITLE,
        "repeat: 1,000 call paths of 10 to 60 frames in the C library, some much more frequent than "
        "others; two in a row mostly differ in their inner frames. jumps: the same paths, in no "
        "order. distinct: a tenth as many paths as samples, in no order. All are written by the "
        "recorder's own code. recursion: a million signals at a depth of 60.",
    )
    bench.note(
        TITLE,
        "100 ns per sample are 10 million samples per second and core. perf | awk: perf script of "
        "perf's recording (-g) of the same run, folded by an awk program. lines of text: a million "
        "folded stacks, one on each line.",
    )
    bench.note(MEMORY, "The most at any time; of a pipeline, that of the largest process.")
    return rows
