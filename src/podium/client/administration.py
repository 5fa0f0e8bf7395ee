"""Ladders of a service: describing, making, changing and checking them."""

from __future__ import annotations

from typing import Any, Unpack, cast

from podium.client.answered_values import value_of
from podium.client.connection import PAGE_ROWS, Connection, new_ladder
from podium.client.effects import Steps
from podium.client.sent_words import plain_settings
from podium.client.service_values import ChangedSettings, LadderSettings, ServiceLadder
from podium.documents.service_documents import (
    RebuildDocument,
    ServiceDocument,
    VerificationDocument,
)
from podium.systems import System, system_meant


class AdministrationCalls(Connection):
    """What an administrator asks."""

    def service(self) -> Steps[ServiceDocument]:
        """What answers: the version of podium, the kind of database, the number of ladders."""
        return cast(ServiceDocument, (yield from self._ask_service("GET", "")))

    def ladder(self) -> Steps[ServiceLadder]:
        """This ladder as the service describes it."""
        return _ladder((yield from self._ask("GET", "")))

    def ladders(self, *, archived: bool = False) -> Steps[list[ServiceLadder]]:
        """All ladders of the service. With `archived`, archived ladders too."""
        found: list[ServiceLadder] = []
        cursor = None
        while True:
            query = {"limit": PAGE_ROWS, "cursor": cursor, "archived": archived}
            page = yield from self._ask_service("GET", "/ladders", query=query)
            found += map(_ladder, page["ladders"])
            cursor = page["next"]
            if cursor is None:
                return found

    def create_ladder(
        self, slug: str, system: System | None = None, **settings: Unpack[LadderSettings]
    ) -> Steps[ServiceLadder]:
        """Create a ladder on the service. The same request again has no effect, a different one is refused.

        Without a system, the first file of results that is imported chooses one, as in `podium.rate`.
        """
        body = new_ladder(slug, None if system is None else system_meant(system), settings)
        return _ladder((yield from self._ask_service("POST", "/ladders", body=body)))

    def change(self, **settings: Unpack[ChangedSettings]) -> Steps[ServiceLadder]:
        """Change this ladder's title, description or ranking rule. Ratings stay as they are."""
        return _ladder((yield from self._ask("PATCH", "", body=plain_settings(settings))))

    def archive(self) -> Steps[ServiceLadder]:
        """Accept no more reports. The ladder can still be read."""
        return _ladder((yield from self._ask("PATCH", "", body={"archived": True})))

    def reopen(self) -> Steps[ServiceLadder]:
        """Accept reports again after `archive`."""
        return _ladder((yield from self._ask("PATCH", "", body={"archived": False})))

    def verify(self) -> Steps[VerificationDocument]:
        """Compare the stored ratings with the log, row by row."""
        return cast(VerificationDocument, (yield from self._ask("POST", "/verify", slow=True)))

    def rebuild(self, *, repair_clock: bool = False) -> Steps[RebuildDocument]:
        """Rebuild the ladder's ratings from its log.

        With `repair_clock`, times that are ahead of the service's clock count as times that have been.
        """
        query = {"repair_clock": True} if repair_clock else {}
        told = yield from self._ask("POST", "/rebuild", query=query, again=False, slow=True)
        return cast(RebuildDocument, told)


def _ladder(told: dict[str, Any]) -> ServiceLadder:
    return value_of(ServiceLadder, told)
