# SPDX-License-Identifier: MIT
"""What a recording says of functions: the profilers of the figure `truth`, each with its own tools."""

import glob
import os
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field

import peers
from measure import Failure

NOT_SAMPLED = "[not sampled]"


@dataclass
class Profile:
    """Weights by the name of the function, and by how many samples of equal weight they are known."""

    all: float = 0.0
    samples: float = 0.0  # of equal weight
    missing: float = 0.0  # the share of the CPU time that it does not show, as far as that is known
    recording: float = 0.0  # what recording took, which is credited to nothing
    own: dict = field(default_factory=lambda: defaultdict(float))  # while it was running itself
    total: dict = field(default_factory=lambda: defaultdict(float))  # and all that it had called

    def share(self, kind, name):
        return (self.own if kind == "self" else self.total).get(name, 0.0) / self.all

    @property
    def not_sampled(self):
        return self.own.get(NOT_SAMPLED, 0.0) / self.all


def ran(argv, what):
    done = subprocess.run(argv, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise Failure(f"{what}: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout


class Witness:
    """What the others share."""

    def missing_share(self, profile, run):
        return 0.0


class Ours(Witness, peers.Ours):
    """One of our clocks. `out` is a directory, with a recording of each process."""

    def __init__(self, bench, clock):
        super().__init__(bench)
        self.name = clock

    def wrap(self, argv, out, rate):
        os.makedirs(out, exist_ok=True)
        return argv, {
            "LD_PRELOAD": self.bench.library,
            "CPSAMPLE_CLOCK": self.name,
            "CPSAMPLE_KERNEL_TICKS": "on",  # without it perf is refused
            "CPSAMPLE_RESOURCES": f"cpu:{1000000 // rate}us",
            "CPSAMPLE_DIR": out,
        }

    def missing_share(self, profile, run):
        return max(0.0, 1 - (profile.all + profile.recording) / 1e9 / run.cpu)

    def files(self, out):
        found = sorted(glob.glob(os.path.join(glob.escape(out), "*.cps")))
        if not found:
            raise Failure(f"{self.name}: no recording")
        return found

    def engine(self, out):
        return self.info(self.files(out)[0])["engine"]

    def profile(self, out, program):
        found, files = Profile(), self.files(out)
        for line in ran([self.bench.cpconv, "--flat", "--tsv", *files], "cpconv").splitlines():
            own, total, _, _, name = line.split("\t")
            found.own[name] += float(own)
            found.total[name] += float(total)
        found.all = sum(found.own.values())
        info = ran([self.bench.cpconv, "--info", "--tsv", *files], "cpconv --info")
        found.recording = sum(map(float, re.findall(r"^own_ns\t(\d+)$", info, re.M)))
        _, weight, squares = map(float, ran([self.bench.tool("weights"), *files], "weights").split())
        found.samples = weight**2 / squares if squares else 0.0
        return found


class Perf(Witness, peers.Perf):
    """perf record -g; the samples are read by perf script."""

    def profile(self, out, program):
        show = ["perf", "script", "--no-inline", "-F", "comm,period,ip,sym", "-i", out]
        found, squares = Profile(), 0.0
        for sample in ran(show, "perf script").split("\n\n"):
            lines = sample.strip("\n").splitlines()
            if not lines or lines[0].startswith("perf"):  # before it becomes the program
                continue
            weight = float(lines[0].split()[-1].rstrip(":"))
            names = [line.split(None, 1)[1] for line in lines[1:] if len(line.split()) > 1]
            found.all += weight
            squares += weight**2
            if names:
                found.own[names[0]] += weight
            for name in set(names):
                found.total[name] += weight
        found.samples = found.all**2 / squares if squares else 0.0
        return found


class Gperftools(Witness, peers.Gperftools):
    """libprofiler, read by google-pprof. Children have a file each, whose name ends in their id."""

    LINE = re.compile(r"\s*(\d+)\s+[\d.]+%\s+[\d.]+%\s+(\d+)\s+[\d.]+%\s+(\S.*)")

    def profile(self, out, program):
        named = glob.glob(glob.escape(out) + "*")
        files = [name for name in named if os.path.getsize(name) and any(self.stacks(name))]
        found = Profile()
        if not files:
            return found
        show = ["google-pprof", "--text", "--nodecount=100000", "--nodefraction=0", program, *files]
        for line in ran(show, "google-pprof").splitlines():
            if match := self.LINE.match(line):
                found.own[match[3]] += float(match[1])
                found.total[match[3]] += float(match[2])
        found.all = found.samples = float(sum(self.samples(name, None) for name in files))
        return found

    def remove(self, out):
        for name in glob.glob(glob.escape(out) + "*"):
            os.unlink(name)


CLOCKS = ["timer", "strata", "perf", "itimer"]


def default_clock(bench):
    """The clock that a newcomer gets here."""
    out = bench.runner.path("default")
    os.makedirs(out)
    settings = {"LD_PRELOAD": bench.library, "CPSAMPLE_DIR": out}
    bench.runner.run([bench.tool("phase"), "wall", "1000", "1"], settings)
    ours = Ours(bench, "default")
    try:
        return ours.engine(out)
    finally:
        ours.remove(out)


def all_of(bench):
    """Our clocks, and the peers that can be run here, for a runner of one thread."""
    known = [Perf(bench), Gperftools(bench)]
    return [Ours(bench, clock) for clock in CLOCKS] + [p for p in known if bench.peer(p.name)]
