"""How well ratings predict: backtests, metrics, intervals, comparisons, a report; and skills in hindsight."""
