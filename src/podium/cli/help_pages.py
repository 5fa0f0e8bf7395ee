"""How `--help` is laid out: options in groups, each with an example, and nothing cut off."""

from __future__ import annotations

import shlex
from typing import Any, NamedTuple

from typer.core import TyperCommand, TyperGroup


class OptionGroup(NamedTuple):
    """Options that belong together in every command that has them."""

    title: str
    needs: frozenset[str]
    """The group is for commands that have one of these; elsewhere the same names mean other things."""
    options: frozenset[str]
    examples: tuple[str, ...]
    """Ways to use them; a command shows the first of which it has all options."""


def _group(title: str, options: str, *examples: str, needs: str = "") -> OptionGroup:
    names, needed = (frozenset(f"--{name}" for name in text.split()) for text in (options, needs or options))
    return OptionGroup(title, needed, names, examples)


MAIN, HELP = "Main options", "Help"
"""What no group below has, and what every command has."""
SERVICE = "Service"

GROUPS = (
    _group(
        "Rating system",
        "system systems set",
        "--system glicko2 --set tau=0.5",
        "--systems elo,glicko2,elo-mmr",
        "--system elo",
        needs="system systems",
    ),
    _group(
        "What is printed",
        "top min-events active-since max-sigma at sort digits json",
        "--top 50 --min-events 5",
        "--top 50",
        "--json",
        "--min-events 5 --active-since 90d",
    ),
    _group(
        "Files written",
        "out trace save report chart distribution table truth corrected",
        "--out ratings.csv --save season.podium",
        "--out found.csv --report report.html",
        "--out found.csv --chart found.png",
        "--out best.toml --table trials.csv",
        "--out best.toml --report advice.html",
        "--out results.csv --truth",
        "--chart found.png",
        "--out ratings.svg --since 2026-01-01",
        "--out public --title 'Our league'",
        "--out found.csv",
        "--out pages",
    ),
    _group(
        "How the file is read",
        "column lower-is-better unrated unfinished disqualified on-bad-row teams teams-split aliases "
        "time-format decimal separator encoding max-ratio chunk-rows",
        "--column player=handle",
        needs="column",
    ),
    _group(SERVICE, "database workers", "--database league.db", needs="database"),
    _group("Several processes", "jobs dask", "--jobs 2"),
)

USAGES = {
    "rate": "results.csv",
    "changes": "results.csv",
    "what-if": "results.csv",
    "explain": "results.csv ann",
    "site": "results.csv",
    "serve": "results.csv",
    "verify": "chess",
    "rebuild": "chess",
    "backup": "podium.backup",
    "restore": "podium.backup",
    "create": "--name ann --scopes admin",
    "list": "",
    "revoke": "3fa9c1d2",
    "login-link": "",
    "audit": "chess",
    "chart": "results.csv ann bob",
    "match": "waiting.csv",
    "advise": "results.csv",
    "evaluate": "results.csv",
    "tune": "results.csv",
    "attack": "",
    "smooth": "results.csv",
    "reproduce": "elo-mmr",
    "systems": "",
    "demo": "",
    "warmup": "",
    "contests": "",
    "matches": "",
    "teams": "",
    "game": "",
}
"""What is written after each command before its options."""

ALONE = {("serve", SERVICE)}
"""Options of a command before which nothing is written."""

MAIN_EXAMPLES = {
    "rate": "--ladder season.podium --save season.podium",
    "changes": "--event 'round 7'",
    "what-if": "--without 'round 7' --disqualify ann@final",
    "explain": "--event 'round 7'",
    "site": "--title 'Our league'",
    "serve": "--port 8080 --title 'Our league'",
    "create": "--expires 90d",
    "login-link": "--scopes report --ladder chess",
    "audit": "--entries 100",
    "chart": "--since 2026-01-01 --out ratings.svg",
    "match": "--ladder season.podium --newcomers",
    "advise": "--seed 1",
    "evaluate": "--metrics log-loss --scopes top:100",
    "tune": "--metric log-loss --trials 200",
    "attack": "--attack farming --players 60 --seeds 8",
    "smooth": "--player ann --at 2026-05-01",
    "reproduce": "--quick",
    "contests": "--contests 50 --players 1000 --seed 1",
    "matches": "--matches 10000 --players 500 --seed 1",
    "teams": "--matches 1000 --teams 2 --size 5 --seed 1",
    "game": "--matcher paper --matcher random --days 2",
}


class HelpfulCommand(TyperCommand):
    """A command whose help has its options in groups."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then each group of options with its example."""
        arguments: list[Any] = [one for one in self.get_params(ctx) if one.param_type_name == "argument"]
        # Typer would add the type as Python writes it: FILE <list[Path]>.
        named = [(one.metavar or one.name, one.get_help_record(ctx)[1]) for one in arguments]
        _write_section(formatter, "Arguments", named)
        for title, options in self.option_groups(ctx).items():
            example = self.example(ctx, title)
            described = [one.get_help_record(ctx) for one in options]
            _write_section(formatter, title, described, example and f"{ctx.command_path} {example}")

    def option_groups(self, ctx: Any) -> dict[str, list[Any]]:
        """The options that are shown, by the title of their group."""
        options: list[Any] = [one for one in self.get_params(ctx) if one.param_type_name == "option"]
        own = {name for one in options for name in one.opts}
        groups: dict[str, list[Any]] = {MAIN: [], **{group.title: [] for group in GROUPS}, HELP: []}
        for one in options:
            if not one.hidden:
                groups[_title(one, own)].append(one)
        return {title: those for title, those in groups.items() if those}

    def example(self, ctx: Any, title: str) -> str:
        """How the options of a group are used after the command's name; empty if there is no example."""
        own = {name for one in self.get_params(ctx) for name in one.opts}
        found = next((group.examples for group in GROUPS if group.title == title), ())
        if title == MAIN:
            found = (MAIN_EXAMPLES.get(ctx.info_name, ""),)
        for words in found:
            if words and {word for word in shlex.split(words) if word.startswith("--")} <= own:
                usage = "" if (ctx.info_name, title) in ALONE else USAGES[ctx.info_name]
                return f"{usage} {words}".strip()
        return ""


class HelpfulGroup(TyperGroup):
    """A group of commands that describes each in full."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each command's name with the first paragraph of its help, on as many lines as it needs."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        shown = [(name, one) for name, one in commands if one is not None and not one.hidden]
        with formatter.section("Commands"):
            formatter.write_dl([(name, (one.help or "").split("\n\n")[0]) for name, one in shown])


def _title(option: Any, own: set[str]) -> str:
    """The title of an option's group in a command that has the options `own`."""
    if "--help" in option.opts:
        return HELP
    groups = (group for group in GROUPS if group.needs & own and group.options & set(option.opts))
    return next((group.title for group in groups), MAIN)


def _write_section(formatter: Any, title: str, described: list[tuple[str, str]], example: str = "") -> None:
    if not described:
        return
    with formatter.section(title):
        formatter.write_dl(described)
        if example:  # on a line of its own, to be copied
            formatter.write(f"\n{'':>{formatter.current_indent}}Example: {example}\n")
