# SPDX-License-Identifier: MIT
"""Many streams, merged: time for each, where only 64 files may be open at a time."""

import os
import subprocess

from measure import in_turns, must, stat
from table import Row

NAME = "many"
TITLE = "many streams merged"
UNIT = "us of CPU per recording"
LINEAR = 1.5  # times what each takes of the number before


def run(bench):
    rows = []
    numbers = bench.size([10, 100, 1000, 10000], [10, 50, 100])
    bench.progress(f"{NAME}: {numbers[-1]:,} recordings are made")
    stem = bench.runner.path("m")
    make = [bench.tool("streams"), stem, "100", "50", str(numbers[-1])]
    subprocess.run(make, check=True)
    for n in numbers:
        bench.progress(f"{NAME}: {n:,}")
        names = [f"m.{i}.cps" for i in range(n)]

        def merge():
            argv = [bench.cpconv, "--folded", *names]
            return must(bench.runner.run(argv, descriptors=64), "cpconv")

        results = in_turns(bench.size(9 if n < 10000 else 5, 1), {"ours": merge})["ours"]
        each = stat([run.cpu * 1e6 / n for run in results])
        wall = stat([run.wall for run in results]).median
        limit = float(f"{LINEAR * rows[-1].ours.median:.3g}") if rows else None
        note = f"{wall:.2f} s, {stat([run.rss for run in results]).median / 2**20:.0f} MB"
        rows.append(Row(TITLE, f"{n:,} recordings", UNIT, each, at_most=limit, note=note))
    for i in range(numbers[-1]):
        os.unlink(f"{stem}.{i}.cps")
    bench.note(
        TITLE,
        "Each has 100 samples of 50 call paths; no more than 64 files may be open at a time. The "
        f"goal is linear growth: each takes at most {LINEAR} times what it takes in the row above.",
    )
    return rows
