# SPDX-License-Identifier: MIT
"""
Writes profiles of Python's own profilers, and what its module pstats says of them.

python_profiles.py FOLDER: for each program, profiler and version of marshal FOLDER/NAME, with what is expected of it in NAME.flat and
NAME.edges, as lines of self, total, calls and function, and of total, calls, caller and callee.
"""
import cProfile
import marshal
import os
import profile
import pstats
import sys
import time


def work(n):
	return sum(i * i for i in range(n))


def fact(n):
	return work(50) + (n * fact(n - 1) if n else 1)


def even(n):
	return work(20) == 0 or (odd(n - 1) if n else True)


def odd(n):
	return work(30) == 0 or (even(n - 1) if n else False)


def länge(text):
	return len(text) + work(40)


class Eins:
	def run(self):
		return länge("ä" * 100)

	def index(self):
		return work(7)


class Zwei:
	def run(self):
		return Eins().run() + work(60)

	# Named as what is written in C, of which profile.py says the name alone.
	def index(self):
		return work(9) + "ab".index("b") + Eins().index()


def numbers(n):
	for i in range(n):
		yield work(10) + i


def raises():
	try:
		int("x")
	except ValueError:
		return work(5)


def recursion():
	return [fact(20) for _ in range(20)]


def mutual():
	return [even(9) or odd(8) for _ in range(20)]


def kinds():
	square = lambda n: n * n
	cube = lambda n: n * square(n)
	values = sorted(numbers(50), key=square)
	return [Zwei().run() + Zwei().index() + cube(v) for v in values], list(map(cube, values)), raises(), time.sleep(0.01)


def modules():
	# The same names in the same line of files of the same name, and a file without a directory.
	for name in ("a/__init__.py", "b/__init__.py", "c/b/__init__.py", "alone.py"):
		code = compile("def start():\n\treturn run()\ndef run():\n\treturn sum(range(99))\nstart()\n", name, "exec")
		exec(code, {})


def nothing():
	pass


def name_of(key):
	file, line, name = key
	if line:
		return None
	return "{" + name[1:-1] + "}" if file == "~" and name[:1] == "<" and name[-1:] == ">" else name


def names(keys):
	"""Each function by the shortest name that tells it from the others: its file, the line, the directory, the path."""
	ways = (
		lambda file, line: os.path.basename(file),
		lambda file, line: f"{os.path.basename(file)}:{line}",
		lambda file, line: "/".join(file.split("/")[-2:]) + f":{line}",
		lambda file, line: f"{file}:{line}",
	)
	found = {key: name_of(key) for key in keys}
	for way in ways:
		left = {key: f"{key[2]} ({way(*key[:2])})" for key in keys if not found[key]}
		for key, name in left.items():
			if way is ways[-1] or list(left.values()).count(name) == 1:
				found[key] = name
	return found


def ns(seconds):
	return max(0, int(seconds * 1e9 + 0.5))


def expected(path):
	stats = pstats.Stats(path).stats
	name = names(list(stats) + [c for value in stats.values() for c in value[4] if c not in stats])
	whole = sum(ns(value[2]) for value in stats.values())
	with open(path + ".flat", "w", encoding="utf-8") as out:
		for key, (_, calls, self, total, _) in stats.items():
			print(ns(self), min(ns(total), whole), calls, name[key], sep="\t", file=out)
	with open(path + ".edges", "w", encoding="utf-8") as out:
		for key, value in stats.items():
			for caller, of in value[4].items():
				has_total = isinstance(of, tuple)
				total = ns(of[3]) if has_total and caller != key else 0 if has_total else "?"
				print(total, of[0] if has_total else of, name[caller], name[key], sep="\t", file=out)
	# What the outermost functions took is what all took themselves, or the profile says little.
	heaviest = max((value[3] for value in stats.values()), default=0)
	if heaviest * 1e9 > whole * 1.001 + 1000:
		print(f"{path}: {heaviest} s, and selfs of {whole} ns", file=sys.stderr)


def main():
	folder = sys.argv[1]
	for program in (recursion, mutual, kinds, modules, nothing):
		for profiler in (cProfile, profile):
			p = profiler.Profile()
			p.runcall(program)
			path = os.path.join(folder, f"{program.__name__}-{profiler.__name__}")
			p.dump_stats(path)
			expected(path)
			stats = pstats.Stats(path).stats
			for version in range(marshal.version + 1 if program is kinds else 0):
				with open(f"{path}-{version}", "wb") as out:
					marshal.dump(stats, out, version)
				expected(f"{path}-{version}")
	# Two runs of one program, added up by pstats.
	added = os.path.join(folder, "added")
	pstats.Stats(os.path.join(folder, "kinds-cProfile"), os.path.join(folder, "mutual-cProfile")).dump_stats(added)
	expected(added)


main()
