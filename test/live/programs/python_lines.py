# SPDX-License-Identifier: MIT
"""Works for so many seconds on lines whose shares are known: "= N" in a line of `work` is how often it calls `count`, in
all 16 times. Classes, generators, comprehensions, callbacks, recursion and threads are in it."""
import sys
import threading
import time
import zlib

UNIT = 300


def count(n):
    s = 0
    for i in range(n):
        s += i % 7
    return s


class Made:
    def __init__(self):
        self.value = count(UNIT)


def yielded(n):
    for _ in range(n):
        yield count(UNIT)


def nested(depth):
    if depth:
        return nested(depth - 1)
    return count(UNIT)


def work():
    count(UNIT)  # = 1
    count(  # = 3
        3 * UNIT
    )
    Made()  # = 1
    sum(yielded(4))  # = 4
    sum([count(UNIT) for _ in range(2)])  # = 2
    sorted([1, 2, 3], key=lambda x: count(UNIT))  # = 3
    nested(5); nested(0)  # = 2


def pack():
    zlib.compress(bytes(range(256)) * 400, 6)  # without the lock


def main():
    end = time.process_time() + float(sys.argv[1])
    while time.process_time() < end:
        for _ in range(20):
            work()
        thread = threading.Thread(target=pack)
        thread.start()
        thread.join()


main()
