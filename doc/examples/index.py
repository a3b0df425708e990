# SPDX-License-Identifier: MIT
# index.py [--lazy]: makes an index of the words of a text: on which lines each of them stands.
#
# split_lines makes a list of the words of all lines, which are needed line by line only. With --lazy
# it makes those of one line at a time.
import random
import sys


class Word:
    def __init__(self, text):
        self.text = text
        self.lines = []


def read_lines(n):
    draw = random.Random(1)
    words = ["word%d" % i for i in range(2000)]
    return [" ".join(draw.choices(words, k=8)) for _ in range(n)]


def split_lines(lines):
    return [line.split() for line in lines]


def split_lines_lazily(lines):
    return (line.split() for line in lines)


def build_index(lines):
    index = {}
    for number, words in enumerate(lines):
        for text in words:
            index.setdefault(text, Word(text)).lines.append(number)
    return index


def main():
    split = split_lines_lazily if sys.argv[1:] == ["--lazy"] else split_lines
    lines = read_lines(40000)
    print(len(build_index(split(lines))), "words")


main()
