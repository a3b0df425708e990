# SPDX-License-Identifier: MIT
"""Runs the suites of this folder for scripts/outside, which explains what it does."""

import argparse
import collections
import concurrent.futures
import fcntl
import fnmatch
import hashlib
import os
import queue
import shutil
import signal
import subprocess
import sys
import threading
import time

from results import BARE, CLOCKS, RUNS, Store, judge, table

ALL = "+all"
LIMIT = 1800  # seconds for a bare run
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
FOLDER = os.path.dirname(os.path.abspath(__file__))
Choice = collections.namedtuple("Choice", "suite patterns")


class Failure(Exception):
    """One line for the user."""


def resources(interval, is_all):
    """CPSAMPLE_RESOURCES: cpu alone, or all that needs no permission."""
    if not is_all:
        return "cpu" + (":" + interval if interval else "")
    with open(os.path.join(FOLDER, "../everything")) as file:
        names = file.read().strip()
    return names.replace("cpu:1ms", "cpu:" + interval) if interval else names


def arguments(argv, text):
    parser = argparse.ArgumentParser(add_help=False, usage="scripts/outside --help")
    for flag in ("--short", "--resume", "--again", "--prepare", "--list", "--table"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("--clocks", default=" ".join(CLOCKS))
    parser.add_argument("--part", default="1/1")
    parser.add_argument("-j", dest="jobs", type=int, default=1)
    parser.add_argument("-d", dest="work")
    parser.add_argument("--port", type=int, default=21000)
    parser.add_argument("suites", nargs="*")
    options = parser.parse_args(argv)
    if options.help:
        print(text.strip())
        sys.exit(0)
    options.clocks = options.clocks.split()
    for clock in options.clocks:
        if clock.removesuffix(ALL).split("@")[0] not in CLOCKS:
            parser.error("no clock %s: there are %s" % (clock, ", ".join(CLOCKS)))
    try:
        first, every = map(int, options.part.split("/"))
        options.part = slice(first - 1, None, every) if 1 <= first <= every else None
    except ValueError:
        options.part = None
    if not options.part or options.jobs < 1:
        parser.error("--part takes I/N with I from 1 to N, -j at least 1")
    known = sorted(n for n in os.listdir(FOLDER) if "." not in n and os.path.isfile(os.path.join(FOLDER, n)))
    chosen = collections.OrderedDict()
    for word in options.suites or [n for n in known if not options.short or has_short(n)]:
        suite, _, pattern = word.partition(":")
        if suite not in known:
            parser.error("no suite %s: there are %s" % (suite, ", ".join(known)))
        chosen.setdefault(suite, []).append(pattern or "*")
    options.suites = [Choice(s, p) for s, p in chosen.items()]
    return options


def lock(work):
    """Two runs in one folder would remove each other's files. Returns what holds the lock."""
    file = open(os.path.join(work, "lock"), "w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise Failure("%s is used by another run; choose another folder with -d" % work) from None
    return file


def has_short(suite):
    with open(os.path.join(FOLDER, suite)) as script:
        return "\nshort() {\n" in script.read()


def copy_of(path, work, keep):
    """A copy of a built file: a build meanwhile must not change what is compared."""
    copy = os.path.join(work, os.path.basename(path))
    if not (keep and os.path.exists(copy)):
        if not os.path.exists(path):
            raise Failure("no %s: make" % path)
        shutil.copy(path, copy + ".new")
        os.replace(copy + ".new", copy)
    return copy


class Suites:
    """The suites' scripts, and the folders in which they prepare their tests."""

    def __init__(self, options):
        self.options = options

    def folder(self, suite):
        return os.path.join(self.options.work, suite)

    def prepared(self, suite):
        """What prepare said: name and version. Only the name if it is not prepared."""
        try:
            with open(os.path.join(self.folder(suite), "prepared")) as file:
                return file.read().strip()
        except OSError:
            return suite

    def call(self, suite, *words, show=False):
        os.makedirs(self.folder(suite), exist_ok=True)
        environment = dict(os.environ, OUTSIDE_JOBS=str(os.cpu_count()), OUTSIDE_DIR=self.folder(suite))
        for name in [n for n in environment if n.startswith(("CPSAMPLE_", "MAKE", "LD_PRELOAD", "CC"))]:
            del environment[name]
        command = [os.path.join(FOLDER, suite), *words]
        done = subprocess.run(command, cwd=self.folder(suite), env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True)
        if done.returncode:
            raise Failure("%s %s: failed" % (suite, words[0]))
        return done.stdout

    def prepare(self, suite):
        said = self.call(suite, "prepare").strip().splitlines()
        with open(os.path.join(self.folder(suite), "prepared"), "w") as file:
            print(said[-1] if said else suite, file=file)

    def tests(self, choice):
        names = self.call(choice.suite, "short" if self.options.short else "list").split()
        return [n for n in names if any(fnmatch.fnmatchcase(n, p) for p in choice.patterns)][self.options.part]


class Runner:
    """Runs tests. Each of several at a time has a slot: a folder and port numbers of its own."""

    def __init__(self, options, suites):
        self.options, self.suites = options, suites
        self.library = copy_of(os.path.join(options.build, "libcpsample.so"), options.work, options.resume or options.table)
        self.cpconv = copy_of(os.path.join(options.build, "cpconv"), options.work, options.resume or options.table)
        with open(self.library, "rb") as file:
            self.store = Store(os.path.join(options.work, "results"), hashlib.sha1(file.read()).hexdigest()[:12])
        self.slots = queue.Queue()
        for slot in range(options.jobs):
            self.slots.put(slot)
        self.running, self.stopped, self.lock = set(), False, threading.Lock()

    def stop(self):
        with self.lock:
            self.stopped = True
            for process in self.running:
                process.terminate()

    def contained(self, seconds, environment, log, where, command):
        """Run to the end, and return the exit status."""
        with open(log, "wb") as output:
            with self.lock:
                if self.stopped:
                    raise KeyboardInterrupt
                process = subprocess.Popen(
                    [sys.executable, "-B", os.path.join(FOLDER, "contain.py"), str(seconds), *command],
                    cwd=where, env=environment, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
                self.running.add(process)
            status = process.wait()
        with self.lock:
            self.running.discard(process)
            if self.stopped:
                raise KeyboardInterrupt
        return status

    def run_once(self, suite, test, kind, number, slot, seconds):
        base = os.path.join(self.options.work, "s", str(slot))
        remove(base)
        for name in ("work", "home", "tmp", "rec"):
            os.makedirs(os.path.join(base, name))
            os.chmod(os.path.join(base, name), 0o1777)
        result = os.path.join(base, "result")
        open(result, "w").close()
        os.chmod(result, 0o666)
        where = os.path.join(base, "work")
        environment = {
            "PATH": PATH, "HOME": os.path.join(base, "home"), "TMPDIR": os.path.join(base, "tmp"), "TERM": "dumb",
            "LANG": "C.UTF-8", "SHELL": "/bin/sh", "OUTSIDE_DIR": self.suites.folder(suite), "OUTSIDE_SCRATCH": where,
            "OUTSIDE_RESULT": result, "OUTSIDE_PORT": str(self.options.port + 100 * slot),
        }
        command = [os.path.join(FOLDER, suite), "run", test]
        if kind != BARE:
            clock, _, interval = kind.removesuffix(ALL).partition("@")
            command = ["env", "LD_PRELOAD=" + self.library, "CPSAMPLE_CLOCK=" + clock,
                       "CPSAMPLE_KERNEL_TICKS=" + ("on" if clock == "perf" else "off"),
                       "CPSAMPLE_RESOURCES=" + resources(interval, kind.endswith(ALL)),
                       "CPSAMPLE_OUTPUT=" + os.path.join(base, "rec", "%e.%p.cps")] + command
        log = self.store.path(suite, test, kind, number, "log")
        os.makedirs(os.path.dirname(log), exist_ok=True)
        begin = time.monotonic()
        status = self.contained(seconds, environment, log, where, command)
        took = time.monotonic() - begin
        if status == 124:
            keep_output(log, where)
        outcomes = outcomes_of(result)
        outcomes["(exit)"] = "stopped" if status == 124 else str(status)
        found = self.recordings(os.path.join(base, "rec"))
        outcomes["(recordings)"] = "%d unreadable" % found.pop("unreadable") if found["unreadable"] else "readable"
        found.pop("unreadable", None)
        self.store.put(suite, test, kind, number, dict(found, took=round(took, 2), outcomes=outcomes))
        remove(base)

    def recordings(self, folder):
        """What is in the recordings: how many, samples, and by which clocks they were made at the end."""
        files = sorted(os.path.join(folder, n) for n in os.listdir(folder) if n.endswith(".cps"))
        found = {"recordings": len(files), "unreadable": 0, "samples": 0, "clocks": collections.Counter()}
        for at in range(0, len(files), 200):
            some = files[at:at + 200]
            text = self.info(some)
            for one in [text] if text is not None else map(self.info, ([f] for f in some)):
                if one is None:
                    found["unreadable"] += 1
                    continue
                for line in one.splitlines():
                    key, _, value = line.partition("\t")
                    if key == "samples":
                        found["samples"] += int(value)
                    elif key == "engine":
                        found["clocks"][value] += 1
        return found

    def info(self, files):
        done = subprocess.run([self.cpconv, "--info", "--tsv", *files], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, errors="replace")
        return done.stdout if done.returncode == 0 else None

    def ensure(self, suite, test, kind, number, slot):
        """Make sure that there is this run's result."""
        if self.store.get(suite, test, kind, number):
            return
        seconds = LIMIT
        if kind != BARE:
            seconds = 120 + 10 * self.store.get(suite, test, BARE, 1)["took"]
        self.run_once(suite, test, kind, number, slot, seconds)

    def test(self, suite, test):
        """Run a test until it is judged with each clock: a list of clock and verdict."""
        slot = self.slots.get()
        try:
            if self.options.again:
                shutil.rmtree(os.path.dirname(self.store.path(suite, test, BARE, 1)), ignore_errors=True)
            verdicts = []
            for clock in self.options.clocks:
                for number in range(1, RUNS + 1):
                    self.ensure(suite, test, BARE, number, slot)
                    self.ensure(suite, test, clock, number, slot)
                    verdict = judge(self.store.series(suite, test, BARE)[:number],
                                    self.store.series(suite, test, clock)[:number])
                    if verdict.verdict:
                        break
                verdicts.append((clock, verdict))
            well = self.store.get(suite, test, BARE, 1)["outcomes"]["(exit)"] == "0"
            if well and all(v.verdict == "same" for _, v in verdicts):
                self.forget_logs(suite, test)
            return verdicts
        finally:
            self.slots.put(slot)

    def forget_logs(self, suite, test):
        folder = os.path.dirname(self.store.path(suite, test, BARE, 1))
        for name in os.listdir(folder):
            if name.endswith(".log"):
                os.remove(os.path.join(folder, name))


def remove(folder):
    """Also what a test has protected against that."""
    if os.path.isdir(folder):
        subprocess.run(["chmod", "-R", "u+rwx", folder], stderr=subprocess.DEVNULL)
        shutil.rmtree(folder, ignore_errors=True)


def keep_output(log, folder):
    """A suite prints its test's output at the end. If it did not come to that, it is still in its files."""
    with open(log, "ab") as all_output:
        for name in ("log", "out", "err"):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                with open(path, "rb") as output:
                    all_output.write(output.read()[-200000:])


def outcomes_of(file):
    """The parts in a result file. A part that comes twice is numbered."""
    outcomes = {}
    with open(file, errors="backslashreplace") as lines:
        for line in lines:
            part, _, outcome = line.rstrip("\n").partition("\t")
            name, times = part, 1
            while name in outcomes:
                times += 1
                name = "%s (%d)" % (part, times)
            outcomes[name] = outcome
    return outcomes


class Report:
    """Prints a line for each test, and counts."""

    def __init__(self, runner):
        self.runner = runner
        self.passed, self.failed, self.named = 0, 0, []

    def test(self, suite, test, verdicts):
        bare = self.runner.store.get(suite, test, BARE, 1)
        words = "  ".join("%s %s" % (clock, v.verdict) for clock, v in verdicts)
        print("  %-40s %5d parts %7.1f s  %s" % (suite + ":" + test, len(bare["outcomes"]) - 2, bare["took"], words))
        for clock, verdict in verdicts:
            self.failed += verdict.verdict == "differs"
            self.passed += verdict.verdict != "differs"
            if verdict.verdict != "same":
                self.named.append("%s:%s %s: %s" % (suite, test, clock, verdict.verdict))
                for line in verdict.parts[:10]:
                    print("    | %s %s" % (clock, line))
        sys.stdout.flush()

    def suite(self, suite, tests):
        """A suite that does nothing, or whose programs are not recorded, shows nothing."""
        bare = [self.runner.store.get(suite, t, BARE, 1) for t in tests]
        if tests and not any(r and r["outcomes"]["(exit)"] == "0" for r in bare):
            self.fail("%s: no test ends well bare" % suite)
        for clock in self.runner.options.clocks if tests else []:
            runs = [self.runner.store.get(suite, t, clock, 1) for t in tests]
            if not any(r and r["samples"] for r in runs):
                self.fail("%s: nothing was recorded with %s" % (suite, clock))

    def fail(self, line):
        self.failed += 1
        print(line)

    def end(self):
        if self.named:
            print("\nnot simply the same, output in %s:" % self.runner.store.folder)
            print("\n".join("  " + line for line in self.named))
        print("\n%d passed, %d failed" % (self.passed, self.failed), flush=True)
        return int(self.failed > 0 or not self.passed)


def write_table(runner):
    lines = list(table(runner.store, runner.suites.prepared))
    with open(os.path.join(runner.options.work, "table.md"), "w") as file:
        print("\n".join(lines), file=file)
    return lines


def run_suites(options, suites, runner):
    report = Report(runner)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        try:
            for choice in options.suites:
                try:
                    suites.prepare(choice.suite)
                    tests = suites.tests(choice)
                except Failure as failure:
                    report.fail("scripts/outside: " + str(failure))
                    continue
                print("== %s: %d tests" % (suites.prepared(choice.suite), len(tests)), flush=True)
                jobs = [(t, pool.submit(runner.test, choice.suite, t)) for t in tests]
                for test, job in jobs:
                    report.test(choice.suite, test, job.result())
                report.suite(choice.suite, tests)
        except KeyboardInterrupt:
            runner.stop()
            pool.shutdown(cancel_futures=True)
            print("\nscripts/outside: interrupted; what is done stays done", file=sys.stderr)
            return 130
        finally:
            write_table(runner)
    return report.end()


def interrupt(*_):
    raise KeyboardInterrupt


def main(top, text):
    options = arguments(sys.argv[1:], text)
    options.build = os.path.join(top, os.environ.get("BUILD", "build"))
    options.work = os.path.abspath(options.work or os.path.join(options.build, "outside"))
    os.makedirs(options.work, exist_ok=True)
    signal.signal(signal.SIGTERM, interrupt)
    suites = Suites(options)
    try:
        lock_file = None if options.table or options.list else lock(options.work)  # noqa: F841, held to the end
        if not options.list:
            runner = Runner(options, suites)
        if options.table:
            print("\n".join(write_table(runner)))
            return 0
        sets = ["outside-" + c.suite for c in options.suites]
        if subprocess.run([os.path.join(top, "scripts/deps"), *sets], stdout=sys.stderr).returncode:
            raise Failure("something is missing")
        if options.prepare or options.list:
            for choice in options.suites:
                suites.prepare(choice.suite)
                if options.list:
                    print("\n".join("%s:%s" % (choice.suite, t) for t in suites.tests(choice)))
            return 0
        return run_suites(options, suites, runner)
    except Failure as failure:
        print("scripts/outside: %s" % failure, file=sys.stderr)
        return 1
