# SPDX-License-Identifier: MIT
"""Bytes per sample, of a long run of cc1."""

import work
from measure import stat
from table import Peer, Row

NAME = "size"
TITLE = "bytes per sample"
UNIT = "bytes of file"


def run(bench):
    rows = []
    for rate in (1000, 250):
        ours = work.recording(bench, bench.ours, rate)
        peers = []
        for peer in bench.peers(*(["gperftools"] if rate == 250 else []), "perf -g", "perf dwarf"):
            theirs = work.recording(bench, peer, rate)
            note = f"{theirs.samples:,} samples"
            peers.append(Peer(peer.name, stat([theirs.size / theirs.samples]), note))
        note = f"{ours.samples:,} samples"
        each = stat([ours.size / ours.samples])
        rows.append(Row(TITLE, f"cc1, {rate:,}/s", UNIT, each, peers, at_most=8, note=note))
    bench.note(
        TITLE,
        "One run each. gperftools takes no more samples per second than the kernel's clock has ticks. "
        "perf -g follows frame pointers, which Debian's programs do not keep, so its stacks are cut.",
    )
    return rows
