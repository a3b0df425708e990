# SPDX-License-Identifier: MIT
"""Folded stacks whose tree has about as many nodes as asked for."""

import random

DEEPEST = 60
FUNCTIONS = 5000


def grow(n_nodes, draw):
    """Each stack follows an older one for a while, and then goes on by itself."""
    stacks, nodes = [[0]], 1
    while nodes < n_nodes:
        old = draw.choice(stacks)
        keep = draw.randrange(1, len(old) + 1)
        more = min(draw.randrange(1, 12), n_nodes - nodes)
        if keep + more <= DEEPEST:
            stacks.append(old[:keep] + [nodes + i for i in range(more)])
            nodes += more
    return stacks


def write(path, n_nodes):
    """Each stack has a weight, and so have two of its outer parts."""
    draw = random.Random(n_nodes)
    stacks = grow(n_nodes, draw)
    names = ["main"] + [f"fn_{int(FUNCTIONS * draw.random() ** 2)}" for _ in range(n_nodes)]
    with open(path, "w", encoding="ascii") as file:
        for stack in stacks:
            for n in (len(stack), draw.randrange(len(stack)) + 1, draw.randrange(len(stack)) + 1):
                weight = 1 + int(1e6 * draw.random() ** 6)
                file.write(f"{';'.join(names[node] for node in stack[:n])} {weight}\n")
