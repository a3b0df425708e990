# SPDX-License-Identifier: MIT
"""Conversion: from a recording to folded stacks and to a picture, names included."""

import os

import work
from measure import Failure, drop_caches, in_turns, must, stat
from table import Peer, Row

NAME = "conversion"
TITLE = "conversion"
UNIT = "s of real time"
SLOW = "perf dwarf"


def limit(bench):
    """Seconds for one command."""
    return bench.size(150, 2)


def command(bench, argv, is_cold):
    """Runs argv, which has to write something."""
    out = bench.runner.path("converted")

    def once():
        if is_cold:
            drop_caches()
        run = bench.runner.run(argv, limit=limit(bench), output=out)
        if not run.was_stopped and not os.path.getsize(out):
            raise Failure(f"{' '.join(argv)}: no output: {run.errors[-300:]}")
        return run if run.was_stopped else must(run, argv[0])

    return once


def compare(bench, case, ours, theirs, is_cold, goals=None):
    """ours: (command, recording); theirs: name -> such a pair."""
    bench.progress(f"{NAME}: {case}")
    pairs = {"ours": ours, **theirs}
    cases = {name: command(bench, argv, is_cold) for name, (argv, _) in pairs.items()}
    slow = cases.pop(SLOW, None)
    if not is_cold:
        in_turns(1, cases)
    results = in_turns(bench.size(7, 1), cases, budget=30)
    if slow:
        results[SLOW] = [slow()]

    def seconds(name):
        runs = results[name]
        return stat([r.wall for r in runs], any(r.was_stopped for r in runs))

    def note(name):
        return f"CPU {stat([r.cpu for r in results[name]]).median:.2f} s"

    peers = [Peer(name, seconds(name), note(name)) for name in theirs]
    return Row(TITLE, case, UNIT, seconds("ours"), peers, None, goals or {}, note("ours"))


def against_google(bench, google):
    ours, theirs = work.recording(bench, bench.ours, 250), work.recording(bench, google, 250)
    heats = ["cold", "warm"] if drop_caches() else ["warm"]
    if len(heats) == 1:
        bench.note(TITLE, "Cold could not be measured: only root may drop the page cache.")
    bench.note(
        TITLE,
        f"folded, dot: recordings of the same run of cc1 at 250/s, {ours.samples:,} samples of "
        f"cpsample, {theirs.samples:,} of gperftools. cold: nothing of the disk is in memory.",
    )
    for view, word in (("--folded", "--collapsed"), ("--dot", "--dot")):
        for heat in heats[: bench.size(2, 1)]:
            pair = ["google-pprof", word, work.compiler(), theirs.path], theirs
            yield compare(
                bench,
                f"{view[2:]}, {heat}",
                ([bench.cpconv, view, ours.path], ours),
                {"google-pprof": pair},
                heat == "cold",
                {"google-pprof": 10},
            )


def against_perf(bench):
    ours, scripts = work.recording(bench, bench.ours, 1000), {}
    for peer in bench.peers("perf -g", "perf dwarf"):
        theirs = work.recording(bench, peer, 1000)
        scripts[peer.name] = ["perf", "script", "-i", theirs.path], theirs
        if peer.name == SLOW:
            scripts["no-inline"] = ["perf", "script", "--no-inline", "-i", theirs.path], theirs
    counts = ", ".join(f"{name} {recording.samples:,}" for name, (_, recording) in scripts.items())
    if scripts:
        bench.note(
            TITLE,
            "folded, 1,000/s: warm, compared with perf script, which does not fold what it writes. "
            f"Samples: cpsample {ours.samples:,}, {counts}. perf dwarf is run once, "
            f"{limit(bench)} s at most, because it asks addr2line for inlined functions; with "
            "no-inline it does not.",
        )
    yield compare(
        bench, "folded, 1,000/s", ([bench.cpconv, "--folded", ours.path], ours), scripts, False
    )


def run(bench):
    rows, google = [], bench.peer("gperftools")
    if google:
        rows += against_google(bench, google)
    rows += against_perf(bench)
    return rows
