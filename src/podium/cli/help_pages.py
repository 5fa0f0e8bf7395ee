"""How `--help` is laid out: options in groups, each with an example, and nothing cut off.

A command's docstring describes its options below `Options:`, each as ``name (METAVAR): help``. `--help`
leaves out the rare options, and `--help-all` shows them too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from copy import copy
from functools import partial
from typing import Any, NamedTuple, TypeVar

from typer.core import TyperCommand, TyperGroup

from podium.cli.help_examples import (
    EXAMPLES,
    MAIN,
    PRINTED,
    PROCESSES,
    RARE,
    RARE_EVERYWHERE,
    READ,
    SERVICE,
    SYSTEM,
    WRITTEN,
)

F = TypeVar("F", bound=Callable[..., Any])

HELP = "Help"
"""What every command has."""
HELP_ALL = "--help-all"
_HYPHEN = "\u2011"
"""Stands for the hyphens of an option while lines are broken."""


class OptionGroup(NamedTuple):
    """Options that belong together in every command that has them."""

    title: str
    options: frozenset[str]
    needs: frozenset[str]
    """The group is for commands that have one of these; elsewhere the same names mean other things."""


def _group(title: str, options: str, needs: str = "") -> OptionGroup:
    names, needed = (frozenset(f"--{name}" for name in text.split()) for text in (options, needs or options))
    return OptionGroup(title, names, needed)


GROUPS = (
    _group(SYSTEM, "system systems set", needs="system systems"),
    _group(PRINTED, "top min-events active-since max-sigma at sort digits json"),
    _group(WRITTEN, "out trace save report chart distribution table truth corrected"),
    _group(
        READ,
        "column lower-is-better unrated unfinished disqualified on-bad-row teams teams-split aliases "
        "time-format decimal separator encoding sheet max-ratio chunk-rows",
        needs="column",
    ),
    _group(SERVICE, "database workers", needs="database"),
    _group(PROCESSES, "jobs dask"),
)


def with_examples(examples: Mapping[str, str]) -> Callable[[F], F]:
    """Give a command its examples: what is typed after its name, by the title of a group of options."""

    def given(command: F) -> F:
        vars(command)["examples"] = examples  # kept by the function that Typer makes of it
        return command

    return given


_RANGE = re.compile(r"(?:(-?[\d.]+)<=)?\bx(?:(<=|>=)(-?[\d.]+))?(?=\]$)")
"""The values that an option takes, as Typer writes them: x>=0 or 1<=x<=12."""
_DESCRIBED = re.compile(r"^    (\w+)(?: \((.+?)\))?: ", re.MULTILINE)
"""Begins an option in a docstring: the parameter's name and its metavar."""


class HelpfulCommand(TyperCommand):
    """A command whose docstring describes its options, and whose help has them in groups."""

    def __init__(self, name: str | None, *, help: str | None = None, params: Any = None, **others: Any):
        words, _, options = (help or "").partition("\n\nOptions:\n")
        super().__init__(name, help=words, params=params, **others)
        own = {one.name: one for one in self.params}
        described = iter(_DESCRIBED.split(options)[1:])
        for named, metavar, text in zip(described, described, described, strict=True):
            option: Any = own[named]
            option.metavar, option.help = metavar, " ".join(text.split())
        self._help_all: Any = None

    @property
    def rare(self) -> list[Any]:
        """The options that only `--help-all` describes."""
        names = {f"--{name}" for name in f"{RARE_EVERYWHERE} {RARE.get(str(self.name), '')}".split()}
        return [one for one in self.params if names & set(one.opts) and not getattr(one, "hidden", False)]

    def get_params(self, ctx: Any) -> list[Any]:
        """The command's parameters, `--help`, and `--help-all` where an option is rare."""
        params: list[Any] = super().get_params(ctx)
        if self._help_all is None and self.rare:
            self._help_all = copy(params[-1])
            self._help_all.name, self._help_all.opts = "help_all", [HELP_ALL]
            names = ", ".join(one.opts[0] for one in self.rare)
            self._help_all.help = f"Also describe the rare options: {names}."
            self._help_all.callback = partial(_show_all, params[-1].callback)
        return params if self._help_all is None else [*params, self._help_all]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then each group of options with its example."""
        arguments: list[Any] = [one for one in self.get_params(ctx) if one.param_type_name == "argument"]
        # Typer would add the type as Python writes it: FILE <list[Path]>.
        named = [(one.metavar or one.name, one.get_help_record(ctx)[1]) for one in arguments]
        _write_section(formatter, "Arguments", named)
        name = ctx.command_path.partition(" ")[2]  # without the program's
        examples = getattr(self.callback, "examples", EXAMPLES.get(name, {}))
        for title, options in self.option_groups(ctx).items():
            example = examples.get(title)
            described = [one.get_help_record(ctx) for one in options]
            _write_section(
                formatter, title, described, "" if example is None else f"{ctx.command_path} {example}"
            )

    def get_help(self, ctx: Any) -> str:
        """The help as it is printed."""
        return str(super().get_help(ctx)).replace(_HYPHEN, "-")

    def option_groups(self, ctx: Any) -> dict[str, list[Any]]:
        """The options that are shown, by the title of their group."""
        options: list[Any] = [one for one in self.get_params(ctx) if one.param_type_name == "option"]
        left_out = [] if ctx.meta.get(HELP_ALL) else self.rare
        own = {name for one in options for name in one.opts}
        groups: dict[str, list[Any]] = {MAIN: [], **{group.title: [] for group in GROUPS}, HELP: []}
        for one in options:
            if not one.hidden and one not in left_out:
                groups[_title(one, own)].append(one)
        return {title: those for title, those in groups.items() if those}


class HelpfulGroup(TyperGroup):
    """A group of commands that describes each in full."""

    sections: Mapping[str, str] = {}
    """Names of commands, by the title above them. Other commands have the title Commands."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each command's name with the first paragraph of its help, on as many lines as it needs."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        shown = {
            name: (one.help or "").split("\n\n")[0]
            for name, one in commands
            if one is not None and not one.hidden
        }
        for title, names in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name, shown.pop(name)) for name in names.split() if name in shown])
        if shown:
            with formatter.section("Commands of other packages" if self.sections else "Commands"):
                formatter.write_dl(list(shown.items()))


def _show_all(show: Callable[[Any, Any, bool], None], ctx: Any, option: Any, wanted: bool) -> None:
    """Print the help with the rare options, by the callback of `--help`."""
    ctx.meta[HELP_ALL] = wanted
    show(ctx, option, wanted)


def _title(option: Any, own: set[str]) -> str:
    """The title of an option's group in a command that has the options `own`."""
    if {"--help", HELP_ALL} & set(option.opts):
        return HELP
    groups = (group for group in GROUPS if group.needs & own and group.options & set(option.opts))
    return next((group.title for group in groups), MAIN)


def _whole_options(text: str) -> str:
    """A text in which no line ends inside the name of an option."""
    return re.sub(r"--[\w-]+", lambda found: found[0].replace("-", _HYPHEN), text)


def _range_in_words(found: re.Match[str]) -> str:
    """A range of values: `at least 0` or `1 to 12`."""
    low, sign, end = found.groups()
    end = (end or "").removesuffix(".0")
    if low is not None:
        return f"{low.removesuffix('.0')} to {end}"
    return f"at {'least' if sign == '>=' else 'most'} {end}"


def _write_section(
    formatter: Any, title: str, described: list[tuple[str, str]], example: str | None = None
) -> None:
    if not described:
        return
    with formatter.section(title):
        formatter.write_dl(
            [(name, _whole_options(_RANGE.sub(_range_in_words, text))) for name, text in described]
        )
        if example:  # on a line of its own, to be copied
            formatter.write(f"\n{'':>{formatter.current_indent}}Example: {example}\n")
