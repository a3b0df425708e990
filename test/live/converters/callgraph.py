#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads --callgraph as programs for gprof's report do, and compares totals with those of --functions.

callgraph.py CPCONV random FIRST END [GPROF2DOT]: of random stacks, one profile for each seed.
callgraph.py CPCONV files FILE... [-- GPROF2DOT]: of profiles.

Such a program keeps the selfs of the blocks and what stands below `called`, and makes totals of them. GPROF2DOT is that
program itself, if it is there.
"""
import collections
import random
import re
import subprocess
import sys

NUMBER = r" +(\d+\.\d+) +(\d+\.\d+)"
END = r"(\S.*?)(?: <cycle (\d+)>)? \[(\d+)\]$"
CALLED = r" +(?:\d+(?:\+\d+)?)? +"  # what a program takes for the number of calls, though it be a part of a name
OWN = re.compile(r"\[(\d+)\] +(\d+\.\d+)" + NUMBER + CALLED + END)
WHOLE = re.compile(r"\[\d+\] +(\d+\.\d+)" + NUMBER + r" {2,}<cycle (\d+) as a whole> \[\d+\]$")
CALL = re.compile(NUMBER + r" +(\d+) +" + END)
HEAD = re.compile(r"index +% time +self +children +called +name$")
NOTHING = re.compile(r" +<spontaneous>$|.*\(\d+\)$")  # what is passed over

Function = collections.namedtuple("Function", "name cycle self percent calls")


def run(*words):
	done = subprocess.run(words, capture_output=True, text=True, check=False)
	if done.returncode or done.stderr:
		sys.exit(f"{' '.join(words)}: {done.returncode} {done.stderr[-400:]}")
	return done.stdout


def read_block(lines, functions, cycles):
	if not lines:
		sys.exit("a block without a line")
	whole = WHOLE.match(lines[0])
	if whole:
		members = [CALL.match(line) for line in lines[1:]]
		if None in members:
			sys.exit(f"not a member of a cycle in {lines}")
		cycles[whole[4]] = float(whole[1])
		return
	at = next((i for i, line in enumerate(lines) if line.startswith("[")), 0)
	own = OWN.match(lines[at])
	if not at or not own:
		sys.exit(f"not a block: {lines}")
	calls = {}
	for i, line in enumerate(lines):
		call = CALL.match(line)
		if i > at and call:
			calls[int(call[6])] = int(call[3])
		elif i != at and not call and not NOTHING.match(line):
			sys.exit(f"not a call: {line}")
	functions[int(own[1])] = Function(own[5], own[6], float(own[3]), float(own[2]), calls)


def read(text):
	functions, cycles, block = {}, {}, None
	for line in text.split("\n"):
		if line == "\f":
			return functions, cycles
		if block is None:
			block = [] if HEAD.match(line) else None
		elif re.fullmatch("--+", line):
			read_block(block, functions, cycles)
			block = []
		elif line.strip():
			block.append(line)
	return sys.exit("no form feed behind the last block")


def totals_of(functions):
	"""By group: a function, or the functions of a cycle. What is used in it is divided among the calls into it."""
	group = {i: ("cycle", f.cycle) if f.cycle else i for i, f in functions.items()}
	into, total = collections.Counter(), collections.Counter()
	below = collections.defaultdict(set)
	for i, f in functions.items():
		total[group[i]] += f.self
		for callee, called in f.calls.items():
			if group[callee] != group[i]:
				into[group[callee]] += called
				below[group[i]].add(group[callee])
	order, seen, path = [], set(), set()

	def visit(g):
		if g in path:
			sys.exit(f"a cycle that is not marked, at {g}")
		if g not in seen:
			path.add(g)
			for callee in below[g]:
				visit(callee)
			path.remove(g)
			seen.add(g)
			order.append(g)

	for i in functions:
		visit(group[i])
	for g in order:
		for i, f in functions.items():
			if group[i] != g:
				continue
			for callee, called in f.calls.items():
				if group[callee] != g and called:
					total[g] += total[group[callee]] * called / into[group[callee]]
	return group, total


def read_dot(text):
	"""What gprof2dot draws: percentages of total and self, by name."""
	labels = re.findall(r'^\t\S+ \[color=.* label="((?:[^"\\]|\\.)*)"', text, re.M)
	shown = {}
	for label in labels:
		parts = re.fullmatch(r"(.*)\\n([0-9.]+)%\\n\(([0-9.]+)%\)(?:\\n\d+×)?", label)
		if parts:
			shown[parts[1]] = float(parts[2]), float(parts[3])
	return shown


def check(cpconv, files, gprof2dot):
	"""Returns the numbers of functions and of cycles."""
	text = run(cpconv, "--callgraph", "--names", "full", "--threshold", "0", *files)
	functions, cycles = read(text)
	group, total = totals_of(functions)
	whole = sum(f.self for f in functions.values())
	rows = [row.split("\t") for row in run(cpconv, "--functions", "--names", "full", "--threshold", "0", "--tsv", *files).splitlines()]
	want = {row[2]: float(row[1]) * 100 for row in rows}
	shown = read_dot(run(*gprof2dot, "-n0", "-e0", "-f", "prof", "callgraph.text")) if write(text) and gprof2dot else None
	names = {f.name for f in functions.values()} - {"<spontaneous>"}
	if {name.removesuffix(" (inlined)") for name in names} != set(want):
		sys.exit(f"{files}: other functions: {sorted(names ^ set(want))}")
	for i, f in functions.items():
		exact = cycles[f.cycle] if f.cycle else f.percent
		if abs(total[group[i]] / whole * 100 - exact) > 0.006:
			sys.exit(f"{files}: {f.name}: {total[group[i]] / whole * 100} %, not {exact}")
		if f.name != "<spontaneous>" and abs(f.percent - want[f.name.removesuffix(" (inlined)")]) > 0.006:
			sys.exit(f"{files}: {f.name}: {f.percent} %, not {want[f.name]}")
		if shown is not None and (f.name not in shown or abs(shown[f.name][1] - f.self / whole * 100) > 0.011 or
					  not f.cycle and abs(shown[f.name][0] - f.percent) > 0.011):
			sys.exit(f"{files}: {f.name}: gprof2dot has {shown.get(f.name)}, not {f}")
	for options in (["--top", "4"], ["--threshold", "10"]):
		totals_of(read(run(cpconv, "--callgraph", *options, *files))[0])
	return len(functions), len(cycles)


def write(text):
	with open("callgraph.text", "w", encoding="utf-8") as to:
		return to.write(text)


def random_stacks(seed, has_numbers):
	"""gprof2dot stops at a name that is a number."""
	r = random.Random(seed)
	names = ["f", "g", "operator<(int, long)", "std::map<int, T>::at (a.so)", "(3)", "[k] f", "a b", "7 digits", "7+1 more", "<cycle> x", "h", "i"] + ["12"] * has_numbers
	names = names[:r.randint(2, len(names))]
	with open("random.folded", "w", encoding="utf-8") as to:
		for _ in range(r.randint(1, 40)):
			stack = [r.choice(names) for _ in range(r.randint(1, r.choice([2, 4, 8])))]
			stack = stack if r.random() < 0.3 else ["main", *stack]
			to.write(";".join(stack) + f" {r.choice([1, 3, 100, 100000, 10**12])}\n")
	return ["random.folded"]


def main():
	cpconv, what, *words = sys.argv[1:]
	if what == "random":
		n = [check(cpconv, random_stacks(seed, not words[2:]), words[2:]) for seed in range(int(words[0]), int(words[1]))]
	else:
		end = words.index("--") if "--" in words else len(words)
		n = [check(cpconv, [file], words[end + 1:]) for file in words[:end]]
	print(sum(x[0] for x in n), sum(x[1] for x in n))


main()
