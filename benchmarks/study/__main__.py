"""The study on real data: every system tuned on the first part of each file, and judged on the rest.

    python benchmarks/study ../shared/data                      # all data sets that are there
    python benchmarks/study ../shared/data --only tennis f1     # some of them

What is found is kept in a folder (``--folder``), so that a study can be stopped and goes on where it was. The
tables are written into ``docs/real-data.md``, between the marks of each data set, and the pictures beside it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent))

from common import REPOSITORY, console, print_machine
from datasets import DATA_SETS
from page import write_blocks
from pictures import write_pictures
from runs import study


def main() -> None:
    """Study, and write what came of it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, nargs="?", default=REPOSITORY / "../shared/data")
    parser.add_argument("--only", nargs="*", choices=list(DATA_SETS), help="which; all if none is named")
    parser.add_argument("--folder", type=Path, default=REPOSITORY / ".cache/study", help="what is kept")
    parser.add_argument("--page", type=Path, default=REPOSITORY / "docs/real-data.md")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    print_machine()
    judged = []
    for name in arguments.only or DATA_SETS:
        data_set = DATA_SETS[name]
        if not (arguments.data / data_set.file).exists():
            console.print(f"skipped: {arguments.data / data_set.file} does not exist")
            continue
        judged.append(study(data_set, arguments.data, arguments.folder, console.print))
    write_blocks(arguments.page, judged)
    write_pictures(arguments.page.parent / "pictures", judged)
    console.print(f"wrote {arguments.page}")


if __name__ == "__main__":
    main()
