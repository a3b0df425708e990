# SPDX-License-Identifier: MIT
"""Whether shares are true: programs that say what they have used, recorded by us and by others.

A program is run on one processor, which is its own, and as many programs at the same time as there are
processors. Each of its questions is the share of a function; the answer is what the profile shows, the
truth is what the program has counted in the same run.
"""

import os
import queue
import threading
from dataclasses import dataclass

import credited
import witness
from measure import Runner, must
from verdict import PAGE, Share, remarks

NAME = "truth"
TITLE = "credited shares"
RATE = 1000
ROUNDS = 3
MS = 2000  # of CPU time
NOTES = [
    "Medians of three runs; worst: the one that is farthest from the truth. s.e.: standard error, "
    "sqrt(p (1 - p) / n), where p is the true share, and n the number of samples; if their weights w "
    "differ, n is (sum of w)^2 / (sum of w^2). deviation: by how many standard errors the credited "
    "share is too large.",
    "Each profiler is asked for 1,000 samples a second. Of runs that are right 0.3 % are beyond three.",
]


@dataclass
class Program:
    name: str
    command: list  # $tool stands for a program of the bench, @word for what command_of() knows
    questions: list  # (kind, function)
    binary: str = ""  # what google-pprof is to look into, if that is not the command


PROGRAMS = [
    Program(
        "shares",
        ["$shares", "@s", "@seed"],
        [("self", "seventy"), ("self", "ten"), ("total", "left")],
    ),
    Program("threads, long", ["$truth", "threads", "@ms"], [("total", "forty")]),
    Program("threads, short", ["$phase", "threads", "@threads"], [("total", "first")]),
    *(
        Program(f"phase {us / 1000:g} ms", ["$phase", "wall", str(us), "@s"], [("total", "first")])
        for us in (1000, 1200, 4000, 5000, 8000)
    ),
    Program("sleeps 0.2 ms", ["$phase", "sleep", "@s"], [("total", "first")]),
    Program("sleeps to 8 ms", ["$truth", "slots", "@ms"], [("total", "one")]),
    Program("script", ["/bin/sh", "@script", "$truth"], [("total", "one")], "truth"),
    Program("deep recursion", ["$truth", "deep", "@ms"], [("total", "deep_left")]),
    Program("mutual rec.", ["$truth", "mutual", "@ms"], [("self", "even")]),
    Program(
        "handlers",
        ["$truth", "handlers", "@ms"],
        [("total", "on_signal"), ("total", "raise_left")],
    ),
    Program(
        "dlopen",
        ["$load", "@ms", "$plugin_left.so", "$plugin_right.so"],
        [("total", "plugin_left")],
    ),
    Program("generated", ["$generate", "@ms"], [("total", "jit_left")]),
]
QUICK = ["shares", "phase 4 ms", "script"]

# Each child is a program of its own that burns 3 ms or 1 ms. In the end the shell says what it used.
SCRIPT = """i=0
while [ $i -lt {} ]; do
	"$1" child one 3
	"$1" child two 1
	"$1" child two 1
	i=$((i + 1))
done
read -r used rest </proc/$$/schedstat
echo "process $used"
"""


def script(bench):
    path = bench.runner.path("children.sh")
    with open(path, "w", encoding="utf-8") as file:
        file.write(SCRIPT.format(bench.size(MS, 300) // 8))
    return path


def command_of(bench, program, turn):
    ms = bench.size(MS, 400)
    words = {
        "@s": str(max(1, ms // 1000)),
        "@ms": str(ms),
        "@threads": str(ms * 3 // 10),
        "@seed": str(2 * turn + 1),
        "@script": bench.runner.path("children.sh"),
    }
    return [
        bench.tool(word[1:]) if word[0] == "$" else words.get(word, word)
        for word in program.command
    ]


@dataclass
class Truth:
    """What a program printed: nanoseconds, or units of work, by (kind, function)."""

    used: dict
    all: float

    def share(self, question):
        return self.used[question] / self.all


def truth_of(output):
    used, everything, files = {}, 0.0, []
    for words in map(str.split, output.splitlines()):
        if len(words) == 2 and words[0] == "process":
            everything += float(words[1])
        elif len(words) == 2 and words[0] == "file":
            files.append(words[1])
        elif len(words) in (2, 3):  # a name alone is that of the function with all that it calls
            key = (words[0], words[1]) if len(words) == 3 else ("total", words[0])
            used[key] = used.get(key, 0.0) + float(words[-1])
    return Truth(used, everything), files


class Lane(threading.Thread):
    """Runs what it takes from the queue on a processor of its own, and appends what it found."""

    def __init__(self, bench, processor, jobs, found):
        super().__init__(daemon=True)
        self.bench, self.processor, self.jobs, self.found = bench, processor, jobs, found
        directory = bench.runner.path(f"lane.{processor}")
        os.makedirs(directory, exist_ok=True)
        self.runner = Runner(bench.tool("spend"), directory)
        self.why = None

    def run(self):
        os.sched_setaffinity(0, {self.processor})  # of this thread, and of what it starts
        try:
            while True:
                self.once(*self.jobs.get_nowait())
        except queue.Empty:
            pass
        except Exception as why:  # told by the thread that waits
            self.why = why
        finally:
            self.runner.stop()

    def once(self, program, recorder, turn):
        out = self.runner.path("recording")
        argv = command_of(self.bench, program, turn)
        argv, env = recorder.wrap(argv, out, RATE)
        files = []
        try:
            run = must(self.runner.run(argv, env, output=True), f"{program.name}, {recorder.name}")
            truth, files = truth_of(run.output)
            binary = self.bench.tool(program.binary or program.command[0][1:])
            profile = recorder.profile(out, binary)
            profile.missing = recorder.missing_share(profile, run)
            self.found.append((program, recorder.name, truth, profile))
        finally:
            recorder.remove(out)
            for name in files:
                os.unlink(name)


def measure(bench, programs):
    """(program, name of the recorder, truth, profile) of all runs."""
    jobs, found = queue.Queue(), []
    recorders = witness.all_of(bench)
    for turn in range(bench.size(ROUNDS, 1)):
        for program in programs:
            for k in range(len(recorders)):
                jobs.put((program, recorders[(turn + k) % len(recorders)], turn))
    n = jobs.qsize()
    lanes = [Lane(bench, cpu, jobs, found) for cpu in sorted(os.sched_getaffinity(0))]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        while lane.is_alive():
            lane.join(15)
            bench.progress(f"{NAME}: {len(found)} of {n} runs")
        if lane.why:
            raise lane.why
    return found, [recorder.name for recorder in recorders]


def shares_of(found, program, name):
    """A line of the table per question."""
    runs = [(truth, profile) for p, who, truth, profile in found if p is program and who == name]
    return [Share(program.name, question, name, runs) for question in program.questions]


def run(bench):
    programs = [p for p in PROGRAMS if not bench.is_quick or p.name in QUICK]
    script(bench)
    default = witness.default_clock(bench)
    found, names = measure(bench, programs)
    rows = {}
    for program in programs:
        for name in names:
            for row in shares_of(found, program, name):
                rows.setdefault(row.case, []).append(row)
    rows = [row for some in rows.values() for row in some]
    for words in NOTES:
        bench.note(TITLE, words)
    bench.note(TITLE, f"The clock that is the default is {default} here.")
    for words in remarks(rows):
        bench.note(TITLE, words)
    return rows + credited.run(bench)
