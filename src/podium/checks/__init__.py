"""The laws every rating system keeps, for authors of systems: `podium.checks.check_system(MySystem())`.

`check_system` tries all laws on random histories. If a law fails, it names the law and the history. `laws`
lists the laws, for a test that takes them one by one. Both need Hypothesis: `pip install 'podium[checks]'`.
"""

from podium.checks.checking import BrokenLawError, Law, check_system, laws
from podium.checks.contract_laws import Twin, TwinOutcome

__all__ = ["BrokenLawError", "Law", "Twin", "TwinOutcome", "check_system", "laws"]
