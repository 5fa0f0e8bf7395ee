"""What all tests share: where kernels are kept, how hard Hypothesis tries, which twins exist."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Kernels compiled by tests live below the repository.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parent.parent / ".cache"))

# Law 5 compares one thread with several, on a machine of one core too.
os.environ.setdefault("NUMBA_NUM_THREADS", str(max(2, os.cpu_count() or 1)))

# Whoever starts the tests in the background has interrupts ignored, and so would every process they start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

COMPILED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "0"
_common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("compiled", max_examples=50, **_common)
settings.register_profile("interpreted", max_examples=8, **_common)
# In continuous integration the examples are the same in every run: more of them find nothing new.
FIXED_EXAMPLES = 15 if COMPILED else 5
settings.register_profile("ci", max_examples=FIXED_EXAMPLES, derandomize=True, **_common)
settings.load_profile("ci" if os.environ.get("CI") else "compiled" if COMPILED else "interpreted")


def tries(examples: int) -> int:
    """The examples of a test that wants more or fewer than others; fewer where they are always the same."""
    return max(FIXED_EXAMPLES, examples * 3 // 10) if os.environ.get("CI") else examples


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """All modules and tests stay to the end: nobody looks for garbage among them, now or later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Of several processes each begins a folder elsewhere, and finds the rest compiled by the others.

    On a clean clone compiling its files takes pytest longer than all else that it does before the first test.
    """
    report = yield
    if isinstance(collector, pytest.Directory) and report.result:
        process = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
        begin = len(report.result) * process // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        report.result = report.result[begin:] + report.result[:begin]
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The same order in every process.

    Without the compiler, tests marked `compiled` are no tests: deselected, not skipped.
    """
    items.sort(key=lambda item: item.path)
    if COMPILED:
        return
    left_out = [item for item in items if item.get_closest_marker("compiled")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in set(left_out)]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In continuous integration nothing is skipped: a test that cannot run there is a failure.

    With several processes it is the one that collects their reports which decides.
    """
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter is not None else []
    if os.environ.get("CI") and skipped and session.exitstatus == 0:
        reporter.write_line(f"CI: {len(skipped)} skipped tests count as failures", red=True)
        session.exitstatus = 1


@pytest.fixture
def restless() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium as it is installed here; for a module, as Playwright keeps an event loop running."""
    from playwright.sync_api import sync_playwright

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("no Chromium on PATH")
    switches = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=switches)
        yield opened
        opened.close()
