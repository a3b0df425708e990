# SPDX-License-Identifier: MIT
"""What the recorder counts on this machine, and what a recording says that it has counted."""

import os
import subprocess
from dataclasses import dataclass

from measure import Failure

# Whatever an ordinary user may record without asking anybody.
UNPRIVILEGED = ["cpu", "real", "alloc", "allocs", "alloc-live", "faults", "read", "write", "lock"]
UNPRIVILEGED += ["switches"]


@dataclass
class Count:
    samples: int
    credited: int


def settings(bench, resources, out, clock=None):
    """The environment that records these resources into `out`."""
    env = {
        "LD_PRELOAD": bench.library,
        "CPSAMPLE_RESOURCES": resources,
        "CPSAMPLE_OUTPUT": out,
    }
    return {**env, "CPSAMPLE_CLOCK": clock, "CPSAMPLE_KERNEL_TICKS": "on"} if clock else env


def resources(bench):
    """Name -> why it cannot be counted here, or an empty text."""
    if not bench.resources:
        launcher = os.path.join(bench.root, "scripts", "cpsample")
        command = [launcher, "--library", bench.library, "--list-resources"]
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
        lines = [line.split(None, 4) for line in ran.stdout.splitlines()[1:]]
        bench.resources = {
            words[0].split(":")[0]: words[4] if len(words) > 4 and words[4].startswith("no:") else ""
            for words in lines
            if words
        }
    return bench.resources


def missing(bench, names):
    """Why these cannot all be counted here, or None."""
    known = resources(bench)
    for name in names:
        if name not in known:
            return f"{name} is not here"
        if known[name]:
            return known[name]
    return None


def everything(bench):
    """All that an ordinary user may record, as far as it is here."""
    return ",".join(name for name in UNPRIVILEGED if not missing(bench, [name]))


def counts(bench, out):
    """Name of a resource -> what the recording has of it."""
    command = [bench.cpconv, "--info", "--tsv", out]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise Failure(f"cpconv --info: {ran.stderr.strip()[-300:]}")
    found, first = {}, {}
    for words in (line.split("\t") for line in ran.stdout.splitlines()):
        if words[0] == "counts":
            found[words[1].split(":")[0]] = Count(int(words[5]), int(words[6]))
        elif len(words) == 2:
            first[words[0]] = words[1]
    return found or {first["resource"]: Count(int(first["samples"]), int(first["credited"]))}


def samples(found):
    """Samples of a recording, each once: some are shared by two resources."""
    shared = {"cpu": "real", "alloc-live": "alloc"}
    return sum(each.samples for name, each in found.items() if shared.get(name) not in found)
