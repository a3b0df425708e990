# SPDX-License-Identifier: MIT
"""Prints for many code objects of the standard library the line of each instruction, as CPython says it: "code VERSION
FIRST-LINE TABLE", and then "OFFSET LINE", with line 0 where there is none."""
import dis
import importlib.util
import sys

MODULES = "argparse asyncio.base_events dataclasses inspect subprocess tarfile threading typing".split()


def lines_of(code):
    if hasattr(code, "co_lines"):
        for start, end, line in code.co_lines():
            for offset in range(start, end, 2):
                yield offset, line or 0
        return
    line, starts = code.co_firstlineno, dict(dis.findlinestarts(code))
    for offset in range(0, len(code.co_code), 2):
        line = starts.get(offset, line)
        yield offset, line


def print_all(code):
    table = code.co_linetable if hasattr(code, "co_lines") else code.co_lnotab
    print("code", sys.hexversion >> 16, code.co_firstlineno, table.hex() or "-")
    for offset, line in lines_of(code):
        print(offset, line)
    for constant in code.co_consts:
        if hasattr(constant, "co_code"):
            print_all(constant)


# Lines that lie far apart, go backwards, and are the same for long.
MADE = "\n".join(
    ["def f(x):"] + ["\n" * 300 + "  x = (x +\n" + "\n" * 200 + "    g(\n x) + " + "x + " * n + "1)" for n in (0, 5, 200)]
    + ["  try:", "    return [y for y in x]", "  finally:", "    with x as z:", "      del z"])
print_all(compile(MADE, "made.py", "exec"))
for name in MODULES:
    with open(importlib.util.find_spec(name).origin, encoding="utf-8") as file:
        print_all(compile(file.read(), name, "exec"))
