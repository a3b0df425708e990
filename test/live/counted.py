# SPDX-License-Identifier: MIT
# counted.py FILE NAME: prints how many gticks of a resource the recording says were counted.
import sys
import zlib


def varint(data, at):
    n = shift = 0
    while True:
        byte = data[at]
        at += 1
        n |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return n, at


def records(path):
    with open(path, "rb") as file:
        data = zlib.decompressobj().decompress(file.read()[9:])
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        length, at = varint(data, at)
        yield tag, data[at : at + length]
        at += length + 4


def fields(payload):
    at = 0
    while at < len(payload):
        key, at = varint(payload, at)
        value, at = varint(payload, at)
        if key & 1:
            value, at = payload[at : at + value].decode(), at + value
        yield key >> 1, value


def numbers(payload):
    at = 0
    while at < len(payload):
        number, at = varint(payload, at)
        yield number


names, counted = {}, {}
for tag, payload in records(sys.argv[1]):
    if tag == 12:
        resource = dict(fields(payload))
        names[resource[2]] = resource[1]
    elif tag == 14:
        all_numbers = list(numbers(payload))
        counted = dict(zip(all_numbers[::3], all_numbers[1::3]))
print(counted[names[sys.argv[2]]])
