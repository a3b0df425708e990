#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""attached_state.py - prints what a process has that an attached recorder must give back.

In: a process id. Out: lines: dispositions of signals, descriptors, names of threads, permissions of all mappings
of files, a digest of each linkage table (.got, .got.plt) and how many words of it lead into the recorder, and a digest
of all code and of what cannot be written, but not of the recorder's own library and of the pages that it keeps.
"""
import hashlib
import os
import struct
import sys

pid = sys.argv[1]
memory = open(f"/proc/{pid}/mem", "rb")


def digest(at, n):
    memory.seek(at)
    return hashlib.sha256(memory.read(n)).hexdigest()[:16]


def led(at, n):
    """How many words lead into the recorder."""
    memory.seek(at)
    words = struct.unpack(f"<{n // 8}Q", memory.read(n // 8 * 8))
    return sum(begin <= word < end for word in words for begin, end in recorder)


def tables(path, base):
    """The linkage tables of a file that is mapped at an address."""
    try:
        data = open(path, "rb").read()
    except OSError:
        return
    if data[:4] != b"\x7fELF":
        return
    phoff, shoff = struct.unpack_from("<QQ", data, 32)
    phentsize, phnum, shentsize, shnum, shstrndx = struct.unpack_from("<5H", data, 54)
    loads = [struct.unpack_from("<IIQQ", data, phoff + i * phentsize) for i in range(phnum)]
    first = min(p[3] for p in loads if p[0] == 1)
    sections = [struct.unpack_from("<IIQQQQ", data, shoff + i * shentsize) for i in range(shnum)]
    names = sections[shstrndx][4]
    for name, _, _, address, _, n in sections:
        text = data[names + name : data.index(b"\0", names + name)].decode()
        if text in (".got", ".got.plt"):
            yield text, base - (first & ~4095) + address, n


recorder = []
for line in open(f"/proc/{pid}/maps"):
    if "libcpsample" in line:
        recorder.append([int(x, 16) for x in line.split()[0].split("-")])
for line in open(f"/proc/{pid}/status"):
    if line.startswith(("SigIgn", "SigCgt", "TracerPid")):
        print(line.split())
for line in open(f"/proc/{pid}/maps"):
    fields = line.split(None, 5)
    path = fields[5].strip() if len(fields) > 5 else ""
    if not path.startswith("/") or "libcpsample" in path or path.startswith("/dev/zero"):
        continue
    begin, end = (int(x, 16) for x in fields[0].split("-"))
    code = digest(begin, end - begin) if fields[1][:2] == "r-" else ""
    print(fields[0], fields[1], path, code)
    if int(fields[2], 16) == 0:
        for name, at, n in tables(path, begin):
            print(path, name, digest(at, n), led(at, n))
print(sorted(os.listdir(f"/proc/{pid}/fd"), key=int))
names = set()
for tid in os.listdir(f"/proc/{pid}/task"):
    try:
        names.add(open(f"/proc/{pid}/task/{tid}/comm").read())
    except OSError:
        pass  # it has ended
print(names)
