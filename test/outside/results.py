# SPDX-License-Identifier: MIT
"""Results of runs: kept in files, compared, and made into a table."""

import collections
import json
import os
import re

RUNS = 5  # of a test, bare and with a clock, at most
BARE = "bare"
CLOCKS = ("strata", "timer", "perf", "itimer")


def file_name(test):
    """A test's name as that of a folder."""
    return re.sub(r"[^A-Za-z0-9._-]", lambda m: "%%%02x" % ord(m.group()), test)


def test_name(file):
    return re.sub(r"%([0-9a-f]{2})", lambda m: chr(int(m.group(1), 16)), file)


class Store:
    """The results below a folder: SUITE/TEST/KIND.N.json, where KIND is bare or a clock."""

    def __init__(self, folder, library):
        self.folder, self.library = folder, library

    def path(self, suite, test, kind, number, ending="json"):
        return os.path.join(self.folder, suite, file_name(test), "%s.%d.%s" % (kind, number, ending))

    def get(self, suite, test, kind, number):
        """What put was given, or None, also if it was recorded by another library."""
        try:
            with open(self.path(suite, test, kind, number)) as file:
                result = json.load(file)
        except (OSError, ValueError):
            return None
        return result if kind == BARE or result["library"] == self.library else None

    def put(self, suite, test, kind, number, result):
        path = self.path(suite, test, kind, number)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        result["library"] = None if kind == BARE else self.library
        with open(path + ".new", "w") as file:
            json.dump(result, file, indent=0, sort_keys=True)
        os.replace(path + ".new", path)

    def series(self, suite, test, kind):
        """The runs 1, 2 ... that are there."""
        runs = []
        while len(runs) < RUNS and (result := self.get(suite, test, kind, len(runs) + 1)):
            runs.append(result)
        return runs

    def suites(self):
        return sorted(os.listdir(self.folder)) if os.path.isdir(self.folder) else []

    def tests(self, suite):
        return sorted(map(test_name, os.listdir(os.path.join(self.folder, suite))))

    def kinds(self, suite, test):
        names = os.listdir(os.path.join(self.folder, suite, file_name(test)))
        return {n.rsplit(".", 2)[0] for n in names if n.endswith(".json")} - {BARE}


# What a test came to with one clock: verdict is None as long as another run is needed. parts are lines on the
# parts that were not the same.
Verdict = collections.namedtuple("Verdict", "verdict parts")


def is_violent(name, outcome):
    """Whether a test hung or was ended by a signal. That is never chance if it does not happen bare."""
    return name == "(exit)" and (outcome == "stopped" or outcome.isdigit() and int(outcome) > 128)


def judge(bare, recorded):
    """The verdict on a test, from its runs with and without the recorder."""
    if not bare or not recorded:
        return Verdict(None, [])
    if recorded[0]["outcomes"] == bare[0]["outcomes"]:
        return Verdict("same", [])
    names = sorted({name for r in bare + recorded for name in r["outcomes"]})
    worst, lines = 0, []
    for name in names:
        usual = [r["outcomes"].get(name, "absent") for r in bare]
        got = [r["outcomes"].get(name, "absent") for r in recorded]
        worst = max(worst, sum(1 + is_violent(name, o) for o in got if o not in usual))
        if set(usual + got) != {usual[0]}:
            lines.append("%s: %s -> %s" % (name, ", ".join(usual), ", ".join(got)))
    runs = min(len(bare), len(recorded))
    if worst > 1:
        return Verdict("differs", lines)
    if worst == 0 and runs >= 3:
        return Verdict("flaky", lines)
    return Verdict("unsteady" if runs >= RUNS else None, lines)


# ---- the table -----------------------------------------------------------------------------------
def count(numbers):
    """N same, and how many were not."""
    return ", ".join("%d %s" % (numbers[v], v) for v in ("same", "flaky", "unsteady", "differs") if numbers[v]) or "-"


def table(store, prepared):
    """Lines of Markdown: a row for each suite, then the tests that were not simply the same."""
    clocks, rows, notes = [], [], []
    for suite in store.suites():
        numbers = collections.defaultdict(collections.Counter)
        tests = parts = well = recordings = samples = 0
        for test in store.tests(suite):
            bare = store.series(suite, test, BARE)
            if not bare:
                continue
            judged = False
            for clock in sorted(store.kinds(suite, test)):
                recorded = store.series(suite, test, clock)
                verdict = judge(bare, recorded)
                if not verdict.verdict:
                    continue
                judged = True
                numbers[clock][verdict.verdict] += 1
                recordings += sum(r["recordings"] for r in recorded)
                samples += sum(r["samples"] for r in recorded)
                if verdict.verdict != "same":
                    shown = "; ".join(verdict.parts[:3]) + (" ..." if len(verdict.parts) > 3 else "")
                    notes.append("- %s, %s, %s: %s. %s" % (suite, test, clock, verdict.verdict, shown))
            if judged:
                tests += 1
                parts += len(bare[0]["outcomes"]) - 2
                well += bare[0]["outcomes"]["(exit)"] == "0"
        if tests:
            clocks += [c for c in numbers if c not in clocks]
            rows.append((prepared(suite), tests, parts, well, numbers, recordings, samples))
    clocks.sort(key=lambda c: (CLOCKS.index(re.split("[@+]", c)[0]), c))
    yield "| suite | tests | their parts | exit 0 bare | %s | recordings | samples |" % " | ".join(clocks)
    yield "|---|---|---|---|%s---|---|" % ("---|" * len(clocks))
    for name, tests, parts, well, numbers, recordings, samples in rows:
        cells = [count(numbers[c]) for c in clocks]
        yield "| %s | %d | %d | %d | %s | %d | %d |" % (name, tests, parts, well, " | ".join(cells), recordings, samples)
    if notes:
        yield ""
        yield from notes
