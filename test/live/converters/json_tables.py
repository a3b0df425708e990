# SPDX-License-Identifier: MIT
"""json_tables.py - checks the tables that json.sh has made of its inputs.

json_tables.py schema SCHEMA MANUAL: what the schema says, it says of each key in one way, and the
    manual has the same keys.
json_tables.py texts SCHEMA LIST: each text of the list, N.json, is valid by the schema, and its rows
    are those of N.tsv.
json_tables.py figures NAME: the figures of NAME.VIEW.json are those that follow from the stacks in
    NAME.stacks and NAME.samples, which are lines as --folded writes them.
"""
import json
import math
import re
import sys
from collections import Counter, defaultdict

import jsonschema

JSON_ONLY = {"self_samples", "total_samples", "weight_samples", "edited"}
# The row of a file's line has had its number of samples in TSV, and that of a cycle its total not.
IN_TSV = {"source": {"total_samples"}, "asm": {"total_samples"}}
NOT_IN_TSV = {"cycles": {"total"}, "contexts": {"total"}}


def fail(*words):
    raise SystemExit(" ".join(str(w) for w in words))


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


# ---- the schema ---------------------------------------------------------------------------------

def shapes(schema):
    """All forms of rows, as (view, form)."""
    for name, form in schema["$defs"].items():
        if name.startswith("rows_"):
            for alternative in form.get("oneOf", [form]):
                yield name, alternative


def check_schema(schema_path, manual):
    schema = load(schema_path)
    jsonschema.Draft202012Validator.check_schema(schema)
    keys = set(schema["properties"]) - {"rows"}
    for name, form in shapes(schema):
        if form["additionalProperties"] or form["required"] != list(form["properties"]):
            fail(name, "takes other keys, or fewer:", form)
        for key, value in form["properties"].items():
            keys.add(key)
            if key not in ("row", "key", "value") and value != {"$ref": "#/$defs/" + key}:
                fail(name, "says itself what", key, "is")
    for key, value in schema["properties"].items():
        if key != "rows" and value != {"$ref": "#/$defs/" + key}:
            fail("the header says itself what", key, "is")
    with open(manual, encoding="utf-8") as file:
        listed = re.findall(r"^\.It Li (\S+) Ta (.+) Ta (.+)$", file.read(), re.M)
    if sorted(key for key, _, _ in listed) != sorted(keys):
        fail("keys of the manual or of the schema alone:", keys ^ {key for key, _, _ in listed})
    print("note:", len(keys), "keys")


# ---- valid texts, and the same rows as TSV --------------------------------------------------------

def text(value):
    if value is None:
        return b"-"
    if isinstance(value, list):
        return b";".join(name.encode() for name in value)
    return value.encode()


def same(value, field):
    if value is None:
        return field in (b"-", b"")  # nothing for calls that nobody counted
    if type(value) is int:
        return str(value).encode() == field
    if type(value) is float:
        return value == float(field)
    # What cannot stand in a line is written in other ways.
    plain = re.fullmatch(rb"[ -:<-\[\]-~]*", text(value))
    return not plain or text(value) == field


def tsv_values(view, row):
    left_out = (JSON_ONLY - IN_TSV.get(view, set())) | (
        NOT_IN_TSV.get(view, set()) if row.get("row", "cycle") == "cycle" else set())
    return [value for key, value in row.items() if key not in left_out]


def check_text(validator, number, view):
    document = load(number + ".json")
    error = jsonschema.exceptions.best_match(validator.iter_errors(document))
    if error:
        fail("not valid:", error.message[:300], "at", list(error.absolute_path))
    if document["view"] != view:
        fail("it is", document["view"])
    if document.get("kept", 0) > document.get("total", 0):
        fail("more is kept than there is")
    with open(number + ".tsv", "rb") as file:
        lines = file.read().split(b"\n")[:-1]
    if len(lines) != len(document["rows"]):
        fail(len(document["rows"]), "rows, and", len(lines), "of TSV")
    for row, line in zip(document["rows"], lines):
        values, fields = tsv_values(view, row), line.split(b"\t")
        if len(values) != len(fields) or not all(map(same, values, fields)):
            fail(row, "is", line)
    return document["rows"]


def check_texts(schema_path, list_path):
    schema = load(schema_path)
    validator = jsonschema.Draft202012Validator(schema)
    rows, seen = 0, set()
    with open(list_path) as file:
        for entry in file:
            number, view = entry.split()[:2]
            try:
                found = check_text(validator, number, view)
            except (SystemExit, ValueError, KeyError) as e:
                fail(f"{entry.strip()}: {e}")
            rows += len(found)
            seen.update((view, tuple(row)) for row in found if "key" not in row)
    # Every form of a row that the schema has must have come.
    for name, form in shapes(schema):
        view = name[len("rows_"):].replace("_", "-")
        if "key" not in form["properties"] and not any(
                v == view and set(row) == set(form["properties"]) for v, row in seen):
            fail("no such row has come:", view, list(form["properties"]))
    print("note:", rows, "rows")


# ---- the figures --------------------------------------------------------------------------------

class Truth:
    """What the stacks say. A stack has a weight and a number of raw samples."""

    def __init__(self, name):
        self.stacks = defaultdict(lambda: [0, 0])
        for which, ending in enumerate(("stacks", "samples")):
            with open(f"{name}.{ending}", encoding="utf-8") as file:
                for line in file:
                    path, count = line.rstrip("\n").rsplit(" ", 1)
                    self.stacks[tuple(path.split(";"))][which] += int(count)
        self.total = sum(w for w, _ in self.stacks.values())
        self.samples = sum(n for _, n in self.stacks.values())

    def sums(self, keys_of, which=0):
        """The sums over the stacks by the keys that the function makes of a stack."""
        sums = Counter()
        for stack, counts in self.stacks.items():
            for key in keys_of(stack):
                sums[key] += counts[which]
        return sums


def pairs(stack):
    return list(zip(stack, stack[1:]))


def prefixes(stack):
    return [stack[:i + 1] for i in range(len(stack))]


def suffixes(stack):
    """The running function, and its callers outwards."""
    return prefixes(stack[::-1])


def call_paths(stack):
    """The downward call paths of the stack (Hall & Goldberg, section 4): a call of a function
    that is on the path already ends one, and the next call continues from its earlier place."""
    paths, path = set(), []
    for name in stack[stack.index("main"):] if "main" in stack else ():
        paths.add(tuple(path + [name]))
        path = path[:path.index(name) + 1] if name in path else path + [name]
    return paths


def equal(what, got, want):
    near = isinstance(want, float) and math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-12)
    if got != want and not near:
        fail(f"{what}: {got}, and by the stacks {want}")


def tree_paths(rows):
    """The rows of a tree, with the path to each of them."""
    path = []
    for row in rows:
        path = path[:row["depth"]] + [row["name"]]
        yield tuple(path), row


class Figures:
    def __init__(self, name):
        self.name, self.truth = name, Truth(name)
        t = self.truth
        by = {"self": lambda s: s[-1:], "total": set}
        self.by_name = {key: t.sums(keys) for key, keys in by.items()}
        self.by_name.update({key + "_samples": t.sums(keys, 1) for key, keys in by.items()})
        self.edges = {"total": t.sums(lambda s: {p for p in pairs(s) if p[0] != p[1]}),
                      "stacks": t.sums(lambda s: set(pairs(s))), "occurrences": t.sums(pairs)}

    def rows(self, view):
        document = load(f"{self.name}.{view}.json")
        equal("samples of " + view, document["samples"], self.truth.samples)
        if view != "info":
            equal("total of " + view, document["total"], self.truth.total)
        return document["rows"]

    def check_row(self, what, row, sums, key):
        """Each column for which there is a sum is that sum, or is it as a fraction of the whole."""
        for column, value in row.items():
            plain = column[:-len("_fraction")] if column.endswith("_fraction") else column
            if plain not in sums:
                continue
            want = sums[plain][key]
            equal(f"{what} {column} of {key}", value,
                  want if plain == column else want / self.truth.total if self.truth.total else 0.0)

    def check_functions(self):
        for view in ("flat", "functions", "bodies", "callgraph", "contexts"):
            rows = [r for r in self.rows(view) if r.get("row", "func") == "func"]
            names = {r["name"] for r in rows}
            kind = "self" if view == "bodies" else "total"
            equal("names of " + view, names, set(self.by_name[kind]) | (names if not rows else set()))
            for row in rows:
                self.check_row(view, row, self.by_name, row["name"])
                if "child" in row:
                    equal("child", row["child"], row["total"] - row["self"])

    def check_trees(self):
        t = self.truth
        down = {"self": t.sums(lambda s: [s]), "total": t.sums(prefixes),
                "self_samples": t.sums(lambda s: [s], 1), "total_samples": t.sums(prefixes, 1)}
        up = {"weight": t.sums(suffixes), "weight_samples": t.sums(suffixes, 1),
              "outermost": t.sums(lambda s: [s[::-1]])}
        for view, sums, of in (("tree", down, "total"), ("bottomup", up, "weight")):
            found = dict(tree_paths(self.rows(view)))
            equal("paths of " + view, set(found), set(sums[of]))
            for path, row in found.items():
                self.check_row(view, row, sums, path)
        paths = {"total": t.sums(call_paths), "total_samples": t.sums(call_paths, 1)}
        rows = {tuple(row["path"]): row for row in self.rows("callpath")}
        equal("call paths", set(rows), set(paths["total"]))
        for path, row in rows.items():
            self.check_row("callpath", row, paths, path)

    def check_calls(self):
        rows = {(r["caller"], r["callee"]): r for r in self.rows("edges")}
        equal("edges", set(rows), set(self.edges["stacks"]))
        for pair, row in rows.items():
            self.check_row("edges", row, self.edges, pair)
        for row in self.rows("graph"):
            if row["row"] == "func":
                self.check_row("graph", row, self.by_name, row["name"])
                continue
            pair = row["caller"], row["callee"]
            if pair[0] == pair[1]:
                equal("total of a call of itself", row["total_fraction"], None)
                row["total_fraction"] = 0
            self.check_row("graph", row, self.edges, pair)

    def check_contexts(self):
        rows = [r for r in self.rows("contexts") if r["row"] == "context"]
        for key in ("self", "self_samples"):
            sums = Counter()
            for row in rows:
                sums[row["history"][-1]] += row[key]
            for name, want in self.by_name[key].items():
                equal(f"contexts {key} of {name}", sums[name], want)
        summary = [r for r in self.rows("contexts") if r["row"] == "summary"]
        equal("contexts", summary[0]["contexts"], len(rows))
        cycles = [{k: v for k, v in r.items() if k != "row"}
                  for r in self.rows("contexts") if r["row"] == "cycle"]
        equal("cycles", self.rows("cycles"), cycles)

    def check_info(self):
        rows = self.rows("info")
        values = {r["key"]: r["value"] for r in rows if "value" in r}
        threads = [r for r in rows if r["key"] == "thread"]
        equal("samples of --info", values["samples"], self.truth.samples)
        if threads:
            equal("credited", sum(t["credited"] for t in threads), values["credited"])
            equal("samples of threads", sum(t["samples"] for t in threads), self.truth.samples)


def check_figures(name):
    f = Figures(name)
    f.check_functions()
    f.check_trees()
    f.check_calls()
    f.check_contexts()
    f.check_info()
    print("note:", len(f.truth.stacks), "stacks of", name)


{"schema": check_schema, "texts": check_texts, "figures": check_figures}[sys.argv[1]](*sys.argv[2:])
