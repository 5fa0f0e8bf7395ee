"""How well `auto` predicts real results, beside the preset for each set, and how long it takes.

    python benchmarks/auto.py ../shared/data             # all seven sets, then one match at a time
    python benchmarks/auto.py ../shared/data Tennis      # one of them

Two of the sets are contests, AtCoder (minutes) and Formula 1, where the order of players counts. Sets, parts
that are judged and numbers are those of benchmarks/presets.py. Seconds are those of rating all events once,
by the clock and of all cores together; the memory is the largest so far. The last columns are by how much
`win_probability` misses what experts say of any two players, at the end of the part that is not judged: by
the ratings that are kept, and by ratings computed then.
"""

from __future__ import annotations

import resource
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from presets import LEFT_OUT, SETS, judged

import podium
from podium.presets import preset_for

MATCHES_ONLINE = 2000
PAIRS = 20_000


def main() -> None:
    """Print two tables for docs/auto.md."""
    warnings.simplefilter("ignore")
    folder, wanted = Path(sys.argv[1]), sys.argv[2:] or list(SETS)
    print(
        "| data | system | pairs in order / ranks off, all players | experienced | log loss | slope |", end=""
    )
    print(" seconds | CPU | memory | missed: mean, 99%, worst | by ratings of then |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for name in wanted:
        file, since = SETS[name]
        history = podium.read_history(folder / file, columns=dict.fromkeys(LEFT_OUT.get(name, [])))
        for system in ("auto", preset_for(history).name):
            made = podium.make_system(system)
            numbers = [*timed(history, made), *judged(history, made, since)]
            far = missed(history[: round(since * len(history))], made) if since else ["", ""]
            print(f"| {name} | {system} | {' | '.join(numbers[3:] + numbers[:3] + far)} |", flush=True)
    median, best = one_match()
    words = f"median {median:.2f} ms of CPU time, best {best:.2f}"
    print(f"\none match recorded: {words}, with {len(podium.Auto().experts)} experts")


def timed(history: podium.History, system: podium.RatingSystem) -> list[str]:
    """Seconds by the clock, CPU seconds and the largest memory, as text."""
    podium.rate(history[:100], system)
    wall, cpu = time.perf_counter(), time.process_time()
    podium.rate(history, system)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return [f"{wall:.1f}", f"{cpu:.1f}", f"{memory:.1f} GiB"]


def missed(history: podium.History, system: podium.RatingSystem) -> list[str]:
    """By how much two ratings miss `predict`, of random pairs of players who have played, as text.

    First those that are kept, then those computed now.
    """
    state = system.new_state()
    system.update(state, history)
    at = int(history.time[-1])
    a, b = np.random.default_rng(1).choice(np.flatnonzero(state["events"] > 0), (2, PAIRS))
    a, b = a[a != b], b[a != b]
    predicted, found = system.predict(state, a, b, at=at), []
    for beliefs in (system.view, system.current_belief):
        (mu_a, sigma_a), (mu_b, sigma_b) = (beliefs(state, players, at) for players in (a, b))
        far = np.abs(system.win_probability(mu_a, sigma_a, mu_b, sigma_b) - predicted)
        found.append(f"{far.mean():.2f}, {np.quantile(far, 0.99):.2f}, {far.max():.2f}")
    return found


def one_match() -> tuple[float, float]:
    """Milliseconds of CPU time to record a match between players that a ladder knows: median and best."""
    ladder = podium.Ladder("auto")
    spent = []
    for number in range(MATCHES_ONLINE):
        began = time.process_time()
        ladder.record_match(f"a{number % 50}", f"b{number % 47}", time=1e9 + 3600 * number)
        spent.append(1000.0 * (time.process_time() - began))
    settled = spent[MATCHES_ONLINE // 2 :]
    return float(np.median(settled)), min(settled)


if __name__ == "__main__":
    main()
