"""The examples that `--help` shows: one for each group of options of a command, complete as it is typed.

The tests run every one of them, on files called as here.
"""

from __future__ import annotations

MAIN = "Main options"
"""What no group below has."""
SYSTEM, PRINTED, WRITTEN = "Rating system", "Printed output", "Files written"
READ, SERVICE, PROCESSES = "How the file is read", "Service", "Several processes"

RARE_EVERYWHERE = "time-format decimal separator encoding max-ratio chunk-rows jobs dask"
"""Options that few people need, in every command that has them. `--help-all` describes them."""
RARE = {
    "site": "arena max-sigma",
    "serve": "max-sigma workers config log-format log-level",
    "rebuild": "repair-clock",
    "match": "rating-column recent-column seed replay every",
    "advise": "seed",
    "arena": "model covariate judges cluster prior ridge errors level",
    "evaluate": "metrics scopes until order-by trials every resamples seed",
    "tune": "metric since scope search fix table study seed batch",
    "attack": "defence threshold watch held search seed",
    "smooth": "rounds",
    "contests": "performances performance-deviation rounding skills skill-deviation drift growth churn "
    "activity",
    "matches": "luck beta skills skill-deviation drift growth churn activity",
    "teams": "lineups strength rounding skills skill-deviation drift growth churn activity",
    "game": "smurfs throwers game since",
    "chances": "seed",
}
"""Options that few people need, by the command's name."""

EXAMPLES: dict[str, dict[str, str]] = {
    "rate": {
        MAIN: "june.csv --ladder season.podium --save season.podium",
        SYSTEM: "results.csv --system glicko2 --set tau=0.5",
        PRINTED: "results.csv --top 50 --min-events 5",
        WRITTEN: "results.csv --out ratings.csv --save season.podium",
        READ: "results.csv --column player=handle",
        PROCESSES: "results.csv --by division --jobs 2",
    },
    "changes": {
        MAIN: "results.csv --event 'round 7'",
        SYSTEM: "results.csv --system glicko2 --set tau=0.5",
        PRINTED: "results.csv --sort gain --top 50",
        WRITTEN: "results.csv --out changes.html",
        READ: "results.csv --column player=handle",
    },
    "what-if": {
        MAIN: "results.csv --without 'round 7' --disqualify ann@final",
        SYSTEM: "results.csv --without 'round 7' --system glicko2",
        PRINTED: "results.csv --without 'round 7' --top 50",
        WRITTEN: "results.csv --without 'round 7' --corrected right.csv",
        READ: "results.csv --without 'round 7' --column player=handle",
    },
    "explain": {
        MAIN: "results.csv ann --event 'round 7'",
        SYSTEM: "results.csv ann --system glicko2 --set tau=0.5",
        PRINTED: "results.csv ann --top 50",
        WRITTEN: "results.csv ann --chart ann.png",
        READ: "results.csv ann --column player=handle",
    },
    "site": {
        MAIN: "results.csv --title 'Our league'",
        SYSTEM: "results.csv --system glicko2 --set tau=0.5",
        PRINTED: "results.csv --min-events 5 --active-since 90d",
        WRITTEN: "results.csv --out public",
        READ: "results.csv --column player=handle",
        PROCESSES: "results.csv --jobs 2",
    },
    "serve": {
        MAIN: "results.csv --port 8080 --title 'Our league'",
        SYSTEM: "results.csv --system glicko2 --set tau=0.5",
        PRINTED: "results.csv --min-events 5 --active-since 90d",
        WRITTEN: "results.csv --out public",
        READ: "results.csv --column player=handle",
        SERVICE: "--database league.db",
        PROCESSES: "results.csv --jobs 2",
    },
    "verify": {PRINTED: "chess --json", SERVICE: "chess --database league.db"},
    "rebuild": {MAIN: "chess --repair-clock", PRINTED: "chess --json", SERVICE: "chess --database league.db"},
    "backup": {SERVICE: "podium.backup --database league.db"},
    "restore": {SERVICE: "podium.backup --database restored.db"},
    "login-link": {
        MAIN: "--scopes report --ladder chess",
        PRINTED: "--json",
        SERVICE: "--database league.db",
    },
    "audit": {MAIN: "chess --entries 100", PRINTED: "chess --json", SERVICE: "chess --database league.db"},
    "chart": {
        MAIN: "results.csv ann bob --since 2026-01-01 --out ratings.svg",
        SYSTEM: "results.csv ann bob --system glicko2 --out ratings.svg",
        PRINTED: "results.csv ann bob --json",
        WRITTEN: "results.csv ann bob --out ratings.svg",
        READ: "results.csv ann --column player=handle --out ann.svg",
    },
    "match": {
        MAIN: "waiting.csv --ladder season.podium --newcomers",
        SYSTEM: "waiting.csv --system elo --set scale=400",
        PRINTED: "waiting.csv --top 50",
        WRITTEN: "waiting.csv --out matches.csv",
        READ: "waiting.csv --column player=handle",
    },
    "advise": {
        MAIN: "results.csv --seed 1",
        PRINTED: "results.csv --top 3",
        WRITTEN: "results.csv --out best.toml --report advice.html",
        READ: "results.csv --column player=handle",
    },
    "arena": {
        MAIN: "votes.csv --position --ask 10",
        PRINTED: "votes.csv --top 10 --settled 3",
        WRITTEN: "votes.csv --report board.html --site public",
        READ: "votes.csv --column winner=preference",
    },
    "evaluate": {
        MAIN: "results.csv --since 2026-06-01",
        SYSTEM: "results.csv --systems elo,glicko2 --set elo.k=20",
        PRINTED: "results.csv --systems elo,glicko2 --json",
        WRITTEN: "results.csv --systems elo,glicko --report report.html",
        READ: "results.csv --systems elo --column player=handle",
        PROCESSES: "results.csv --systems elo,glicko2 --jobs 2",
    },
    "names": {
        MAIN: "results.csv",
        PRINTED: "results.csv --json",
        WRITTEN: "results.csv --out aliases.csv",
        READ: "results.csv --column player=handle",
    },
    "predict": {
        MAIN: "results.csv --same-time in-order --out predictions.csv",
        SYSTEM: "results.csv --system glicko2 --set tau=0.5",
        PRINTED: "results.csv --system elo --top 5 --json",
        WRITTEN: "results.csv --system elo --out predictions.parquet",
        READ: "results.csv --system elo --column player=handle",
    },
    "tune": {
        MAIN: "results.csv --trials 50",
        SYSTEM: "results.csv --system glicko2 --set tau=0.5",
        PRINTED: "results.csv --system elo --json",
        WRITTEN: "results.csv --system elo --out best.toml",
        READ: "results.csv --system elo --column player=handle",
        PROCESSES: "results.csv --system elo --jobs 2",
    },
    "attack": {
        MAIN: "--attack farming --players 20 --seeds 4",
        SYSTEM: "--system elo --set elo.k=20 --attack farming",
        PRINTED: "--attack farming --seeds 4 --json",
        WRITTEN: "--attack farming --seeds 4 --out gains.csv",
        READ: "results.csv --attack farming --column player=handle",
        PROCESSES: "--attack farming --seeds 4 --jobs 2",
    },
    "smooth": {
        MAIN: "results.csv --player ann",
        SYSTEM: "results.csv --system glicko --set c=20",
        PRINTED: "results.csv --at 2026-05-01 --top 50",
        WRITTEN: "results.csv --player ann --chart ann.png",
        READ: "results.csv --column player=handle",
    },
    "systems": {PRINTED: "--json", WRITTEN: "--chart systems.png"},
    "demo": {WRITTEN: "--out pages"},
    "tournament new": {MAIN: "cup.jsonl --format swiss:5"},
    "tournament join": {MAIN: "evening.jsonl fay --rating 1600"},
    "tournament pair": {MAIN: "evening.jsonl --places 1", PRINTED: "evening.jsonl --json"},
    "tournament result": {MAIN: "knockout.jsonl ann 2:1 --round 1"},
    "tournament rounds": {PRINTED: "knockout.jsonl --json"},
    "tournament standings": {PRINTED: "knockout.jsonl --json"},
    "tournament explain": {MAIN: "knockout.jsonl ann --round 1", PRINTED: "knockout.jsonl ann --json"},
    "tournament chances": {
        MAIN: "knockout.jsonl --ladder season.podium",
        PRINTED: "knockout.jsonl --json",
    },
    "keys create": {
        MAIN: "--name ann --scopes admin --expires 90d",
        PRINTED: "--name ann --scopes admin --json",
        SERVICE: "--name ann --scopes admin --database league.db",
    },
    "keys list": {PRINTED: "--json", SERVICE: "--database league.db"},
    "keys revoke": {PRINTED: "3fa9c1d2 --json", SERVICE: "3fa9c1d2 --database league.db"},
    "simulate contests": {
        MAIN: "--contests 20 --participants 50 --seed 1",
        PRINTED: "--json",
        WRITTEN: "--out simulated.csv --truth",
    },
    "simulate matches": {
        MAIN: "--matches 10000 --players 500 --seed 1",
        PRINTED: "--json",
        WRITTEN: "--out simulated.csv --truth",
    },
    "simulate teams": {
        MAIN: "--matches 1000 --teams 2 --size 5 --seed 1",
        PRINTED: "--json",
        WRITTEN: "--out simulated.csv --truth",
    },
    "simulate game": {
        MAIN: "--matcher nearest --players 60 --days 1",
        SYSTEM: "--players 60 --system glicko2 --set tau=0.5",
        PRINTED: "--players 60 --json",
        WRITTEN: "--players 60 --out measures.csv --chart game.png",
        PROCESSES: "--players 60 --seed 1 --seed 2 --jobs 2",
    },
}
"""What is typed after a command's name, by that name and the title of the group."""
