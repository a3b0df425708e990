# SPDX-License-Identifier: MIT
"""Measures us and our peers on the same work.

bench.py [--quick] [--write] [--before COMMIT] [--figure NAME]...

Called by scripts/bench. The table goes to standard output, and with JSON and Markdown of it to
BUILD/bench; with --write also into the page of doc/ that has it. Exit status 1: a figure could not
be measured.
"""

import argparse
import datetime
import gzip
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import attached
import before
import big
import calls
import conversion
import events
import idle
import many
import others
import overhead
import pages
import peers
import runs
import sample
import served
import size
import sizes
import startup
import table
import truth
from measure import Failure, Runner

FIGURES = [sample, overhead, size, startup, conversion, big, many, truth]
FIGURES += [events, others, idle, sizes, served, runs, before]  # the group `resources`
FIGURES += [pages, calls, attached]
PAGES = {
    "table.md": "doc/performance.md",
    "accuracy.md": "doc/accuracy.md",
    "resources.md": "doc/resources.md",
    "html.md": "doc/html.md",
    "calls.md": "doc/performance.md",
    "attached.md": "doc/performance.md",
}
BEGIN, END = "<!-- build/bench/", "<!-- end of the table -->"


class Bench:
    """What all figures share."""

    def __init__(self, root, build, directory, is_quick):
        self.root, self.build, self.is_quick = root, build, is_quick
        self.library = os.path.join(build, "libcpsample.so")
        self.cpconv = os.path.join(build, "cpconv")
        self.runner = Runner(self.tool("spend"), directory)
        self.plain, self.ours = peers.Plain(self), peers.Ours(self)
        self.notes, self.remarks, self.known, self.recordings = {}, [], {}, {}
        self.resources = {}  # that can be recorded here (here.py)
        self.before = None  # the commit of the recorder that ours is compared with
        self.begin = time.monotonic()
        commit = first_line("git", "-C", root, "rev-parse", "--short", "HEAD")
        self.version = f"{first_line(self.cpconv, '--version')} {commit}".strip()

    def tool(self, name):
        return os.path.join(self.build, "bench", name)

    def work(self, name):
        """The path of a workload that the live tests use, too."""
        return os.path.join(self.root, "test", "work", name)

    def size(self, full, quick):
        return quick if self.is_quick else full

    def peer(self, name):
        """The peer of that name, or None if it cannot be run here."""
        if name not in self.known:
            peer = next(p for p in peers.ALL if p.name == name)(self)
            why = peer.missing()
            if why:
                self.remark(why)
            self.known[name] = None if why else peer
        return self.known[name]

    def peers(self, *names):
        return [peer for peer in map(self.peer, names) if peer]

    def progress(self, what):
        print(f"[{time.monotonic() - self.begin:5.0f} s] {what}", file=sys.stderr, flush=True)

    def note(self, title, words):
        if words not in self.notes.setdefault(title, []):
            self.notes[title].append(words)

    def remark(self, words):
        """A note on the machine."""
        if words not in self.remarks:
            self.remarks.append(words)


def first_line(*argv):
    try:
        ran = subprocess.run(argv, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return (ran.stdout or ran.stderr).strip().split("\n")[0]


def version_of(package):
    if not shutil.which("dpkg-query"):
        return ""
    return first_line("dpkg-query", "-W", "-f=${Version}", package)


def lines_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().splitlines()
    except OSError:
        return []


def value_of(lines, key):
    found = (line.split(":", 1)[1].strip() for line in lines if line.startswith(key))
    return next(found, "unknown")


def ticks_per_second():
    """CONFIG_HZ, as far as it can be found out."""
    lines = lines_of(f"/boot/config-{platform.release()}")
    if os.path.exists("/proc/config.gz"):
        with gzip.open("/proc/config.gz", "rt") as file:
            lines = file.read().splitlines()
    return next((line.split("=")[1] for line in lines if line.startswith("CONFIG_HZ=")), "unknown")


def hardware_counters():
    """Whether perf events can count the cycles of the processor here."""
    counted = first_line("perf", "stat", "-x,", "-e", "cycles", "true")
    if not counted:
        return "unknown"
    return "no" if "<not" in counted else "yes"


def machine(bench, load):
    memory = int(value_of(lines_of("/proc/meminfo"), "MemTotal").split()[0]) / 2**20
    versions = {
        "gperftools": version_of("google-perftools"),
        "perf": version_of("linux-perf"),
        "gprofng": version_of("binutils"),
        "lua": version_of("lua5.4"),
        "sqlite3": version_of("sqlite3"),
        "heaptrack": version_of("heaptrack"),
        "strace": version_of("strace"),
        "redis": version_of("redis-tools"),
        "gcc": first_line("gcc", "-dumpfullversion"),
    }
    model = value_of(lines_of("/proc/cpuinfo"), "model name")
    minutes = (time.monotonic() - bench.begin) / 60
    quick = ", --quick: no figures to go by" if bench.is_quick else ""
    facts = {
        "date": f"{datetime.datetime.now():%Y-%m-%d %H:%M}, in {minutes:.0f} min{quick}",
        "processor": f"{model}, {os.cpu_count()} cores, {memory:.0f} GB of memory",
        "kernel": f"{platform.system()} {platform.release()}, {ticks_per_second()} ticks a second, "
        f"hardware counters: {hardware_counters()} (perf is to use cpu-clock in any case)",
        "load": f"{load:.2f} at the beginning, {os.getloadavg()[0]:.2f} at the end",
        "ours": bench.version,
        "peers": ", ".join(f"{name} {version}" for name, version in versions.items() if version),
    }
    if bench.remarks:
        facts["but"] = "; ".join(bench.remarks)
    return facts


def measure(bench, figures, load):
    """The table as text, and what could not be measured. Files are written after each figure."""
    rows, failures, shown = [], [], ""
    for figure in figures:
        try:
            rows += figure.run(bench)
        except Exception as why:  # the other figures are worth having
            failures.append(f"{figure.NAME}: {type(why).__name__}: {why}")
            print(f"bench: {failures[-1]}", file=sys.stderr)
        facts = machine(bench, load)
        if failures:
            facts["FAILED"] = "; ".join(failures)
        shown = write(bench, facts, rows)
    return shown, failures


def write(bench, facts, rows):
    shown = table.as_text(facts, rows, bench.notes)
    found = table.as_json(facts, rows, bench.notes, bench.is_quick)
    files = {"bench.txt": shown, "bench.json": json.dumps(found, indent=1) + "\n"}
    for page in PAGES:
        some = [row for row in rows if row.page == page]
        if some:
            files[page] = table.as_markdown(facts, some, bench.notes)
    for name, content in files.items():
        with open(os.path.join(bench.build, "bench", name), "w", encoding="utf-8") as file:
            file.write(content)
    return shown


def put(bench, figures):
    """Puts the tables into the pages of doc/ whose figures have all been measured."""
    for page, path in PAGES.items():
        needed = [f for f in FIGURES if getattr(f, "PAGE", table.Row.page) == page]
        if not set(needed) <= set(figures):
            continue
        with open(os.path.join(bench.build, "bench", page), encoding="utf-8") as file:
            measured = file.read()
        path = os.path.join(bench.root, path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        begin = text.index("\n", text.index(BEGIN + page)) + 1
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{text[:begin]}\n{measured}\n{text[text.index(END, begin):]}")


def names_of(figure):
    """What a figure is called: by its own name, and by that of the group that it belongs to."""
    return [name for name in (getattr(figure, "GROUP", None), figure.NAME) if name]


def main():
    names = list(dict.fromkeys(name for figure in FIGURES for name in names_of(figure)))
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description="Us and other profilers on the same work."
    )
    parser.add_argument("--quick", action="store_true", help="all once, small: does it run?")
    parser.add_argument("--write", action="store_true", help="put the tables into doc/, too")
    parser.add_argument("--before", metavar="COMMIT", help="compare `cpu` with the recorder of then")
    parser.add_argument("--figure", action="append", choices=names, help="this one; repeatable")
    options = parser.parse_args()
    if options.quick and options.write:
        parser.error("figures of --quick are none to be written down")
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    build = os.path.abspath(os.environ.get("BUILD") or os.path.join(root, "build"))
    load = os.getloadavg()[0]
    for name in list(os.environ):
        if name.startswith(("CPSAMPLE_", "CPUPROFILE")) or name == "LD_PRELOAD":
            del os.environ[name]
    os.environ["LC_ALL"] = "C"
    with tempfile.TemporaryDirectory(prefix="work.", dir=os.path.join(build, "bench")) as directory:
        bench = Bench(root, build, directory, options.quick)
        bench.before = options.before
        asked = set(options.figure or names)
        wanted = [figure for figure in FIGURES if asked.intersection(names_of(figure))]
        try:
            shown, failures = measure(bench, wanted, load)
        finally:
            bench.runner.stop()
        if options.write and not failures:
            put(bench, wanted)
        print(shown, end="")
    return 1 if failures else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
