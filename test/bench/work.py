# SPDX-License-Identifier: MIT
"""What is recorded: programs of Debian at work (test/work), and recordings of a long run of cc1."""

import os
import shutil
import subprocess
from dataclasses import dataclass

from measure import Failure, Run


def lua(bench, seconds):
    return ["lua5.4", bench.work("words.lua"), str(max(1, round(15 * seconds)))]


def sqlite(bench, seconds):
    items = f".parameter set :items {round(150000 * seconds)}"
    return ["sqlite3", "-batch", "-cmd", items, ":memory:", f".read {bench.work('items.sql')}"]


def gzip(bench, seconds):
    """gzip of a file of numbers and words."""
    path = bench.runner.path(f"gzip.{seconds}")
    if not os.path.exists(path):
        with open(path, "w", encoding="ascii") as out:
            for i in range(round(seconds * 400000)):
                print(f"{i} {i * 2654435761 % 2**32:x} {i * i % 977} items", file=out)
    return ["gzip", "-c", path]


def sqlite_import(bench, seconds):
    """sqlite3 reads a table from a file into a database that has a file for as long as it runs."""
    path = bench.runner.path(f"import.{seconds}.csv")
    if not os.path.exists(path):
        with open(path, "w", encoding="ascii") as out:
            for i in range(round(seconds * 150000)):
                print(f"{i},{i * 7919 % 1009},item {i * 31 % 65537},{i * 37 % 10007}", file=out)
    steps = ["create table item(id integer primary key, owner, name, price)"]
    steps += ["create index by_name on item(name)", ".mode csv", f".import {path} item"]
    return ["sqlite3", "-batch", "", *steps, "select count(*) from item"]


def compiler():
    command = ["gcc", "-print-prog-name=cc1"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def generated(bench, functions):
    """A file of so many functions, for cc1."""
    path = bench.runner.path(f"functions.{functions}.i")
    if not os.path.exists(path):
        command = ["awk", "-v", f"functions={functions}", "-f", bench.work("functions.awk")]
        with open(path, "wb") as out:
            subprocess.run(command, stdout=out, check=True)
    return path


def cc1(bench, seconds):
    source = generated(bench, max(2, round(45 * seconds)))
    return [compiler(), "-quiet", "-fpreprocessed", "-O2", source, "-o", "/dev/null"]


ALL = {"lua": lua, "sqlite": sqlite, "cc1": cc1}


def long_cc1(bench):
    """cc1 on the SQLite amalgamation, or if that cannot be had on a generated file."""
    if bench.is_quick:
        return cc1(bench, 0.2)
    path = bench.runner.path("amalgamation.i")
    fetch = [bench.work("amalgamation"), os.path.join(bench.build, "cache"), path]
    if not os.path.exists(path) and subprocess.run(fetch, check=False).returncode != 0:
        bench.remark("cc1 compiles a generated file: the SQLite amalgamation could not be had")
        return cc1(bench, 20)
    return [compiler(), "-quiet", "-fpreprocessed", "-O1", path, "-o", "/dev/null"]


@dataclass
class Recording:
    path: str
    samples: int
    size: int
    run: Run


def recording(bench, recorder, rate):
    """The recording of the long run by that recorder at that rate. All figures share it."""
    key = (recorder.name, rate)
    if key not in bench.recordings:
        bench.progress(f"cc1, recorded by {recorder.name} at {rate:,}/s")
        out = bench.runner.path(f"cc1.{recorder.name.replace(' ', '.')}.{rate}{recorder.suffix}")
        argv, env = recorder.wrap(long_cc1(bench), out, rate)
        run = bench.runner.run(argv, env)
        samples = recorder.samples(out, run)
        if run.status != 0 or not samples:
            raise Failure(f"{recorder.name}: no recording: {run.errors.strip()[-300:]}")
        bench.recordings[key] = Recording(out, samples, recorder.size(out), run)
    return bench.recordings[key]


def copies(path, n):
    """n copies of this file, because a file that is named n times is read once."""
    names = [f"{path}.copy{i}" for i in range(n)]
    for name in names:
        shutil.copyfile(path, name)
    return names
