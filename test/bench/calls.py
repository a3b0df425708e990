# SPDX-License-Identifier: MIT
"""What it costs that each call is counted, and how many contexts real programs have: Spivey's tables.

lua, tcc and TeX are built from Debian's sources, bare and with each way to tell of calls. They run in turns:
bare, with hooks that do nothing, with ours and with gprof's; once below uftrace and callgrind. What is
credited is measured apart, with more samples.
"""

import os
import shutil
import statistics
import subprocess
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import grid
from measure import Failure, in_turns, must, stat

NAME, PAGE = "calls", "calls.md"
COST = "each call counted"
UNIT = "of alternating runs"
SIZES = "contexts that were counted"
TRUE = "credited time with calls counted"
ROUNDS = 7
RATE = 4000  # samples per second, where it is measured what is credited
GOALS = {"lua": 1, "tcc": 2, "TeX": 1}  # times gprof's, at most
WITHIN = 10  # %
FLAGS = {"pg": ["-pg"], "fentry": ["-pg", "-mfentry"], "cyg": ["-finstrument-functions"]}
WAYS = {"pg": "-pg", "fentry": "-pg -mfentry", "cyg": "-finstrument-functions"}
OPTIMISED = ["-O2", "-fno-optimize-sibling-calls"]  # gprof and callgrind see the same calls then
EMPTY = """
__asm__(".globl mcount, _mcount, __fentry__\\nmcount: _mcount: __fentry__: ret");
void __cyg_profile_func_enter(void *function, void *site) {}
void __cyg_profile_func_exit(void *function, void *site) {}
"""
# Table I, below SIZE_HEADS.
PAPER = {
    "the paper's TeX": ["456", "32.6", "8,286", "8,355", "9.30", "23", "0.66", "0.44", "0.27"],
    "the paper's GCC": ["1,703", "61.2", "55,437", "57,777", "13.1", "29", "5.24", "3.79", "0.94"],
    "the paper's pProlog": ["115", "47.6", "435", "443", "10.3", "19", "0.07", "0.02", "0.14"],
}
SIZE_HEADS = ["functions", "calls, M", "states", "transitions", "depth", "deepest", "memory, MB"]
SIZE_HEADS += ["file, MB", "gmon.out, MB"]
COST_HEADS = ["CPU, s", "above bare, %", "quartiles", "times gprof's"]
TRUE_HEADS = ["bare, s", "counted, s", "credited, s", "more, %", "quartiles", "profiling, s"]
TRUE_HEADS += ["samples"]


class Line(grid.Line):
    page = PAGE


@dataclass
class Program:
    name: str
    made: dict  # how it was compiled -> its path
    argv: list
    env: dict = field(default_factory=dict)


def compile_with(argv):
    ran = subprocess.run(argv, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise Failure(f"{argv[0]} {argv[-1]}: {ran.stderr.strip()[-300:]}")


def source(bench, package):
    """Its directory in the cache, or None."""
    cache = os.path.join(bench.build, "cache")
    command = [bench.work("debian"), "source", cache, package]
    if subprocess.run(command, check=False).returncode == 0:
        return os.path.join(cache, package)
    bench.remark(f"calls are counted without {package}: its source could not be had")
    return None


def make(bench, name, argv):
    """The program, compiled in each way. argv: sources and libraries."""
    made, commands = {}, []
    for how, flags in {"bare": [], **FLAGS}.items():
        made[how] = bench.runner.path(f"{name}.{how}")
        commands.append(["gcc", *OPTIMISED, *flags, "-o", made[how], *argv])
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_with, commands))
    return made


def lua(bench):
    directory = source(bench, "lua5.4")
    if not directory:
        return None
    names = sorted(os.listdir(os.path.join(directory, "src")))
    files = [name for name in names if name.endswith(".c") and name != "luac.c"]
    paths = [os.path.join(directory, "src", name) for name in files]
    often = str(bench.size(20, 1))
    return Program("lua", make(bench, "lua", [*paths, "-lm"]), [bench.work("counted.lua"), often])


def tcc(bench):
    """It compiles SQLite: one file, as its authors give it out."""
    directory = source(bench, "tcc")
    cache = os.path.join(bench.build, "cache")
    fetch = [bench.work("amalgamation"), cache, bench.runner.path("amalgamation.i")]
    if not directory:
        return None
    if subprocess.run(fetch, check=False).returncode != 0:
        bench.remark("calls are counted without tcc: the SQLite amalgamation could not be had")
        return None
    copy = bench.runner.path("tcc.source")
    shutil.copytree(directory, copy)
    subprocess.run(["./configure"], cwd=copy, capture_output=True, check=True)
    libraries = ["-ldl", "-lm", "-lpthread"]
    made = make(bench, "tcc", ["-I", copy, os.path.join(copy, "tcc.c"), *libraries])
    places = subprocess.run(["gcc", "-print-multiarch"], capture_output=True, text=True, check=True)
    headers = os.path.join("/usr/include", places.stdout.strip())
    argv = ["-B", copy, "-I", os.path.join(copy, "include"), "-I", headers, "-c"]
    argv += [os.path.join(cache, "sqlite3.c"), "-o", bench.runner.path("sqlite3.o")]
    return Program("tcc", made, argv)


def tex(bench):
    """Knuth's TeX typesets its own source, 536 pages."""
    cache = os.path.join(bench.build, "cache")
    if subprocess.run([bench.work("tex"), cache], check=False).returncode != 0:
        bench.remark("calls are counted without TeX: its source could not be had or not be built")
        return None
    top = os.path.join(cache, "tex")
    web2c, library = os.path.join(top, "web2c"), os.path.join(top, "kpathsea")
    argv = ["-w", "-DHAVE_CONFIG_H", "-DMAKE_KPSE_DLL=0"]
    for folder in (web2c, os.path.join(web2c, "w2c"), top, library):
        argv += ["-I", folder]
    for folder in (web2c, os.path.join(web2c, "lib"), library):
        argv += sorted(path.path for path in os.scandir(folder) if path.name.endswith(".c"))
    made = make(bench, "tex", [*argv, "-lm"])
    files, here = os.path.join(top, "files"), bench.runner.directory
    env = {"TEXINPUTS": f"{top}:{files}:{here}", "TFMFONTS": files, "TEXFORMATS": here}
    with open(bench.runner.path("texmf.cnf"), "w", encoding="ascii"):
        env["TEXMFCNF"] = here
    dump = [made["bare"], "-ini", "-interaction=batchmode", "\\input plain \\dump"]
    must(bench.runner.run(dump, env), "TeX's format")
    return Program("TeX", made, ["-fmt=plain", "-interaction=batchmode", "tex.tex"], env)


PROGRAMS = [lua, tcc, tex]


# ---- the recording -------------------------------------------------------------------------------


def numbers(data, at, end):
    """Varints."""
    while at < end:
        value = shift = 0
        while True:
            byte, at = data[at], at + 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        yield value, at


def machines_of(path):
    """The states of each thread's machine, from a recording: (the state before it, its function)."""
    with open(path, "rb") as file:
        data = zlib.decompressobj().decompress(file.read()[9:])
    machines, at = {}, 0
    while at < len(data):
        kind, at = next(numbers(data, at, len(data)))
        size, at = next(numbers(data, at, len(data)))
        if kind == 18:
            words = [value for value, _ in numbers(data, at, at + size)]
            machines.setdefault(words[0], []).extend(zip(words[4::4], words[5::4]))
        at += size + 4
    return machines


def extended(history, function):
    """Steps A2 to A5 of the paper: functions, which are marked if they are called again later."""
    marked = [(f, again or f == function) for f, again in history] + [(function, False)]
    out = []
    for i, entry in enumerate(marked):
        inside = 0 < i < len(marked) - 1 and all(m[1] for m in marked[i - 1 : i + 2])
        if not inside and not (out and entry[1] and out[-1] == entry):
            out.append(entry)
    return out


def depths(path):
    """The lengths of the histories of all states."""
    found = []
    for states in machines_of(path).values():
        histories = [[]]
        for before, function in states:
            histories.append(extended(histories[before], function >> 1))
        found += map(len, histories[1:])
    return found


# ---- the tables ----------------------------------------------------------------------------------


def way(bench, program, how, env=()):
    argv, env = [program.made[how], *program.argv], {**program.env, **dict(env)}
    return lambda: must(bench.runner.run(argv, env), f"{program.name} {how}")


def ways(bench, program, empty):
    """Name -> a function that runs the program so."""
    cases = {"bare": way(bench, program, "bare")}
    cases["sampled only"] = recorded(bench, program, "bare")
    for how, flags in WAYS.items():
        cases[f"empty hooks, {flags}"] = way(bench, program, how, {"LD_PRELOAD": empty})
    for how, flags in WAYS.items():
        cases[f"cpsample, {flags}"] = recorded(bench, program, how)
    cases["gprof, -pg"] = below_gprof(bench, program)
    return cases


def recorded(bench, program, how, rate=None):
    """Runs it, and reads what the recording says. rate: samples per second, if not the default's."""
    path = bench.runner.path(f"{how}.cps")
    env = {"LD_PRELOAD": bench.library, "CPSAMPLE_OUTPUT": path}
    if rate:
        env = bench.ours.wrap([], path, rate)[1]
    run = way(bench, program, how, env)

    def once():
        bench.plain.remove(path)
        ran = run()
        ran.info = bench.ours.info(path)
        if rate:
            bench.ours.samples(path, ran)  # says if there is no such clock here
        return ran

    return once


def below_gprof(bench, program):
    """Runs it, and keeps its gmon.out, which the programs with empty hooks write, too."""
    run = way(bench, program, "pg")

    def once():
        ran = run()
        os.replace(bench.runner.path("gmon.out"), bench.runner.path("gmon.kept"))
        return ran

    return once


def above(bare, runs):
    return [100 * (run.cpu / base.cpu - 1) for base, run in zip(bare, runs)]


def quartiles(values, form):
    found = stat(values)
    return f"{found.low:{form}} .. {found.high:{form}}"


def costs(program, results):
    bare, gprof = results["bare"], stat(above(results["bare"], results["gprof, -pg"])).median
    for name, runs in results.items():
        values, remark, times = above(bare, runs), "", ""
        found = stat(values)
        if name.startswith("cpsample"):
            times = f"{found.median / gprof:.2f}x"
            goal = GOALS[program.name]
            word = "reached" if found.median <= goal * gprof else "missed"
            remark = f"{word}: at most {goal}x"
        cells = [f"{statistics.median(run.cpu for run in runs):.2f}"]
        cells += [f"{found.median:+.0f}", quartiles(values, "+.0f"), times]
        if name == "bare":
            cells[1:] = ["", "", ""]
        case = f"{program.name}: {name}"
        measured = {"cpu": [run.cpu for run in runs], "above": values}
        yield Line(COST, UNIT, COST_HEADS, case, cells, remark, measured)


def slow(bench, program, results):
    """Those that take long run once."""
    out, argv = bench.runner.path("traced"), program.argv
    tools = {
        "uftrace": ["uftrace", "record", "--no-pager", "-d", out, program.made["pg"]],
        "valgrind": ["valgrind", "-q", "--tool=callgrind", f"--callgrind-out-file={out}"],
    }
    tools["valgrind"].append(program.made["bare"])
    for tool, command in tools.items():
        bench.progress(f"{NAME}: {program.name}, {tool}")
        name = "callgrind" if tool == "valgrind" else f"{tool}, -pg"
        case = f"{program.name}: {name}, one run"
        if not shutil.which(tool):
            yield Line(COST, UNIT, COST_HEADS, case, [], f"no {tool} on this machine")
            continue
        run = must(bench.runner.run([*command, *argv], program.env), tool)
        bare = statistics.median(each.cpu for each in results["bare"])
        cells = [f"{run.cpu:.2f}", f"{100 * (run.cpu / bare - 1):+.0f}", "", ""]
        size = bench.plain.size(out) / 1e6
        yield Line(COST, UNIT, COST_HEADS, case, cells, f"{size:,.1f} MB", {"cpu": [run.cpu]})
        bench.plain.remove(out)


def sizes(bench, program, results):
    for how, flags in WAYS.items():
        path, runs = bench.runner.path(f"{how}.cps"), results[f"cpsample, {flags}"]
        info, deep = runs[-1].info, depths(path)
        more = [a.rss - b.rss for a, b in zip(runs, results["sampled only"])]
        gmon = bench.runner.path("gmon.kept")
        keys = ["called_functions", "calls", "call_states", "call_transitions"]
        values = {key: int(info[key]) for key in keys}
        cells = [f"{values[key]:,}" for key in keys]
        cells[1] = f"{values['calls'] / 1e6:.1f}"
        cells += [f"{statistics.mean(deep):.1f}", f"{max(deep)}"]
        cells.append(f"{statistics.median(more) / 1e6:.2f}")
        cells.append(f"{os.path.getsize(path) / 1e6:.3f}")
        cells.append(f"{os.path.getsize(gmon) / 1e6:.3f}" if how == "pg" else "")
        yield Line(SIZES, "of one run", SIZE_HEADS, f"{program.name}, {flags}", cells, "", values)


def truths(bench, program):
    """Runs with many samples: by four in a thousand nothing is decided."""
    cases = {"bare": way(bench, program, "bare")}
    for how, flags in WAYS.items():
        cases[flags] = recorded(bench, program, how, RATE)
    bench.progress(f"{NAME}: {program.name}, what is credited")
    results = in_turns(bench.size(ROUNDS, 1), cases)
    bare = results.pop("bare")
    for flags, runs in results.items():
        credited = [int(run.info["credited_ns"]) / 1e9 for run in runs]
        hooks = [int(run.info["hooks_ns"]) / 1e9 for run in runs]
        samples = sum(int(run.info["samples"]) for run in runs)
        more = [100 * (ours / base.cpu - 1) for ours, base in zip(credited, bare)]
        median = stat(more).median
        times = [[run.cpu for run in bare], [run.cpu for run in runs], credited]
        cells = [f"{statistics.median(each):.2f}" for each in times]
        cells += [f"{median:+.1f}", quartiles(more, "+.1f"), f"{statistics.median(hooks):.2f}"]
        cells.append(f"{samples:,}")
        remark = f"within {WITHIN} %" if abs(median) <= WITHIN else f"beyond {WITHIN} %"
        measured = {"credited": credited, "hooks": hooks, "bare": times[0], "samples": samples}
        case = f"{program.name}, {flags}"
        yield Line(TRUE, "of alternating runs", TRUE_HEADS, case, cells, remark, measured)


def run(bench):
    cost, size, true = [], [], []
    path = bench.runner.path("empty.c")
    with open(path, "w", encoding="ascii") as file:
        file.write(EMPTY)
    empty = bench.runner.path("empty.so")
    compile_with(["gcc", "-O2", "-shared", "-fPIC", "-o", empty, path])
    for build in PROGRAMS:
        bench.progress(f"{NAME}: {build.__name__}")
        try:
            program = build(bench)
            if program:
                results = in_turns(bench.size(ROUNDS, 1), ways(bench, program, empty))
                cost += [*costs(program, results), *slow(bench, program, results)]
                size += sizes(bench, program, results)
                true += truths(bench, program)
        except Failure as why:  # the other program is worth having
            bench.remark(f"calls are counted without {build.__name__}: {why}")
    if not cost:
        raise Failure("none of the programs' sources could be had")
    size += [Line(SIZES, "of one run", SIZE_HEADS, name, cells) for name, cells in PAPER.items()]
    for title, words in NOTES:
        bench.note(title, words.format(rounds=bench.size(ROUNDS, 1)))
    return cost + size + true


NOTES = [
    (
        COST,
        "Medians of {rounds} rounds, in which all take turns; above bare is taken within rounds. tcc "
        "compiles the SQLite amalgamation, TeX typesets its own source. The programs are compiled with -O2 "
        "-fno-optimize-sibling-calls. empty hooks: a library whose hooks return at once, preloaded. "
        "sampled only: the bare program with cpsample. The paper has for TeX dummy +30, aprof +92, "
        "gprof +134 %, for GCC +25, +121, +99 %, for pProlog +37, +97, +195 %.",
    ),
    (
        SIZES,
        "depth: entries in the histories of the states, in the mean. memory: the greatest resident size "
        "above that of the bare program with cpsample; the paper's is without the table of transitions "
        "(0.5 MB). file: the recording, in which the counted calls are compressed.",
    ),
    (
        TRUE,
        f"The clock perf with {RATE:,} samples per second. more: the credited time above what the bare "
        "program used in the same round. profiling: the time of the line [profiling], which no function "
        "has. samples: of all rounds, without those in hooks.",
    ),
]
