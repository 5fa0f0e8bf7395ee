"""Reading and indexing results: seconds and peak memory, each time in a fresh process.

    python benchmarks/reading.py ../shared/data/atcoder_2016_2023.results.parquet

Beside podium stand Polars and pandas. They also turn players and events into codes, and times into moments:
the least any rating needs, with nothing checked. Ratios are to Polars, which reads the Parquet file and
nothing more, and for the CSV to pandas with codes and moments. The clock starts after the imports, and the
file is in the system's cache.

The last table reads files of three sizes in pieces: the peak must not grow with the file.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
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
GROWING_MATCHES = (2_500_000, 7_500_000, 15_000_000)
SECONDS_LEVEL, MEMORY_LEVEL = 1.5, 1000.0
RATIO_LEVEL, PIECES_MEMORY_LEVEL = 1.0, 1200.0
POLARS_ALONE, PANDAS = "polars alone", "pandas, codes and moments"

Levels = Callable[[float, float, tuple[float, float]], str]
"""What to say of a reader's wall time, its peak, and its wall and CPU time as multiples of the first's."""

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
    POLARS_ALONE: program("import polars as pl", "frame = pl.read_parquet(path)", "len(frame)"),
    "podium.read_history": program(
        "import polars\nfrom podium import read_history",
        "history = read_history(path)",
        "history.rows",
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

READ_IN_PIECES = program(
    "import polars\nfrom podium import read_chunks",
    "rows = sum(history.rows for history in read_chunks(path))",
    "rows",
)
READ_MATCHES = {
    PANDAS: program(
        "import pandas as pd",
        """frame = pd.read_csv(path)
codes, names = pd.factorize(pd.concat([frame["player_a"], frame["player_b"]]))
moments = pd.to_datetime(frame["time"], unit="s")""",
        "2 * len(frame)",
    ),
    POLARS_ALONE: program("import polars as pl", "frame = pl.read_csv(path)", "2 * len(frame)"),
    "podium.read_history": READ_RESULTS["podium.read_history"],
    "podium.read_chunks": READ_IN_PIECES,
    "polars, codes": program(
        "import polars as pl",
        """frame = pl.read_csv(path)
names = pl.concat([frame["player_a"], frame["player_b"]]).cast(pl.String)
codes = names.cast(pl.Categorical).to_physical().to_numpy()""",
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


def measure(title: str, path: Path, programs: dict[str, str], repeats: int, levels: Levels) -> None:
    """Run every reader several times on one file and print the fastest of each, beside the first of them."""
    path.read_bytes()  # into the file cache
    rows = []
    for name, code in programs.items():
        processes = [run_fresh([sys.executable, "-c", code, str(path)]) for _ in range(repeats)]
        answers = [process.answer for process in processes]
        wall, cpu = (min(answer[clock] for answer in answers) for clock in ("wall", "cpu"))
        peak = min(process.peak_mb for process in processes)
        if not rows:
            first, first_wall, first_cpu = name, wall, cpu
        ratios = wall / first_wall, cpu / first_cpu
        rows.append(
            (
                name,
                f"{answers[0]['rows']:,}",
                f"{wall:.2f}",
                f"{cpu:.2f}",
                f"{peak:,.0f}",
                *(f"{ratio:.1f}×" for ratio in ratios),
                levels(wall, peak, ratios) if name.startswith("podium") else "",
            )
        )
    ratio = f">of {first.partition(',')[0]}, wall"
    columns = ["reader", ">rows", ">wall s", ">CPU s", ">peak MB", ratio, ">CPU", "levels met"]
    print_table(f"{title} ({path.stat().st_size / 1e6:,.0f} MB)", columns, rows)


def results_levels(wall: float, peak: float, _: tuple[float, float]) -> str:
    """Whether the seconds and the memory are below their levels."""
    return f"{below(SECONDS_LEVEL, {'seconds': wall})}, {below(MEMORY_LEVEL, {'memory': peak})}"


def matches_levels(_: float, __: float, ratios: tuple[float, float]) -> str:
    """Whether reading takes less than so many times what pandas takes."""
    return below(RATIO_LEVEL, {"wall": ratios[0], "CPU": ratios[1]})


def measure_growth(folder: Path, share: int) -> None:
    """Read files of several sizes in pieces and print the peak of each."""
    rows = []
    for matches in GROWING_MATCHES:
        path = folder / "growing.csv"
        write_matches(path, matches // share, CSV_PLAYERS // share)
        process = run_fresh([sys.executable, "-c", READ_IN_PIECES, str(path)])
        size = path.stat().st_size / 1e6
        met = below(PIECES_MEMORY_LEVEL, {"memory": process.peak_mb})
        rows.append(
            (
                f"{size:,.0f}",
                f"{matches // share:,}",
                f"{process.answer['cpu']:.2f}",
                f"{process.peak_mb:,.0f}",
                met,
            )
        )
        path.unlink()
    print_table(
        f"podium.read_chunks, files of three sizes: level < {PIECES_MEMORY_LEVEL:g} MB at any size",
        [">file MB", ">matches", ">CPU s", ">peak MB", "level met"],
        rows,
    )


def write_matches(path: Path, matches: int, players: int) -> None:
    """Write a table of matches, in a process of its own."""
    run_fresh([sys.executable, "-c", WRITE_MATCHES, str(path), str(matches), str(players)])


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
        measure(title, arguments.data, READ_RESULTS, arguments.repeat, results_levels)
    else:
        console.print(f"skipped: {arguments.data} does not exist\n")
    share = 100 if arguments.quick else 1
    sizes = CSV_MATCHES // share, CSV_PLAYERS // share
    with temporary_folder() as folder:
        path = folder / "matches.csv"
        write_matches(path, *sizes)
        title = (
            f"generated CSV of {sizes[0]:,} matches, {sizes[1]:,} players: level < {RATIO_LEVEL:g}× pandas"
        )
        measure(title, path, READ_MATCHES, min(arguments.repeat, 2), matches_levels)
        path.unlink()
        measure_growth(folder, share)


if __name__ == "__main__":
    main()
