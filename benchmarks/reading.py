"""Reading and indexing results: seconds and peak memory, each time in a fresh process.

    python benchmarks/reading.py ../shared/data/atcoder_2016_2023.results.parquet

Beside podium stand Polars and pandas, which read the same file and turn players and events into codes: the
least any rating needs, with nothing checked. The clock starts after the imports, and the file is in the
system's cache.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from common import (
    REPOSITORY,
    below,
    console,
    print_machine,
    print_table,
    run_fresh,
    temporary_folder,
)

DATA = REPOSITORY / "../shared/data/atcoder_2016_2023.results.parquet"
CSV_MATCHES, CSV_PLAYERS = 10_000_000, 1_000_000
SECONDS_LEVEL, MEMORY_LEVEL = 1.5, 1000.0

_CLOCK = """
import json, sys, time
path = sys.argv[1]
{imports}
start, cpu = time.perf_counter(), time.process_time()
{work}
print(json.dumps({{"wall": time.perf_counter() - start, "cpu": time.process_time() - cpu, "rows": {rows}}}))
"""


def program(imports: str, work: str, rows: str) -> str:
    """A program that times its work."""
    return _CLOCK.format(imports=imports, work=work, rows=rows)


READ_RESULTS = {
    "podium.read_history": program(
        "import polars\nfrom podium import read_history", "history = read_history(path)", "history.rows"
    ),
    "polars, codes": program(
        "import polars as pl",
        """frame = pl.read_parquet(path)
for name in ("event", "player"):
    codes = frame[name].cast(pl.String).cast(pl.Categorical).to_physical().to_numpy()""",
        "len(frame)",
    ),
    "pandas, codes": program(
        "import pandas as pd",
        """frame = pd.read_parquet(path)
for name in ("event", "player"):
    codes, names = pd.factorize(frame[name])""",
        "len(frame)",
    ),
}

READ_MATCHES = {
    "podium.read_history": READ_RESULTS["podium.read_history"],
    "podium.read_chunks": program(
        "import polars\nfrom podium import read_chunks",
        "rows = sum(history.rows for history in read_chunks(path))",
        "rows",
    ),
    "polars, codes": program(
        "import polars as pl",
        """frame = pl.read_csv(path)
names = pl.concat([frame["player_a"], frame["player_b"]]).cast(pl.String)
codes = names.cast(pl.Categorical).to_physical().to_numpy()""",
        "2 * len(frame)",
    ),
    "pandas, codes": program(
        "import pandas as pd",
        """frame = pd.read_csv(path)
codes, names = pd.factorize(pd.concat([frame["player_a"], frame["player_b"]]))""",
        "2 * len(frame)",
    ),
}

WRITE_MATCHES = """
import sys
import numpy as np, polars as pl
path, n_matches, n_players = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rng = np.random.default_rng(1)
a = rng.integers(0, n_players, n_matches)
b = (a + rng.integers(1, n_players, n_matches)) % n_players
names = pl.Series([f"player{i}" for i in range(n_players)])
pl.DataFrame(
    {
        "player_a": names.gather(a),
        "player_b": names.gather(b),
        "score_a": rng.choice([0.0, 0.5, 1.0], n_matches, p=[0.45, 0.1, 0.45]),
        "time": 1_600_000_000 + np.arange(n_matches),
    }
).write_csv(path)
"""


def measure(title: str, path: Path, programs: dict[str, str], repeats: int, *, level: bool = False) -> None:
    """Run every reader several times on one file and print the fastest of each."""
    path.read_bytes()  # into the file cache
    rows = []
    for name, code in programs.items():
        processes = [run_fresh([sys.executable, "-c", code, str(path)]) for _ in range(repeats)]
        fastest = min((process.answer for process in processes), key=lambda answer: answer["wall"])
        peak = min(process.peak_mb for process in processes)
        podium = name.startswith("podium")
        if podium and not rows:
            reference = fastest["wall"]
        met = ""
        if level and podium:
            met = f"{below(SECONDS_LEVEL, {'': fastest['wall']})}, {below(MEMORY_LEVEL, {'': peak})}"
        rows.append(
            (
                name,
                f"{fastest['rows']:,}",
                f"{fastest['wall']:.2f}",
                f"{fastest['cpu']:.2f}",
                f"{peak:,.0f}",
                f"{reference / fastest['wall']:.1f}×",
                met,
            )
        )
    columns = ["reader", ">rows", ">wall s", ">CPU s", ">peak MB", ">podium takes", "levels met"]
    size = path.stat().st_size / 1e6
    print_table(
        f"{title} ({size:,.0f} MB)",
        columns if level else columns[:-1],
        rows if level else [r[:-1] for r in rows],
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, nargs="?", default=DATA, metavar="DATA", help="AtCoder's results")
    parser.add_argument("--quick", action="store_true", help="the generated file at a hundredth of the size")
    parser.add_argument("--repeat", type=int, default=5, help="the fastest of so many processes counts")
    arguments = parser.parse_args()
    print_machine(("podium", "numpy", "polars", "pandas", "pyarrow"))
    if arguments.data.exists():
        title = f"{arguments.data.name}: level < {SECONDS_LEVEL} s, < {MEMORY_LEVEL:g} MB"
        measure(title, arguments.data, READ_RESULTS, arguments.repeat, level=True)
    else:
        console.print(f"skipped: {arguments.data} does not exist\n")
    share = 100 if arguments.quick else 1
    sizes = CSV_MATCHES // share, CSV_PLAYERS // share
    with temporary_folder() as folder:
        path = folder / "matches.csv"
        run_fresh([sys.executable, "-c", WRITE_MATCHES, str(path), *map(str, sizes)])
        title = f"generated CSV of {sizes[0]:,} matches, {sizes[1]:,} players"
        measure(title, path, READ_MATCHES, min(arguments.repeat, 2))


if __name__ == "__main__":
    main()
