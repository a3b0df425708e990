# SPDX-License-Identifier: MIT
"""Cost of a sample: recurse.c raises SIGPROF at the bottom of a recursion."""

from measure import Failure, in_turns, must, stat
from table import Peer, Row

NAME = "sample"
TITLE = "cost of a sample"
UNIT = "us of CPU above an empty handler"
DEPTHS = [5, 20, 60, 200, 5000]
AT_MOST = {5: 0.8, 20: 1.0, 60: 1.5, 5000: 25}
TWELFTH = (20, 60)
KINDS = {
    "same": "depth {}",
    "inner": "{}, inner new",
    "whole": "{}, all new",
}


def raise_signals(bench, depth, signals, kind, env):
    argv = [bench.tool("recurse"), str(depth), str(signals), kind]
    run = must(bench.runner.run(argv, env, output=True), "recurse")
    return float(run.output.split()[-1]) / 1000


def measure(bench, peer, depth, kind):
    signals = bench.size(20000 if depth > 1000 else 200000, 2000)
    few = bench.size(5000 if depth > 100 else 20000, 500)
    out, profile = bench.runner.path("sample.cps"), bench.runner.path("sample.prof")
    ours = {
        "LD_PRELOAD": bench.library,
        "CPSAMPLE_RESOURCES": "signals",
        "CPSAMPLE_OUTPUT": out,
    }
    theirs = {"LD_PRELOAD": "libprofiler.so.0", "CPUPROFILE": profile, "CPUPROFILE_FREQUENCY": "1"}

    def record():
        bench.plain.remove(out)
        return raise_signals(bench, depth, signals, kind, ours)

    cases = {
        "empty": lambda: raise_signals(bench, depth, signals, kind, {"RECURSE_HANDLER": "empty"}),
        "ours": record,
    }
    if peer:
        cases["peer"] = lambda: raise_signals(bench, depth, few, kind, theirs)
    results = in_turns(bench.size(9, 1), cases)
    taken = bench.ours.samples(out, None)
    if taken < signals:
        raise Failure(f"{taken} samples of {signals} signals")
    frames = max((n for _, n in peer.stacks(profile)), default=0) if peer else 0
    return (
        stat([a - b for a, b in zip(results["ours"], results["empty"])]),
        stat([a - b for a, b in zip(results["peer"], results["empty"])]) if peer else None,
        frames,
    )


def run(bench):
    peer = bench.peer("gperftools")
    rows = []
    for kind, case in KINDS.items():
        for depth in DEPTHS:
            bench.progress(f"{NAME}: {case.format(depth)}")
            ours, theirs, frames = measure(bench, peer, depth, kind)
            note = f"{frames} frames kept" if frames < depth else ""
            rows.append(
                Row(
                    TITLE,
                    case.format(f"{depth:,}"),
                    UNIT,
                    ours,
                    [Peer("gperftools", theirs, note)] if peer else [],
                    at_most=AT_MOST.get(depth) if kind == "same" else None,
                    at_least_times={"gperftools": 12}
                    if kind == "same" and depth in TWELFTH
                    else {},
                )
            )
    bench.note(
        TITLE,
        "depth: the stack is the same as at the previous sample. inner new: one to seven of the "
        "innermost frames have changed. all new: the recursion begins anew for each sample, from "
        "two places in turn.",
    )
    bench.note(
        TITLE,
        "200,000 signals (20,000 at 5,000 frames); for gperftools 20,000 (5,000 from 200 frames on). "
        "What the same signals cost with an empty handler, in the same round, is subtracted.",
    )
    return rows
