"""Tournaments of a ladder on a service: creating them, taking steps, looking."""

from __future__ import annotations

from typing import Any, Unpack, cast

from podium.client.connection import PAGE_ROWS, Connection
from podium.client.effects import Steps
from podium.client.ladder_calls import fresh_key
from podium.client.service_values import TournamentStepKeywords
from podium.documents.tournament_documents import (
    ListedTournamentDocument,
    ServiceTournamentDocument,
    TournamentChancesDocument,
    TournamentExplanationDocument,
    TournamentStepDocument,
)


class TournamentCalls(Connection):
    """Tournaments of this ladder."""

    def tournaments(self) -> Steps[list[ListedTournamentDocument]]:
        """The ladder's tournaments, the latest first."""
        found: list[ListedTournamentDocument] = []
        before = None
        while True:
            query = {"limit": PAGE_ROWS, "before": before}
            page = yield from self._ask("GET", "/tournaments", query=query)
            found += page["tournaments"]
            before = page["next"]
            if before is None:
                return found

    def create_tournament(
        self,
        slug: str,
        format: str,
        *,
        name: str | None = None,
        seed: int = 0,
        private: bool = False,
        reports: str = "at-once",
    ) -> Steps[ServiceTournamentDocument]:
        """Create a tournament. The same request again has no effect, a different one is refused.

        `reports` is when results go to the ladder: "at-once", "at-end" or "never". A `private` tournament is
        seen only by callers with a scope on the ladder.
        """
        body: dict[str, Any] = {"slug": slug, "format": format, "seed": seed}
        body |= {"private": private, "reports": reports} | ({} if name is None else {"name": name})
        return _tournament((yield from self._ask("POST", "/tournaments", body=body)))

    def tournament(self, slug: str) -> Steps[ServiceTournamentDocument]:
        """A tournament: entrants, rounds and standings."""
        return _tournament((yield from self._ask("GET", f"/tournaments/{slug}")))

    def change_tournament(self, slug: str, *, private: bool) -> Steps[ServiceTournamentDocument]:
        """Make a tournament private or public."""
        return _tournament((yield from self._ask("PATCH", f"/tournaments/{slug}", body={"private": private})))

    def tournament_step(
        self, slug: str, *, key: str | None = None, **step: Unpack[TournamentStepKeywords]
    ) -> Steps[TournamentStepDocument]:
        """Take one step: `join`, `leave`, `here`, `forbid`, `allow`, `clubs`, `pair`,
        `results`, `close` or `undo`.

        `key` names the step: the same key with the same step has an effect once. Without a key the client
        makes one, so that trying again after a failure is safe.
        """
        body = {"key": fresh_key() if key is None else key, **step}
        answer = yield from self._ask("POST", f"/tournaments/{slug}/steps", body=body)
        return cast(TournamentStepDocument, answer)

    def tournament_chances(
        self, slug: str, *, simulations: int | None = None
    ) -> Steps[TournamentChancesDocument]:
        """Each entrant's chance of every final place, as `Tournament.chances`.

        Without `simulations` the service plays the remaining rounds 200 times, or less often if that
        costs too much.
        """
        query = {"simulations": simulations}
        answer = yield from self._ask("GET", f"/tournaments/{slug}/chances", query=query, slow=True)
        return cast(TournamentChancesDocument, answer)

    def tournament_explanation(
        self, slug: str, player: str, *, round: int | None = None
    ) -> Steps[TournamentExplanationDocument]:
        """Why an entrant plays their opponent of a round, the last one by default, and their numbers."""
        query = {"player": player} | ({} if round is None else {"round": round})
        answer = yield from self._ask("GET", f"/tournaments/{slug}/explanation", query=query)
        return cast(TournamentExplanationDocument, answer)


def _tournament(told: dict[str, Any]) -> ServiceTournamentDocument:
    return cast(ServiceTournamentDocument, told)
