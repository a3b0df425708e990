#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# python_stacks.py WAY FILE - calls from all kinds of places in Python, and writes the stack of each to FILE.
#
# WAY is "held" for calls with the interpreter's lock (getppid), "free" for calls without it (fsync). A line of FILE is a
# stack as cpconv --folded --granularity line has it, without what is no Python. WAY is "deep" for a recursion of 100,000 calls.
import asyncio
import atexit
import contextlib
import ctypes
import functools
import gc
import os
import pickle
import re
import signal
import sys
import tempfile
import threading
import weakref

WAY, PATH = sys.argv[1:]
FILE = tempfile.TemporaryFile()
STACKS = []


def place(frame):
    code = frame.f_code
    name = getattr(code, "co_qualname", code.co_name)
    parts = code.co_filename.split("/")
    file = "/".join(parts[-2:] if parts[-1] == "__init__.py" else parts[-1:])
    if name.endswith(">") and not name.endswith("<module>"):
        name += " (%s:%d)" % (file, code.co_firstlineno)
    return "%s %s:%d" % (name, file, frame.f_lineno)


def note():
    frame, places = sys._getframe(1), []
    while frame:
        places.append(place(frame))
        frame = frame.f_back
    STACKS.append(";".join(reversed(places)))
    return FILE.fileno()


def call_in(text, name):
    exec(compile(text.replace("CALL", CALLS[WAY]), name, "exec"), globals())


def deep(n):
    if n == 0:
        return os.getppid()
    return deep(n - 1)


if WAY == "deep":
    sys.setrecursionlimit(1 << 20)
    deep(10)
    deep(100000)
    sys.exit()

# The note and the call are of one line of one function, so that their stacks are the same.
CALLS = {"held": "(note(), os.getppid())", "free": "(os.fsync(note()),)"}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "python_places.txt")) as f:
    # What a version cannot read begins with a line "# since 3.10".
    for part in re.split("(?m)^# since ", f.read())[1:]:
        version, text = part.split("\n", 1)
        if sys.version_info >= tuple(int(n) for n in version.split(".")):
            call_in(text, "places.py")

# A table of lines as long as may be, and one whose end is not looked at: no line is known there.
call_in("def long():\n" + "".join(" a%d = [%d,\n  2]\n" % (i % 200, i) for i in range(2000)) + " CALL\nlong()\n", "long.py")
call_in("\n" * 70000 + "CALL\n", "far.py")
call_in("def longer():\n" + " a = [1,\n  2]\n" * 30000 + " CALL\nlonger()\n", "longer.py")
STACKS[-1] = re.sub("longer longer.py:[0-9]*$", "longer (longer.py)", STACKS[-1])
with open(PATH, "w") as f:
    f.write("\n".join(STACKS) + "\n")
