# SPDX-License-Identifier: MIT
"""Runs programs and says what they used; medians of several runs, taken in turns."""

import os
import resource
import signal
import statistics
import subprocess
import time
from dataclasses import dataclass


class Failure(Exception):
    """Something could not be measured; the text says why."""


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
        self.current = None

    def path(self, name):
        return os.path.join(self.directory, name)

    def command(self, result, argv, env=(), limit=None):
        """The command that runs argv and leaves what it has used in the file `result`."""
        limit = ["-t", str(limit)] if limit else []
        settings = [word for name, value in dict(env).items() for word in ("-e", f"{name}={value}")]
        return [self.spend, *limit, *settings, result, *argv]

    def run(self, argv, env=(), limit=900, output=None, descriptors=None, stdin=None):
        """Run a program; its output goes to a file, or is in the answer if `output` is True."""
        result, out, err = self.path("spent"), self.path("out"), self.path("err")

        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

        # Not /dev/null: who writes there writes nothing.
        with open(out if output is True else output or self.path("output"), "wb") as stdout, open(
            err, "wb"
        ) as stderr, open(stdin or os.devnull, "rb") as source:
            self.current = subprocess.Popen(
                self.command(result, argv, env, limit),
                stdin=source,
                stdout=stdout,
                stderr=stderr,
                cwd=self.directory,
                preexec_fn=few if descriptors else None,
            )
            self.current.wait()
        errors = text(err)
        if self.current.returncode != 0 or "cannot be preloaded" in errors:
            raise Failure(f"{argv[0]}: {errors.strip()[-300:]}")
        return spent(result, text(out) if output is True else "", errors)


    def stop(self):
        """End the program that is running, if any."""
        if self.current and self.current.poll() is None:
            self.current.terminate()
            self.current.wait()


def text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def spent(path, output="", errors=""):
    """What `spend` has written."""
    wall, user, system, kib, status = map(int, text(path).split())
    return Run(wall / 1e9, user / 1e6, system / 1e6, kib * 1024, status, output, errors)


def must(run, what):
    """The run, which has to have succeeded."""
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
    """Forget what was read from disk. False: it is not permitted."""
    try:
        os.sync()
        with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as file:
            file.write("3\n")
        return True
    except OSError:
        return False
