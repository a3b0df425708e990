# SPDX-License-Identifier: MIT
"""A redis-server of our own at a socket, which redis-benchmark asks."""

import os
import shutil
import socket
import time

from measure import Failure, must

PROGRAM = "redis-check-rdb"  # Debian's package redis-tools has the server under this name
BENCHMARK = "redis-benchmark"
ALONE = ["--port", "0", "--save", "", "--appendonly", "no", "--daemonize", "no"]


def missing():
    """Why no server can be started here, or None."""
    for name in (PROGRAM, BENCHMARK):
        if not shutil.which(name):
            return f"no {name} on this machine"
    return None


def processors():
    """One for the servers, and one for who asks them: the same if there is no other."""
    known = sorted(os.sched_getaffinity(0))
    return {known[-1]}, {known[0]}


class Server:
    """A server that runs until it is stopped. `wrap` makes command and environment of a command."""

    def __init__(self, bench, name, wrap):
        self.bench, self.name = bench, name
        self.socket = bench.runner.path(f"{name}.socket")
        program = bench.runner.path("redis-server")
        if not os.path.lexists(program):
            os.symlink(shutil.which(PROGRAM), program)
        argv, env = wrap([program, *ALONE, "--unixsocket", self.socket])
        out = bench.runner.path(f"{name}.log")
        self.started = bench.runner.start(
            f"spent.{name}", argv, env, 600, out, processors=processors()[0]
        )
        self.pid = self.wait()

    def say(self, words):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(10)
            connection.connect(self.socket)
            connection.sendall(f"{words}\r\n".encode())
            return connection.recv(65536).decode()

    def wait(self):
        """Its process id, as soon as it answers."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                answer = self.say("INFO server")
                lines = (line.partition(":") for line in answer.splitlines())
                return next(int(value) for key, _, value in lines if key == "process_id")
            except (OSError, StopIteration):
                if self.started[0].poll() is not None:
                    break
                time.sleep(0.02)
        raise Failure(f"redis-server, {self.name}: does not answer")

    def used_ns(self):
        """CPU time of its main thread, which answers."""
        with open(f"/proc/{self.pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[0])

    def ask(self, requests):
        """Requests per second, and nanoseconds of the server's CPU time for each."""
        argv = [BENCHMARK, "-s", self.socket, "-t", "set,get", "-n", str(requests), "--csv", "-q"]
        used = self.used_ns()
        run = must(self.bench.runner.run(argv, output=True, processors=processors()[1]), BENCHMARK)
        used = self.used_ns() - used
        rates = []
        for words in (line.split(",") for line in run.output.splitlines()):
            if words[0].strip('"') in ("SET", "GET"):
                rates.append(float(words[1].strip('"')))
        if len(rates) != 2:
            raise Failure(f"{BENCHMARK}: {run.output.strip()[-200:]}")
        return 2 / sum(1 / rate for rate in rates), used / 2 / requests

    def stop(self):
        """Ends the server. What it has used."""
        try:
            self.say("SHUTDOWN NOSAVE")
        except OSError:
            pass
        return self.bench.runner.finish(self.started)
