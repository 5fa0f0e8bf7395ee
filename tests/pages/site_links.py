"""All links of a website, followed: what pages point to, and whether it is there."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from podium.pages.links import Site


class NoLinks:
    """Links of a site that has no pages."""

    def __getattr__(self, name: str) -> object:
        return lambda *given: None if name in ("event", "player", "search", "admin", "amend") else f"{name}/"


SITE: Any = Site("club", NoLinks())  # type: ignore[arg-type]


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value is not None:
                self.links.append(value)
            elif name == "id" and value is not None:
                self.ids.add(value)


def read_pages(site: Path) -> dict[Path, _Page]:
    pages = {}
    for path in site.rglob("*.html"):
        pages[path] = _Page()
        pages[path].feed(path.read_text(encoding="utf-8"))
    return pages


def broken_links(site: Path) -> list[str]:
    """Links that lead nowhere, out of the folder, or to an anchor that is not there."""
    pages = read_pages(site)
    broken = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            inside = not parts.scheme and not parts.netloc and target.is_relative_to(site.resolve())
            anchor = unquote(parts.fragment)
            named = not anchor or target.name == "compare.html" or anchor in pages[target].ids
            if not (inside and target.is_file() and named):
                broken.append(f"{path.relative_to(site)} → {link}")
    return broken


def reachable(site: Path) -> set[str]:
    """Pages that somebody finds who begins at the front page and follows links."""
    pages = read_pages(site)
    found = {site / "index.html"}
    pending = list(found)
    while pending:
        path = pending.pop()
        for link in pages[path].links:
            target = (path.parent / unquote(urlsplit(link).path)).resolve()
            if target in pages and target not in found:
                found.add(target)
                pending.append(target)
    return {str(path.relative_to(site)) for path in found}
