# SPDX-License-Identifier: MIT
"""filters.py - what is shown is what was asked for: all views with all filters.

filters.py CPCONV FUNCTION PID: of the recordings in the current directory, of which PID is a process that has FUNCTION
    and two threads worker-N. Each view is written with each filter as text, TSV and JSON. It is refused in one line with
    status 2, or the rows add up to what the heading says, and that is what --folded says of the same samples, which is
    added up in another way; by thread, too. No filter leaves a view as it is without having been refused.
"""
import json
import re
import subprocess
import sys
from collections import Counter, defaultdict

CPCONV, FUNCTION, PID = sys.argv[1:]

# What may leave a view as it is: (view, option). The rest of a row changes, or it is refused.
HOLDS = {
    ("cycles", "--unit"), ("cycles", "--top"), ("callpath", "--top"),  # they have one row here, or none
    ("average-time", "--top"), ("average-time", "--granularity"),
    ("processes", "--by"),  # process: each has a row
}
PARTS = (["--thread", "worker-1"], ["--to", "0.05"], ["--from", "0.03", "--to", "0.08"], ["--pid", PID])
AFTER = ["--from", "99"]  # the run was over (seen to fail: tables were empty, with status 0)
STACKS = (["--focus", FUNCTION], ["--ignore", FUNCTION], ["--focus", FUNCTION + ",by_malloc"],
          ["--focus", FUNCTION, "--hide", "^start"], ["--focus", "threads", "--granularity", "module"],
          ["--focus", "libc"], ["--ignore", "libc"], ["--focus", "threads.c"], ["--focus", "burn.h", "--ignore", "[vdso]"],
          ["--focus", FUNCTION, "--ignore", "clock_gettime", "--thread", "worker-1", "--from", "0.02", "--to", "0.1"])
SHAPES = (["--hide", FUNCTION], ["--hide", "threads.c,libc"], ["--collapse", "libc,[vdso]"], ["--by", "process"], ["--granularity", "module"],
          ["--unit", "samples"], ["--top", "1"], ["--root", FUNCTION])
OTHERS = (["--resource", "real", "--state", "running,wait", "--thread", "worker-2", "--to", "0.1"],
          ["--resource", "alloc", "--focus", "by_malloc"], ["--resource", "cpu,real"],
          ["--resource", "cpu,real", "--focus", FUNCTION, "--from", "0.03"])
JSON_ONLY = {"self_samples", "total_samples", "weight_samples"}
FILTERS = ([], AFTER) + PARTS + STACKS + SHAPES + OTHERS
problems = []
count = Counter()
no_tables = set()


def run(*arguments, text=True):
    r = subprocess.run([CPCONV, *arguments, "."], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    errors = [line for line in r.stderr.decode().splitlines() if not re.search(r": reading |: no function matches", line)]
    return r.returncode, r.stdout.decode() if text else r.stdout, errors


def processes_of(rows):
    """Without the row of what no process is known of."""
    return [row for row in rows if row["command"] != "not recorded"]


N_PROCESSES = len(processes_of(json.loads(run("--processes", "--json")[1])["rows"]))


def problem(*words):
    problems.append(" ".join(str(w) for w in words))


# ---- what the stacks say ------------------------------------------------------------------------

class Truth:
    """What --folded says of the samples that a filter keeps, of one resource."""

    def __init__(self, chosen):
        self.weights, self.hits = self.sums(chosen, "gticks"), self.sums(chosen, "samples")
        self.kept, self.samples = sum(self.weights.values()), sum(self.hits.values())

    @staticmethod
    def sums(chosen, unit):
        status, out, errors = run("--folded", "--unit", unit, "--by", "thread", *chosen)
        if status:
            sys.exit(f"--folded {chosen}: {errors}")
        threads = defaultdict(int)
        for line in out.splitlines():
            stack, weight = line.rsplit(" ", 1)
            threads[int(re.match(r".*?\(tid (\d+)\)(?:;|$)", stack).group(1))] += int(weight)
        return {tid: weight for tid, weight in threads.items() if weight}


def without(chosen, names):
    pairs = [chosen[i:i + 2] for i in range(0, len(chosen), 2)]
    return [word for pair in pairs if pair[0] not in names for word in pair]


truths = {}


def truth_of(chosen, whole):
    """Of what the filter keeps, or of all samples of that part of the run."""
    names = {"--unit", "--top", "--root", "--by"} | ({"--focus", "--ignore", "--hide", "--collapse", "--granularity"} if whole else set())
    key = tuple(without(chosen, names))
    if key not in truths:
        truths[key] = Truth(list(key))
    return truths[key]


# ---- tables ---------------------------------------------------------------------------------------

# By which key rows add up to what the filter has kept, and which rows. Of several resources each has a key.
SUMS = {
    "flat": ("self", lambda r: True),
    "bodies": ("self", lambda r: True),
    "tree": ("total", lambda r: r["depth"] == 0),
    "bottomup": ("weight", lambda r: r["depth"] == 0),
    "contexts": ("self", lambda r: r.get("row", "context") == "context"),
    "callgraph": ("self", lambda r: r["row"] == "func"),
    "processes": ("credited", lambda r: True),
    "threads": ("credited", lambda r: True),
}


def check_sum(where, view, rows, key, kept, is_rooted):
    if view not in SUMS or (key and view == "callgraph"):  # beside another resource it has totals alone
        return
    name, is_part = SUMS[view]
    value = sum(r[key or name] for r in rows if is_part(r))
    # With --root these have the callers of the function, and the calls at it.
    if value > kept if view in ("bottomup", "callgraph") and is_rooted else value != kept:
        problem(where, name, "adds up to", value, "kept are", kept)


def check_threads(where, view, rows, truth):
    if sum(r["samples"] for r in rows) != truth.samples:
        problem(where, "the samples are not", truth.samples)
    if view == "threads" and {r["tid"]: r["credited"] for r in rows if r["credited"]} != truth.weights:
        problem(where, "not what the threads have used:", rows, truth.weights)


def check_timeline(where, chosen, rows):
    """All resources have rows of all, and the first one has rows of threads."""
    first = None
    for resource in resources_of(chosen):
        truth = truth_of(["--resource", resource] + without(chosen, {"--resource"}), False)
        first = first or truth
        every = sum(r["credited"] for r in rows if r["row"] == "all" and r["resource"] == resource)
        if every != truth.kept:
            problem(where, every, "of", resource, "in the rows of all, kept are", truth.kept)
    threads = defaultdict(int)
    for r in rows:
        if r["row"] == "thread":
            threads[r["tid"]] += r["credited"]
    if "--top" not in chosen and dict(threads) != first.weights:
        problem(where, "threads:", dict(threads), "are", first.weights)


def check_tsv(where, document, rows, out):
    lines = [line.split("\t") for line in out.splitlines()]
    if len(lines) != len(rows):
        return problem(where, len(lines), "rows of TSV, of JSON", len(rows))
    for line, row in zip(lines, rows):
        values = [v for k, v in row.items() if document["view"] in ("source", "asm") or k not in JSON_ONLY]
        for field, value in zip(line, values):
            if isinstance(value, int) and str(value) != field:
                return problem(where, line, "is not", row)
    return None


def resources_of(chosen):
    return chosen[1].split(",") if chosen[:1] == ["--resource"] else ["cpu"]


def columns_of(document, chosen):
    """(key in rows, resource, total, kept) of each resource."""
    if document["view"] == "columns":
        return [(c["key"], c["resource"], c["total"], c["kept"]) for c in document["columns"]]
    return [("", resources_of(chosen)[0], document.get("total", -1), document.get("kept", -1))]


def check_column(where, view, chosen, rows, column):
    key, resource, total, kept = column
    only = ["--resource", resource] + without(chosen, {"--resource"})
    part, whole = truth_of(only, False), truth_of(only, True)
    is_samples = "--unit" in chosen
    want = part.samples if is_samples else part.kept
    if total != (whole.samples if is_samples else whole.kept):
        problem(where, "the total of", resource, "is", total, "not", whole.kept)
    # Below a root there is less.
    if kept > want if "--root" in chosen else kept != want:
        problem(where, "kept of", resource, "is", kept, "not", want)
    if "--top" in chosen:
        return
    check_sum(where, view, rows, key, kept, "--root" in chosen)
    if view in ("processes", "threads"):
        check_threads(where, view, rows, part)


def check_function(where, view, chosen, rows):
    """The lines and the instructions of a function add up to what it has itself. (Seen to fail: without what one line has itself.)"""
    inlined = ["--no-inlines"] if view == "asm" else []
    status, out, errors = run("--flat", "--json", "--threshold", "0", "--self", "leaf", *inlined, *chosen)
    if status:
        return problem(where, "no flat profile:", errors)
    want = sum(r["self"] for r in json.loads(out)["rows"] if r["name"] == FUNCTION)
    value = sum(r["self"] for r in rows)
    return value == want or problem(where, "the rows add up to", value, "not", want)


# ---- text -----------------------------------------------------------------------------------------

# Where the percentages stand that add up to what the filter has kept.
PERCENT = {
    "threads": r"^ *\d+ +\d+ +[-\d.]+ +[\d.]+ (?:\w+ +)? *([\d.]+) +\d+  ",
    "flat": r"^ *([\d.]+) [= ] +[\d.]+ ",
}


def check_text(where, view, chosen, out, document):
    heading = out.split("\n-----", 1)[0]
    said = re.search(r"^(\d+) samples?[, \n]", heading, re.M)
    if said and int(said.group(1)) != document["samples"]:
        problem(where, "the heading says", said.group(0), "and JSON", document["samples"])
    share = 100 * document["kept"] / document["total"] if document.get("total") else 0
    said = re.search(r": (\d+) of (\d+) samples?, ([\d.]+) %$", heading, re.M)
    if ("--focus" in chosen or "--ignore" in chosen) and not said:
        problem(where, "the heading does not say what is kept:", heading)
    if said and abs(float(said.group(3)) - share) > 0.0051:
        problem(where, "the heading says", said.group(0), "and not", share)
    said = re.search(r"^(\d+) of (\d+) processes ha(?:s|ve) any of it$", heading, re.M)
    if view == "processes" and "--top" not in chosen:
        every = 1 if "--pid" in chosen else N_PROCESSES
        n = len(processes_of(document["rows"]))
        if (int(said.group(1)) if said else every) != n:
            problem(where, n, "processes, and the heading says", said)
    if view not in PERCENT or "--top" in chosen or "--root" in chosen:
        return
    shares = [float(p) for p in re.findall(PERCENT[view], out, re.M)]
    if abs(sum(shares) - share) > 0.0051 * len(shares) + 0.0051:
        problem(where, "the percentages are", sum(shares), "the heading's", share)


def check_summary(where, chosen, out):
    said = re.search(r"^threads: (.*)", out, re.M)
    names = re.findall(r"([\d.]+) % ", said.group(1)) if said else []
    truth, whole = truth_of(chosen, False), truth_of(chosen, True)
    have, all_of = (truth.hits, whole.samples) if "--unit" in chosen else (truth.weights, whole.kept)
    shares = sorted((100 * w / all_of for w in have.values()), reverse=True)[:4]
    if said and any(abs(float(a) - b) > 0.0501 for a, b in zip(names, shares)):
        problem(where, said.group(0), "is not", shares)


# ---- what other programs read ---------------------------------------------------------------------

def check_export(where, view, chosen):
    """pprof, callgrind and speedscope can be read again."""
    name = "again." + {"pprof": "pb.gz", "callgrind": "callgrind", "speedscope": "speedscope.json"}[view]
    subprocess.run([CPCONV, "--" + view, *chosen, "-o", name, "."], stderr=subprocess.PIPE, check=True)
    r = subprocess.run([CPCONV, "--flat", "--json", name], capture_output=True, check=False)
    if r.returncode:
        return problem(where, "cannot be read again:", r.stderr.decode())
    total, want = json.loads(r.stdout)["total"], truth_of(chosen, False).kept
    return total == want or problem(where, "read again it is", total, "not", want)


# ---- all of it ------------------------------------------------------------------------------------

def is_refused(where, status, out, errors):
    if status != 2:
        return False
    if out or len(errors) != 1:
        problem(where, "is not refused in one line:", errors)
    count["refused"] += 1
    return True


def check(view, chosen, plain):
    arguments = ["--" + view] + ([FUNCTION] if view in ("source", "asm") else []) + chosen
    where = " ".join(arguments) + ":"
    status, out, errors = run(*arguments, text=False)
    if is_refused(where, status, out, errors):
        return out
    if chosen == AFTER:
        problem(where, "is not refused")
    if status == 1 and view in ("source", "asm") and re.search(f'no (function|sample is shown).*"{FUNCTION}"', errors[0]):
        return out  # the filter has left nothing of the function that the view is of
    if status and view == "average-time" and "--root" in chosen:
        return out  # the function has not several callers
    if status or errors:
        problem(where, "status", status, errors)
        return out
    count["shown"] += 1
    if plain is not None and out == plain and (view, chosen[0]) not in HOLDS:
        problem(where, "has no effect, and nothing is said")
    if view == "summary":
        check_summary(where, chosen, out.decode())
    if view in ("pprof", "callgrind", "speedscope") and len(resources_of(chosen)) == 1 and "--by" not in chosen:
        check_export(where, view, chosen)
    if view in no_tables:
        return out
    status, table, errors = run(*arguments, "--json")
    if status:
        no_tables.add(view)
        is_refused(where + " --json", status, table, errors)
        return out
    document = json.loads(table)
    rows = document["rows"]
    check_tsv(where, document, rows, run(*arguments, "--tsv")[1])
    if view == "info":
        return out
    for column in columns_of(document, chosen):
        check_column(where, view, chosen, rows, column)
    if view in ("source", "asm") and "--top" not in chosen and len(resources_of(chosen)) == 1:
        check_function(where, view, chosen, rows)
    if view == "timeline":
        check_timeline(where, chosen, rows)
    if len(resources_of(chosen)) == 1:
        check_text(where, view, chosen, out.decode(), document)
    return out


def main():
    help_text = subprocess.run([CPCONV, "--help=all"], capture_output=True, check=True).stdout.decode()
    views = re.findall(r"^  --(\S+)", help_text.split("Views:\n")[1].split("\n\n")[0], re.M)
    for view in views:
        plain = None
        for chosen in FILTERS:
            out = check(view, chosen, plain)
            plain = out if plain is None else plain
    for line in problems[:40]:
        print(line[:600])
    print(f"note: {count['shown']} combinations of views and filters, {count['refused']} refused")
    sys.exit(1 if problems else 0)


main()
