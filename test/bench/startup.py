# SPDX-License-Identifier: MIT
"""Start-up: what a profiler adds to a program that does nothing."""

from measure import in_turns, must, stat
from table import Peer, Row

NAME = "startup"
TITLE = "start-up"
UNIT = "ms above /bin/true alone"


def run(bench):
    bench.progress(NAME)
    peers = [p for p in [bench.peer("gperftools")] if p]

    def case(recorder):
        out = bench.runner.path(f"start.{recorder.name}")
        argv, env = recorder.wrap(["/bin/true"], out, 1000)
        return lambda: must(bench.runner.run(argv, env), recorder.name)

    cases = {r.name: case(r) for r in [bench.plain, bench.ours, *peers]}
    default = {"LD_PRELOAD": bench.library, "CPSAMPLE_OUTPUT": bench.runner.path("start.default")}
    cases["default"] = lambda: must(bench.runner.run(["/bin/true"], default), "start")
    in_turns(bench.size(3, 1), cases)  # warm up
    results = in_turns(bench.size(500, 5), cases)

    def above(name, what):
        pairs = zip(results[name], results["none"])
        return stat([(getattr(a, what) - getattr(b, what)) * 1000 for a, b in pairs])

    rows = [
        Row(
            TITLE,
            case,
            UNIT,
            above(name, what),
            [Peer(p.name, above(p.name, what)) for p in peers],
            at_most=limit,
        )
        for case, name, what, limit in [
            ("real time", "default", "wall", 0.5),
            ("CPU time", "default", "cpu", None),
            ("real, perf clock", "cpsample", "wall", 0.5),
        ]
    ]
    bare = stat([r.wall * 1000 for r in results["none"]])
    bench.note(TITLE, f"/bin/true alone takes {bare.median:.2f} ms of real time.")
    return rows
