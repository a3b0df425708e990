# SPDX-License-Identifier: MIT
"""How we and the other profilers record a program, and what a recording of theirs holds."""

import os
import re
import shutil
import struct
import subprocess

from measure import Failure, must


class Plain:
    """No profiler."""

    name = "none"
    suffix = ""  # that its recordings must have

    def __init__(self, bench):
        self.bench = bench

    def missing(self):
        """Why it cannot be used here, or None."""
        return None

    def wrap(self, argv, out, rate):
        """The command and the environment that record argv into `out`."""
        return argv, {}

    def size(self, out):
        if os.path.isfile(out):
            return os.path.getsize(out)
        found = ((at, name) for at, _, names in os.walk(out) for name in names)
        return sum(os.path.getsize(os.path.join(*file)) for file in found)

    def samples(self, out, run):
        """How many samples the recording has; `run` made it."""
        return 0

    def remove(self, out):
        if os.path.isdir(out):
            shutil.rmtree(out)
        elif os.path.exists(out):
            os.unlink(out)


class Ours(Plain):
    name = "cpsample"

    def wrap(self, argv, out, rate):
        return argv, {
            "LD_PRELOAD": self.bench.library,
            "CPSAMPLE_CLOCK": "perf",
            "CPSAMPLE_KERNEL_TICKS": "on",
            "CPSAMPLE_RESOURCES": f"cpu:{1000000 // rate}us",
            "CPSAMPLE_OUTPUT": out,
        }

    def info(self, out):
        run = self.bench.runner.run([self.bench.cpconv, "--info", "--tsv", out], output=True)
        pairs = (line.split("\t") for line in must(run, "cpconv --info").output.splitlines())
        return {pair[0]: pair[1] for pair in pairs if len(pair) > 1}

    def samples(self, out, run):
        info = self.info(out)
        if info["engine"] in ("timer", "itimer"):
            self.bench.remark(f"our perf clock cannot be had here: {info['engine']} took its place")
        return int(info["samples"])


class OursByTimer(Ours):
    """Our clock timer, which uses the ticks of the kernel and causes no interrupts."""

    name = "our timer"

    def wrap(self, argv, out, rate):
        argv, settings = super().wrap(argv, out, rate)
        return argv, {**settings, "CPSAMPLE_CLOCK": "timer"}

    def samples(self, out, run):
        return int(self.info(out)["samples"])


class OursByDefault(Ours):
    """Our default clock, strata."""

    name = "strata"

    def wrap(self, argv, out, rate):
        argv, settings = super().wrap(argv, out, rate)
        ours = {name: settings[name] for name in settings if name != "CPSAMPLE_KERNEL_TICKS"}
        return argv, {**ours, "CPSAMPLE_CLOCK": self.name}

    def samples(self, out, run):
        return int(self.info(out)["samples"])


class Empty(Plain):
    """The ticks of our clock, with a handler that does nothing (tick.c)."""

    name = "empty handler"

    def wrap(self, argv, out, rate):
        settings = {"LD_PRELOAD": self.bench.tool("tick.so"), "TICK_US": str(1000000 // rate)}
        return argv, settings


class Interrupt(Empty):
    """The timer of the kernel at the same rate, without signals (tick.c)."""

    name = "interrupt alone"

    def wrap(self, argv, out, rate):
        argv, settings = super().wrap(argv, out, rate)
        return argv, {**settings, "TICK_SILENT": "1"}


class Gperftools(Plain):
    name = "gperftools"
    library = "libprofiler.so.0"

    def missing(self):
        command = ["/sbin/ldconfig", "-p"]
        listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        return None if self.library in listed else f"no {self.library} on this machine"

    def wrap(self, argv, out, rate):
        return argv, {
            "LD_PRELOAD": self.library,
            "CPUPROFILE": out,
            "CPUPROFILE_FREQUENCY": str(rate),
        }

    def stacks(self, out):
        """(count, number of frames) of each of its records."""
        with open(out, "rb") as file:
            data = file.read()
        words = struct.unpack(f"<{len(data) // 8}Q", data[: len(data) // 8 * 8])
        at = 2 + words[1]
        while at + 2 < len(words) and words[at] != 0:
            yield words[at], words[at + 1]
            at += 2 + words[at + 1]

    def samples(self, out, run):
        return sum(count for count, _ in self.stacks(out))


class Perf(Plain):
    """Uses the kernel's software clock, the only event that all machines have."""

    name = "perf -g"
    options = ["-g"]

    def missing(self):
        if not shutil.which("perf"):
            return "no perf on this machine"
        out = self.bench.runner.path("perf.try")
        try:
            must(self.bench.runner.run(self.wrap(["/bin/true"], out, 250)[0]), "perf record")
        except Failure as why:
            return f"perf record does not work here: {str(why).strip().splitlines()[-1]}"
        return None

    def wrap(self, argv, out, rate):
        record = ["perf", "record", "-e", "cpu-clock", *self.options, "-F", str(rate), "-o", out]
        return [*record, "--", *argv], {}

    def samples(self, out, run):
        found = re.search(r"\((\d+) samples\)", run.errors)
        return int(found[1]) if found else 0


class PerfDwarf(Perf):
    name = "perf dwarf"
    options = ["--call-graph", "dwarf"]


class Gprofng(Plain):
    name = "gprofng"
    suffix = ".er"

    def missing(self):
        return None if shutil.which("gprofng") else "no gprofng on this machine"

    def milliseconds(self, rate):
        return max(1000 / rate, 0.5)  # its own limit

    def wrap(self, argv, out, rate):
        argv = [shutil.which(argv[0]) or argv[0], *argv[1:]]
        interval = f"{self.milliseconds(rate):g}"
        return ["gprofng", "collect", "app", "-p", interval, "-F", "off", "-o", out, *argv], {}

    def samples(self, out, run):
        show = ["gprofng", "display", "text"]
        header = self.bench.runner.run([*show, "-header", out], output=True)
        interval = re.search(r"interval = (\d+) microsecs", header.output)
        if not interval:
            raise Failure(f"gprofng: {run.errors.strip()[-300:]} {header.output.strip()[-300:]}")
        functions = [*show, "-metrics", "e.totalcpu", "-functions", out]
        total = re.search(
            r"^\s*([\d.]+)\s.*<Total>", self.bench.runner.run(functions, output=True).output, re.M
        )
        return round(float(total[1]) * 1e6 / int(interval[1])) if total else 0


ALL = [Gperftools, Perf, PerfDwarf, Gprofng]
