# SPDX-License-Identifier: MIT
"""Compiles, runs and drops functions for so many seconds, in threads that come and go. All names of one
text have the same number, and so has its file."""
import sys
import threading
import time
import zlib

END = time.time() + float(sys.argv[1])
TEXT = """
def f_{n}(d):
    s = 0
    for i in range(60):
        s += i
    if d:
        s += f_{n}(d - 1)
    return s
class C_{n}:
    def m_{n}(self, x):
        return -f_{n}(x % 3)
    def g_{n}(self):
        for i in range(30):
            yield self.m_{n}(i)
def run_{n}():
    c = C_{n}()
    sorted(range(20), key=c.m_{n})
    sum(c.g_{n}())
    pack(bytes(2000))
    (lambda: f_{n}(3))()
run_{n}()
"""


def run(number):
    text = TEXT.replace("{n}", number)
    exec(compile(text, f"made_{number}.py", "exec"), {"pack": zlib.compress})


def work(k):
    i = 0
    while time.time() < END:
        i += 1
        run(f"{k}x{i % 700:03}")


def short_threads():
    while time.time() < END:
        threads = [threading.Thread(target=run, args=(f"9x{j:03}",)) for j in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()


workers = [threading.Thread(target=work, args=(k,)) for k in range(3)]
workers.append(threading.Thread(target=short_threads))
for t in workers:
    t.start()
for t in workers:
    t.join()
