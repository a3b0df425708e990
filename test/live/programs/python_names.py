# SPDX-License-Identifier: MIT
"""Works for so many seconds in parts that it times, and prints how long each part took."""
import random
import sys
import threading
import time
import zlib

UNIT = 400
spent = {}


def timed(name, part, *arguments):
    begin = time.thread_time_ns()
    part(*arguments)
    spent[name] = spent.get(name, 0) + time.thread_time_ns() - begin


def a(n):
    s = 0
    for i in range(n):
        s += i * i % 7
    return s


def b(n):
    s = 0
    for i in range(n):
        s += i * i % 7
    return s


def caller_of_a():
    for _ in range(20):
        a(2 * UNIT)


def caller_of_b():
    for _ in range(20):
        b(UNIT)


def down(depth):
    if depth:
        down(depth - 1)
    else:
        caller_of_a()


def numbers(n):
    for i in range(n):
        yield a(i % 40)


def summed():
    return sum(numbers(UNIT))


class Sorter:
    def key(self, x):
        return -a(x % 5)

    def sort(self):
        return sorted(range(2 * UNIT), key=self.key)


def fails(depth):
    if not depth:
        raise ValueError(a(UNIT))
    try:
        fails(depth - 1)
    finally:
        b(UNIT)


def catches():
    for _ in range(10):
        try:
            fails(3)
        except ValueError:
            a(UNIT)


def größer(n):
    return (lambda: b(n))()


def packed():
    zlib.compress(bytes(range(256)) * 64, 9)  # without the interpreter's lock


def in_thread():
    timed("in_thread (names.py)", lambda: [b(UNIT) for _ in range(10)])


def part_of_thread():
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()


def main():
    end = time.process_time() + float(sys.argv[1])
    sorter = Sorter()
    parts = [
        ("caller_of_a (names.py)", caller_of_a),
        ("caller_of_b (names.py)", caller_of_b),
        ("down (names.py)", down, 7),
        ("summed (names.py)", summed),
        ("Sorter.sort (names.py)", sorter.sort),
        ("catches (names.py)", catches),
        ("größer (names.py)", größer, 5 * UNIT),
        ("packed (names.py)", packed),
    ]
    while time.process_time() < end:
        # In no order, so that nothing is in step with a clock.
        for part in random.choices(parts, k=len(parts)):
            timed(*part)
        part_of_thread()


if __name__ == "__main__":
    main()
    spent["caller_of_a (names.py)"] += spent["down (names.py)"]  # which calls it
    del spent["in_thread (names.py)"]  # it is too short for each clock
    for name, ns in spent.items():
        print(ns, name)
    print(time.process_time_ns(), "process")
