"""Every result as plain data, once: what `--json` prints, an API answers and pages show.

There is one function for each type of result, and the keys it gives are declared in a TypedDict of the same
name. docs/documents.md says what each key means.

>>> from podium import Elo, Ladder
>>> from podium.documents import change_document
>>> change = Ladder(Elo()).record_match("ann", "bob")[0]
>>> document = change_document(change)
>>> document["player"], document["gain"]
('ann', 16.0)
"""

from podium.documents.advice_documents import AdviceDocument, advice_document
from podium.documents.any_result import document, register_document
from podium.documents.backtest_documents import (
    BacktestDocument,
    ComparisonDocument,
    SmoothingDocument,
    backtest_document,
    comparison_document,
    smoothing_document,
)
from podium.documents.event_documents import (
    EventDocument,
    HistorySummaryDocument,
    PreviewDocument,
    event_document,
    history_summary_document,
    preview_document,
)
from podium.documents.event_page_documents import (
    AboutPageDocument,
    EventListDocument,
    EventPageDocument,
    LadderListDocument,
    MatchesPageDocument,
)
from podium.documents.explanation_documents import (
    EventExplanationDocument,
    ExplainedDocument,
    ExplanationDocument,
    event_explanation_document,
    explained_document,
    explanation_document,
)
from podium.documents.history_documents import RatingHistoriesDocument, rating_histories_document
from podium.documents.match_documents import (
    MatchDocument,
    MatchingDocument,
    PairingDocument,
    TickDocument,
    TicketDocument,
    match_document,
    matching_document,
    pairing_document,
    tick_document,
    ticket_document,
)
from podium.documents.page_documents import (
    ComparePageDocument,
    LeaderboardPageDocument,
    PlayerPageDocument,
    PlayerPagesDocument,
)
from podium.documents.plain_data import SCHEMA_VERSION, json_text, stamped
from podium.documents.pool_documents import (
    PoolCountersDocument,
    WaitingReasonsDocument,
    pool_counters_document,
    waiting_reasons_document,
)
from podium.documents.prediction_documents import (
    DistributionDocument,
    MatchPredictionDocument,
    OutcomesDocument,
    RankProbabilitiesDocument,
    distribution_document,
    match_prediction_document,
    outcomes_document,
    rank_probabilities_document,
)
from podium.documents.publishing_documents import (
    ContestDocument,
    WhatIfDocument,
    contest_document,
    what_if_document,
)
from podium.documents.rating_documents import (
    ChangeDocument,
    LaddersDocument,
    LeaderboardDocument,
    RatingDocument,
    change_document,
    ladders_document,
    leaderboard_document,
    rating_document,
)
from podium.documents.season_documents import SeasonDocument, season_document
from podium.documents.system_documents import (
    SystemDocument,
    SystemsDocument,
    system_document,
    systems_document,
)
from podium.documents.table_documents import TableDocument, table_document, trace_document
from podium.documents.tuning_documents import TuningDocument, tuning_document

KINDS: dict[str, type] = {
    "rating": RatingDocument,
    "change": ChangeDocument,
    "leaderboard": LeaderboardDocument,
    "ladders": LaddersDocument,
    "contest": ContestDocument,
    "what-if": WhatIfDocument,
    "explanation": ExplainedDocument,
    "event-explanation": EventExplanationDocument,
    "distribution": DistributionDocument,
    "rating-histories": RatingHistoriesDocument,
    "event": EventDocument,
    "preview": PreviewDocument,
    "history": HistorySummaryDocument,
    "outcomes": OutcomesDocument,
    "prediction": MatchPredictionDocument,
    "rank-probabilities": RankProbabilitiesDocument,
    "match": MatchDocument,
    "tick": TickDocument,
    "ticket": TicketDocument,
    "pairing": PairingDocument,
    "matching": MatchingDocument,
    "waiting-reasons": WaitingReasonsDocument,
    "pool-counters": PoolCountersDocument,
    "advice": AdviceDocument,
    "backtest": BacktestDocument,
    "comparison": ComparisonDocument,
    "tuning": TuningDocument,
    "smoothing": SmoothingDocument,
    "season": SeasonDocument,
    "system": SystemDocument,
    "systems": SystemsDocument,
    "table": TableDocument,
    "leaderboard-page": LeaderboardPageDocument,
    "player-page": PlayerPageDocument,
    "player-pages": PlayerPagesDocument,
    "event-page": EventPageDocument,
    "event-list": EventListDocument,
    "matches-page": MatchesPageDocument,
    "compare-page": ComparePageDocument,
    "about-page": AboutPageDocument,
    "ladder-list": LadderListDocument,
}
"""Documents by their kind, as it stands on top of a printed one. Those of studies are beside the studies, and
what makes those of pages is in `podium.pages`."""

__all__ = [
    "KINDS",
    "SCHEMA_VERSION",
    "AboutPageDocument",
    "AdviceDocument",
    "BacktestDocument",
    "ChangeDocument",
    "ComparePageDocument",
    "ComparisonDocument",
    "ContestDocument",
    "DistributionDocument",
    "EventDocument",
    "EventExplanationDocument",
    "EventListDocument",
    "EventPageDocument",
    "ExplainedDocument",
    "ExplanationDocument",
    "HistorySummaryDocument",
    "LadderListDocument",
    "LaddersDocument",
    "LeaderboardDocument",
    "LeaderboardPageDocument",
    "MatchDocument",
    "MatchPredictionDocument",
    "MatchesPageDocument",
    "MatchingDocument",
    "OutcomesDocument",
    "PairingDocument",
    "PlayerPageDocument",
    "PlayerPagesDocument",
    "PoolCountersDocument",
    "PreviewDocument",
    "RankProbabilitiesDocument",
    "RatingDocument",
    "RatingHistoriesDocument",
    "SeasonDocument",
    "SmoothingDocument",
    "SystemDocument",
    "SystemsDocument",
    "TableDocument",
    "TickDocument",
    "TicketDocument",
    "TuningDocument",
    "WaitingReasonsDocument",
    "WhatIfDocument",
    "advice_document",
    "backtest_document",
    "change_document",
    "comparison_document",
    "contest_document",
    "distribution_document",
    "document",
    "event_document",
    "event_explanation_document",
    "explained_document",
    "explanation_document",
    "history_summary_document",
    "json_text",
    "ladders_document",
    "leaderboard_document",
    "match_document",
    "match_prediction_document",
    "matching_document",
    "outcomes_document",
    "pairing_document",
    "pool_counters_document",
    "preview_document",
    "rank_probabilities_document",
    "rating_document",
    "rating_histories_document",
    "register_document",
    "season_document",
    "smoothing_document",
    "stamped",
    "system_document",
    "systems_document",
    "table_document",
    "tick_document",
    "ticket_document",
    "trace_document",
    "tuning_document",
    "waiting_reasons_document",
    "what_if_document",
]
