# SPDX-License-Identifier: MIT
"""Runs programs and says what they used; medians of several runs, taken in turns."""

import ctypes
import os
import resource
import signal
import statistics
import struct
import subprocess
import time
from dataclasses import dataclass


class Failure(Exception):
    """Something could not be measured; the text says why."""


# Programs that are compared side by side share a processor in slices of this length, where the kernel
# allows it to be set (Linux 6.12 and later; it is 4 ms before). A program with a perf event pays more
# for each switch, so the length matters.
SLICE_NS = 20_000_000
SYS_SCHED_SETATTR = 314  # x86-64


def ask_for_slices():
    """Sets the slice of time in which the calling process and its children run."""
    nice = os.getpriority(os.PRIO_PROCESS, 0)
    attr = struct.pack("=IIQiIQQQII", 56, 0, 0, nice, 0, SLICE_NS, 0, 0, 0, 0)
    ctypes.CDLL(None).syscall(SYS_SCHED_SETATTR, 0, attr, 0)


@dataclass
class Run:
    """What one run of a program used, with all its processes: seconds and bytes."""

    wall: float
    user: float
    system: float
    rss: int
    status: int
    output: str = ""
    errors: str = ""

    @property
    def cpu(self):
        return self.user + self.system

    @property
    def was_stopped(self):
        return os.WIFSIGNALED(self.status) and os.WTERMSIG(self.status) == signal.SIGKILL


@dataclass
class Stat:
    """The median of some values, and their quartiles."""

    median: float
    low: float
    high: float
    n: int
    is_least: bool = False  # measuring was given up: it is at least this much

    @property
    def error(self):
        """The standard error of the median, if what varies is like a normal distribution."""
        return 1.2533 * (self.high - self.low) / 1.349 / self.n**0.5


def stat(values, is_least=False):
    values = sorted(values)
    if not values:
        raise Failure("nothing was measured")
    if len(values) == 1:
        return Stat(values[0], values[0], values[0], 1, is_least)
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return Stat(statistics.median(values), low, high, len(values), is_least)


class Runner:
    """Runs programs below `spend` (spend.c), in a directory for what they leave."""

    def __init__(self, spend, directory):
        self.spend = spend
        self.directory = directory
        self.current = []  # processes

    def path(self, name):
        return os.path.join(self.directory, name)

    def command(self, result, argv, env=(), limit=None):
        """The command that runs argv and leaves what it has used in the file `result`."""
        limit = ["-t", str(limit)] if limit else []
        settings = [word for name, value in dict(env).items() for word in ("-e", f"{name}={value}")]
        return [self.spend, *limit, *settings, result, *argv]

    def run(
        self, argv, env=(), limit=900, output=None, descriptors=None, stdin=None, processors=None
    ):
        """Run a program; its output goes to a file, or is in the answer if `output` is True."""
        out = self.path("out") if output is True else output or self.path("output")
        started = self.start("spent", argv, env, limit, out, descriptors, stdin, processors)
        return self.finish(started, out if output is True else None)

    def beside(self, commands):
        """Run (argv, env) of each at the same time on one processor, which they take turns on every
        few milliseconds: what makes one slower makes the others slower, too."""
        one = {max(os.sched_getaffinity(0))}
        started = []
        try:
            for i, (argv, env) in enumerate(commands):
                output = self.path(f"output.{i}")
                started.append(self.start(f"spent.{i}", argv, env, 900, output, processors=one))
            return [self.finish(each) for each in started]
        finally:
            self.stop()

    # The output is a file, because writing to /dev/null costs nothing.
    def start(self, name, argv, env, limit, out, descriptors=None, stdin=None, processors=None):
        def limits():
            if descriptors:
                resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))
            if processors:
                os.sched_setaffinity(0, processors)
                ask_for_slices()

        result, err = self.path(name), self.path(f"{name}.err")
        with open(out, "wb") as stdout, open(err, "wb") as stderr, open(
            stdin or os.devnull, "rb"
        ) as source:
            process = subprocess.Popen(
                self.command(result, argv, env, limit),
                stdin=source,
                stdout=stdout,
                stderr=stderr,
                cwd=self.directory,
                preexec_fn=limits if descriptors or processors else None,
            )
        self.current.append(process)
        return process, argv[0], result, err

    def finish(self, started, out=None):
        process, name, result, err = started
        process.wait()
        self.current.remove(process)
        errors = text(err)
        if process.returncode != 0 or "cannot be preloaded" in errors:
            raise Failure(f"{name}: {errors.strip()[-300:]}")
        return spent(result, text(out) if out else "", errors)

    def stop(self):
        """End the programs that are running, if any."""
        while self.current:
            process = self.current.pop()
            if process.poll() is None:
                process.terminate()
                process.wait()


def text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def spent(path, output="", errors=""):
    """Reads the result that `spend` has written."""
    wall, user, system, kib, status = map(int, text(path).split())
    return Run(wall / 1e9, user / 1e6, system / 1e6, kib * 1024, status, output, errors)


def must(run, what):
    """Returns the run; raises Failure if it did not succeed."""
    if run.status != 0:
        raise Failure(f"{what}: status {run.status}: {run.errors.strip()[-300:]}")
    return run


def in_turns(rounds, cases, budget=None):
    """Call each of the cases (name -> function) in every round, each round beginning with another
    one: name -> list of results. After `budget` seconds no further round begins."""
    names = list(cases)
    results = {name: [] for name in names}
    end = time.monotonic() + budget if budget else None
    for i in range(rounds):
        if i and end and time.monotonic() > end:
            break
        for k in range(len(names)):
            name = names[(i + k) % len(names)]
            results[name].append(cases[name]())
    return results


def drop_caches():
    """Drops what the kernel has cached of files. False: it is not permitted."""
    try:
        os.sync()
        with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
            file.write("3\n")
        return True
    except OSError:
        return False
