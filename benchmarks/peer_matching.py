"""The best matching of a graph by a peer: runs in the peers' environment, prints one line of JSON.

    .venv-peers/bin/python benchmarks/peer_matching.py FOLDER rustworkx

FOLDER holds first.npy and second.npy, the ends of the edges, and weight.npy, whole numbers: rustworkx takes
no others. Making the package's graph is not timed.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

Edges = list[tuple[int, int, int]]
Pairs = set[tuple[int, int]]


def by_rustworkx(players: int, edges: Edges) -> Callable[[], Pairs]:
    """The function to be timed."""
    import rustworkx

    graph: Any = rustworkx.PyGraph()
    graph.add_nodes_from(range(players))
    graph.add_edges_from(edges)
    return lambda: rustworkx.max_weight_matching(graph, weight_fn=int)


def by_networkx(players: int, edges: Edges) -> Callable[[], Pairs]:
    """The function to be timed."""
    import networkx

    graph: Any = networkx.Graph()
    graph.add_nodes_from(range(players))
    graph.add_weighted_edges_from(edges)
    return lambda: networkx.max_weight_matching(graph)


PEERS = {"rustworkx": by_rustworkx, "networkx": by_networkx}


def main() -> None:
    """Match and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("method", choices=PEERS)
    given = parser.parse_args()
    first, second, weight = (np.load(given.folder / f"{n}.npy") for n in ("first", "second", "weight"))
    edges = list(zip(first.tolist(), second.tolist(), weight.tolist(), strict=True))
    match = PEERS[given.method](int(max(first.max(), second.max())) + 1, edges)
    wall, cpu = time.perf_counter(), time.process_time()
    pairs = match()
    timing = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    weighs = {(i, j): w for i, j, w in edges}
    total = sum(weighs[min(pair), max(pair)] for pair in pairs)
    print(json.dumps({"version": version(given.method), "weight": total, "pairs": len(pairs), **timing}))


if __name__ == "__main__":
    main()
