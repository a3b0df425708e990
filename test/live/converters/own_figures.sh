#!/bin/sh
# SPDX-License-Identifier: MIT
# Every view that names a resource beside others gives it its own figure: of a recording of everything, --summary, --info as
# text, as TSV and as JSON have for each resource what --functions --resource NAME has as its total, and as many samples.
#
# Seen to fail: of alloc-live --summary and --info had what all of alloc was, in TSV and JSON, too.
#
# Chance: none; the program allocates and keeps enough for some 700 samples of alloc-live, one of which is certain.
#
# May run beside others.
. "$(dirname "$0")/../lib.sh"
need python3

record CPSAMPLE_RESOURCES="$(cat "$root/test/everything")" CPSAMPLE_OUTPUT=x.cps "$targets/keeps" 16000
[ $? -eq 5 ] || fault "keeps ended wrongly"

cat >own_figures.py <<'END'
import json, re, subprocess, sys

cpconv, file, *options = sys.argv[1:]


def shown(*more):
    run = subprocess.run([cpconv, *more, file], stdout=subprocess.PIPE, text=True, check=True)
    return run.stdout


# Text has three places behind the point at most.
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9}


def is_same(text, unit, total):
    factor = UNITS.get(unit, 1)
    return abs(float(text) * factor - total) <= factor * 0.00051


def check(where, name, got, want):
    if got != want:
        sys.exit("%s: %s has %s, and --functions has %s" % (where, name, got, want))


LINE = re.compile(r"^  ([^ :][^ ]*): ([0-9.]+) ([^ ]+)(?: credited)?(?: of [0-9.]+ [^ ]+ counted)?, ([0-9]+) samples?\b", re.M)

# Moments of alloc-live are those of the resource that is shown.
for at in [], ["--at", "peak", "--resource", "alloc-live"], ["--at", "0", "--resource", "alloc-live"]:
    told = {}
    rows = json.loads(shown("--info", "--json", *at))["rows"]
    for row in rows:
        if row["key"] == "counts":
            told[row["resource"]] = row["credited"], row["samples"]
    tsv = [line.split("\t") for line in shown("--info", "--tsv", *at).split("\n")]
    check("--info --tsv", "each resource", {row[1]: (int(row[6]), int(row[5])) for row in tsv if row[0] == "counts"}, told)
    totals = {}
    for name in told:
        if at and name != "alloc-live":
            continue
        functions = json.loads(shown("--functions", "--json", "--resource", name, *at[:2]))
        totals[name] = functions["total"], functions["samples"]
        check("--info --json", name, told[name], totals[name])
    for view in "--summary", "--info":
        lines = {match[0]: match[1:] for match in LINE.findall(shown(view, *at))}
        for name, (total, samples) in totals.items():
            if name not in lines and samples == 0:
                continue
            if name not in lines:
                sys.exit("%s: nothing of %s, which has %d samples" % (view, name, samples))
            number, unit, its = lines[name]
            check(view, "samples of " + name, int(its), samples)
            if not is_same(number, unit, total):
                sys.exit("%s: %s has %s %s, and --functions has %d" % (view, name, number, unit, total))
    if not at and len(totals) < 8:
        sys.exit("only %d resources" % len(totals))
    if at[:2] != ["--at", "0"] and not 0 < totals["alloc-live"][0]:
        sys.exit("nothing is live")
END
python3 own_figures.py "$CPCONV" x.cps || fail "figures differ"
