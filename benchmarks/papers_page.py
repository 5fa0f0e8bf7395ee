"""The papers again: fill the tables of docs/papers.md from results that `podium reproduce` has left.

    podium reproduce --all --out docs/papers --contests contests.parquet --matches matches.csv
    python benchmarks/papers_page.py docs/papers.md docs/papers

`make papers` does both.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from podium_papers.main_results import write_main_results


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("page", type=Path, help="the page whose tables are filled")
    parser.add_argument("folder", type=Path, help="where podium reproduce --out has written")
    given = parser.parse_args()
    write_main_results(given.page, given.folder)


if __name__ == "__main__":
    main()
