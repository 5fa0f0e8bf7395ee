"""The two measures of accuracy of the Elo-MMR paper, section 6.2, one contestant and one pair at a time.

A contest is a list of (player, rank, rating, rated); a history is a list of contests.
"""

Row = tuple[str, int, float, bool]


def accuracy(
    contests: list[list[Row]], min_events: int = 0, ties: str = "fair", first_event: int = 0
) -> tuple[float, float, int, int]:
    """Pair inversion and rank deviation in percent, contests and contestants measured."""
    inversions, deviations = [], []
    measured = 0
    for number, contest in enumerate(contests):
        if number < first_event:
            continue
        earlier = [row for before in contests[:number] for row in before]
        rows = [row for row in contest if experience(row[0], earlier) >= min_events]
        if len({rank for _, rank, _, _ in rows}) < 2:  # nobody, or nobody before anybody else
            continue
        measured += 1
        standings = sorted(rows, key=lambda row: row[1])
        for i in range(len(standings)):
            inversions.append(pair_inversion(standings, i, ties))
            deviations.append(rank_deviation(standings, i, ties))
    n = len(inversions)
    if n == 0:
        return float("nan"), float("nan"), 0, 0
    return sum(inversions) / n, sum(deviations) / n, measured, n


def experience(player: str, earlier: list[Row]) -> int:
    return sum(1 for name, _, _, rated in earlier if name == player and rated)


def pair_inversion(standings: list[Row], i: int, ties: str) -> float:
    """# correctly predicted matchups / (|P| - 1) * 100%."""
    correct = 0.0
    for j in range(len(standings)):
        if j != i:
            correct += matchup(standings[i], standings[j], ties)
    return 100 * correct / (len(standings) - 1)


def matchup(a: Row, b: Row, ties: str) -> float:
    """Correct where the higher-rated player wins or ties."""
    if a[2] == b[2]:
        return 0.5 if ties == "fair" else 1.0
    higher, lower = (a, b) if a[2] > b[2] else (b, a)
    return 1.0 if higher[1] <= lower[1] else 0.0


def rank_deviation(standings: list[Row], i: int, ties: str) -> float:
    """|actual rank - predicted rank| / (|P| - 1) * 100%, ranks from 1."""
    _, rank, rating, _ = standings[i]
    higher = sum(1 for row in standings if row[2] > rating)
    equal = [k for k, row in enumerate(standings) if row[2] == rating]
    if ties == "fair":
        predicted = sum(higher + 1 + k for k in range(len(equal))) / len(equal)
    else:
        predicted = higher + 1 + equal.index(i)
    best = 1 + sum(1 for row in standings if row[1] < rank)
    worst = sum(1 for row in standings if row[1] <= rank)
    # "Among the ranks within the tied range, we use the one that comes closest to the prediction."
    actual = min(max(predicted, best), worst)
    return 100 * abs(actual - predicted) / (len(standings) - 1)
