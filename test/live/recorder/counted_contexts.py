#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each call path of samples is, of its counted functions, a context that was counted.

counted_contexts.py CPCONV RECORDING [ROOT]: prints how many paths there were. A function is counted when it has begun, so
that a sample in its first instructions has a context that is counted a moment later: at the end there is no exception.
A path with the function ROOT begins there: a coroutine's stack, which nothing counted has called.
"""
import subprocess
import sys


def run(view, *more):
	done = subprocess.run([sys.argv[1], view, *more, sys.argv[2]], capture_output=True, text=True, check=True)
	return done.stdout.splitlines()


def history(path):
	"""The steps A1 to A5 of Spivey's: names alone, and whether each is marked."""
	entries = []
	for name in path:
		if entries and entries[-1][0] == name:  # A1
			continue
		for entry in reversed(entries):  # A3
			if entry[0] == name and entry[1]:
				entry[1] = False
				break
		entries.append([name, True])  # A2
		i = 1
		while i < len(entries):  # A4, A5
			before, here = entries[i - 1], entries[i]
			plain = not before[1] and not here[1]
			if plain and (here[0] == before[0] or (i + 1 < len(entries) and not entries[i + 1][1])):
				del entries[i]
				i = 1
			else:
				i += 1
	return tuple(name for name, _ in entries)


rows = [line.split("\t") for line in run("--functions", "--tsv")]
own = {row[2] for row in rows if row[3]}
counted = set()
for row in (line.split("\t") for line in run("--contexts", "--tsv")):
	if row[0] == "context" and row[4]:
		counted.add(tuple(name for name in row[3].split(";") if name in own))
paths = {tuple(name for name in line.rsplit(" ", 1)[0].split(";") if name in own) for line in run("--folded")}
root = sys.argv[3:]
paths = {path[path.index(root[0]) :] if root and root[0] in path else path for path in paths}
paths.discard(())
wrong = [path for path in paths if history(path) not in counted]
if wrong:
	sys.exit(f"{len(wrong)} of {len(paths)} paths were not counted, as {';'.join(wrong[0])}")
print(len(paths))
