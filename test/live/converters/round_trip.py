#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is exported and read again has the totals and selfs that are computed here, of each function.

round_trip.py CPCONV random FIRST END: of random profiles, one for each seed. They are written as pprof's: stacks of
    functions that have names with hostile characters, with recursion through other functions, and inlined functions. What
    a format cannot keep is changed in the names here, too.
round_trip.py CPCONV recording FILE TABLE: of a recording, whose call paths are in the table, with modules.
round_trip.py CPCONV namesakes FILE: writes a profile with resources whose columns would have the same names.
"""
import collections
import gzip
import json
import os
import random
import re
import subprocess
import sys

NAMES = ["main", "f", "g", "f'2", "f'1", "'2", "it's", "(3)", "(1) f", "fn=f", "calls=1 0", "+1", "#x", "???", "a b", "a 7", " lead",
         "trail ", "operator<(int, long)", "a\"b\\c", "\u00e4\u4e2d", "<&>", "totals: 3", "f;g", "x:y", "-", "0x10", "%s%n", "[k] f",
         "f (b.so)", "$'q'", "{}", "tab\tx", "new\nline", "\x01"]
FOLDED = {";": ":"}
MODULES = ["/lib/a.so", "/lib/b.so", "/lib/with blank.so"]


def varint(value):
	out = bytearray()
	while value > 127:
		out.append(value & 127 | 128)
		value >>= 7
	out.append(value)
	return bytes(out)


def number(field, value):
	return varint(field << 3) + varint(value)


def block(field, data):
	return varint(field << 3 | 2) + varint(len(data)) + data


def pprof(stacks, path, types=(("samples", "count"),)):
	"""stacks: (weight, [(name, module, is inlined), ...] outermost first). Of the second type there is twice as much, ..."""
	texts = {"": 0}
	functions, locations = {}, {}
	body = bytearray()

	def text(value):
		return texts.setdefault(value, len(texts))

	for of, unit in types:
		body += block(1, number(1, text(of)) + number(2, text(unit)))
	for i, module in enumerate(MODULES):
		body += block(3, number(1, i + 1) + number(2, (i + 1) << 20) + number(3, (i + 2) << 20) + number(5, text(module)) +
			      number(7, 1))

	def function(name, module):
		key = (name, module)
		if key not in functions:
			functions[key] = len(functions) + 1
			body.extend(block(5, number(1, functions[key]) + number(2, text(name)) + number(3, text(name)) +
					  (number(4, text(file_of(name, module))) if file_of(name, module) else b"")))
		return functions[key]

	def location(lines):
		if lines not in locations:
			locations[lines] = len(locations) + 1
			module = lines[0][1]
			data = number(1, locations[lines]) + number(2, module + 1) + number(3, ((module + 1) << 20) + locations[lines])
			for name, of in reversed(lines):
				data += block(4, number(1, function(name, of)) + number(2, 7))
			body.extend(block(4, data))
		return locations[lines]

	for weight, stack in stacks:
		groups = []
		for name, module, inlined in stack:
			if inlined and groups and groups[-1][0][1] == module:
				groups[-1] += ((name, module),)
			else:
				groups.append(((name, module),))
		ids = b"".join(varint(location(lines)) for lines in reversed(groups))
		body += block(2, block(1, ids) + block(2, b"".join(varint(weight * (i + 1)) for i in range(len(types)))))
	for value in texts:
		body += block(6, value.encode())
	with gzip.open(path, "wb") as f:
		f.write(bytes(body))


def file_of(name, module):
	return "src/%d.c" % module if len(name) % 2 else ""


def folded(name):
	return re.sub("[;\x00-\x1f]", lambda m: FOLDED.get(m.group(), "?"), name)


def random_stacks(rng):
	functions = [(name, rng.randrange(len(MODULES))) for name in rng.sample(NAMES, 12)]
	# The same names in other modules, so that a recursion goes through both.
	functions += [(name, rng.randrange(len(MODULES))) for name, _ in rng.sample(functions, 6)]
	stacks = []
	for _ in range(rng.randrange(5, 60)):
		if stacks and rng.random() < 0.7:
			base = rng.choice(stacks)[1]
			stack = base[:rng.randrange(1, len(base) + 1)]
		else:
			stack = [("main", 0, False)]
		for _ in range(rng.randrange(0, 9)):
			name, module = rng.choice(functions)
			stack = stack + [(name, module, rng.random() < 0.2)]
		stacks.append((rng.randrange(1, 1000), stack))
	return stacks


def expected(stacks, key):
	own, total = collections.Counter(), collections.Counter()
	for weight, stack in stacks:
		own[key(*stack[-1][:2])] += weight
		for one in {key(*frame[:2]) for frame in stack}:
			total[one] += weight
	return {one: (own[one], total[one]) for one in total}


def run(cpconv, *arguments, cwd=None):
	done = subprocess.run([cpconv, *arguments], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
	if done.returncode or done.stderr:
		sys.exit("%s: %d: %s" % (" ".join(arguments), done.returncode, done.stderr.decode(errors="replace")))
	return done.stdout


def read(cpconv, path):
	rows = json.loads(run(cpconv, "--flat", "--json", "--threshold", "0", "--names", "full", path))["rows"]
	# A sample that was credited too much may weigh nothing in the end; formats leave that out.
	return {row["name"]: (int(row["self"]), int(row["total"])) for row in rows if int(row["total"])}


def compare(what, want, got):
	if want == got:
		return
	for name in sorted(set(want) | set(got), key=str):
		if want.get(name) != got.get(name):
			print("%s: %r is %s, not %s" % (what, name, got.get(name), want.get(name)), file=sys.stderr)
	sys.exit(1)


def escaped(name):
	"""As --callgrind writes it: controls escaped, and blanks at the ends, which readers take off."""
	name = "".join("\\x%02x" % ord(c) if ord(c) < 32 else c for c in name)
	name = "\\x20" + name[1:] if name.startswith(" ") else name
	return name[:-1] + "\\x20" if name.endswith(" ") else name


def tree_stacks(path):
	"""The stacks of a table with the columns node, parent, function, module, weight."""
	nodes, stacks = {}, []
	with open(path, encoding="utf-8") as table:
		for line in table:
			node, parent, name, module, weight = line.rstrip("\n").split("\t")
			nodes[node] = nodes.get(parent, ()) + ((name, module),)
			if int(weight):
				stacks.append((int(weight), nodes[node]))
	return stacks


def of_names(figures):
	"""Of functions of one name in several modules, all in one list, because their names got something in parentheses."""
	lists = collections.defaultdict(list)
	for name, pair in figures.items():
		lists[name[0] if isinstance(name, tuple) else re.sub(r" \(.*\)$", "", name)].append(pair)
	return {name: sorted(pairs) for name, pairs in lists.items()}


def annotated(path, own_only):
	"""The costs that callgrind_annotate lists, by (file, function, module). It lists f'2 beside f."""
	# It takes the folder where it runs off the names of some files, and not of others.
	text = run("callgrind_annotate", "--threshold=100", "--auto=no", "--inclusive=" + ("no" if own_only else "yes"),
		   os.path.abspath(path), cwd="/").decode()
	rows = {}
	for line in text.splitlines():
		found = re.match(r" *([0-9,]+) \( *[0-9.]+%\)  (.*):(.*) \[(.*)\]$", line)
		if found:
			rows[found.group(2), found.group(3), found.group(4)] = int(found.group(1).replace(",", ""))
	return rows


def check_annotated(path, stacks):
	want = expected(stacks, lambda name, module: (name, module))
	own, total = annotated(path, True), annotated(path, False)
	for (name, module), (_, inclusive) in want.items():
		if module == "null":
			continue # it writes no such module
		got = [cost for (_, function, of), cost in total.items() if (re.sub(r" \(.*\)$", "", function), of) == (name, module)]
		if got != [inclusive]:
			sys.exit("callgrind_annotate: %s in %s is %s, not %d" % (name, module, got, inclusive))
	for key, cost in own.items():
		if total.get(key, 0) < cost:
			sys.exit("callgrind_annotate: %s has %d, less than its own %d" % (key, total.get(key, 0), cost))


def check_random(cpconv, seed):
	stacks = random_stacks(random.Random(seed))
	pprof(stacks, "in.pb.gz")
	as_it_is = expected(stacks, lambda name, module: name)
	want = {
		"pprof": expected(stacks, lambda name, module: re.sub("[\x00-\x1f]", "?", name)),
		"speedscope": as_it_is,
		"folded": expected(stacks, lambda name, module: folded(name)),
		"callgrind": expected(stacks, lambda name, module: escaped(name)),
	}
	compare("seed %d" % seed, as_it_is, read(cpconv, "in.pb.gz"))
	for form, figures in want.items():
		run(cpconv, "--" + form, "-o", "out", "in.pb.gz")
		compare("seed %d, --%s, read again" % (seed, form), figures, read(cpconv, "out"))


def check_recording(cpconv, path, table):
	"""The table is that of --parquet, which has the modules."""
	stacks = tree_stacks(table)
	by_name = expected(stacks, lambda name, module: name)
	by_module = of_names(expected(stacks, lambda name, module: (name, module)))
	if not [name for name, pairs in by_module.items() if sum(total for _, total in pairs) > by_name[name][1]]:
		sys.exit("%s: no function calls one of its name in another module" % path)
	compare(path, by_name, read(cpconv, path))
	for form in "pprof", "speedscope":
		run(cpconv, "--" + form, "-o", "out", path)
		compare("%s, --%s, read again" % (path, form), by_name, read(cpconv, "out"))
	run(cpconv, "--callgrind", "-o", "out", path)
	compare("%s, --callgrind, read again" % path, by_module, of_names(read(cpconv, "out")))
	check_annotated("out", stacks)


def main():
	cpconv, what = sys.argv[1:3]
	if what == "namesakes":
		pprof([(3, [("main", 0, False)])], sys.argv[3], [("line", ""), ("cpu", "samples"), ("CPU", "samples"), ("a.b", "n"), ("a_b", "n")])
	elif what == "recording":
		check_recording(cpconv, *sys.argv[3:])
	else:
		for seed in range(int(sys.argv[3]), int(sys.argv[4])):
			check_random(cpconv, seed)


main()
