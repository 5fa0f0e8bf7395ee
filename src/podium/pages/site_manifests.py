"""What a website's folder holds: each page with the digest of what it shows, each other file with its own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import podium
from podium.pages.addresses import HTML, JSON

MANIFEST = "podium-site.json"
KIND = "site-manifest"
DIGEST_BYTES = 12
"""Pages of a site that differ have the same digest by chance once in 10¹⁷ sites of a million pages."""


@dataclass(frozen=True)
class Manifest:
    """The pages of a site by their paths without suffixes, and its other files by their paths."""

    pages: dict[str, str] = field(default_factory=dict)
    others: dict[str, str] = field(default_factory=dict)

    @cached_property
    def files(self) -> set[str]:
        """The paths of all files, the manifest included."""
        own = {MANIFEST, *self.others}
        for page in self.pages:
            own.add(f"{page}{HTML}")
            own.add(f"{page}{JSON}")
        return own

    def below(self, folder: str) -> Manifest:
        """The part about a folder, whose name ends with a slash; paths are below it."""
        pages, others = (
            {path.removeprefix(folder): digest for path, digest in part.items() if path.startswith(folder)}
            for part in (self.pages, self.others)
        )
        return Manifest(pages, others)

    def add(self, other: Manifest, folder: str = "") -> None:
        """Take in the pages and files of a folder."""
        self.pages.update({f"{folder}{path}": digest for path, digest in other.pages.items()})
        self.others.update({f"{folder}{path}": digest for path, digest in other.others.items()})

    def write(self, path: Path) -> None:
        """Write the manifest."""
        from podium.documents.plain_data import stamped

        document = {"version": podium.__version__, "pages": self.pages, "files": self.others}
        path.write_text(json.dumps(stamped(KIND, document), indent=0), encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Manifest | None:
        """The manifest in a file; None if it is none."""
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(found, dict) or found.get("kind") != KIND:
            return None
        pages, others = found.get("pages"), found.get("files")
        if not isinstance(pages, dict) or not isinstance(others, dict):
            return None
        return cls(pages, others)


def digest_of(*parts: bytes | str) -> str:
    """A digest of texts, told apart by where each ends."""
    found = blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        content = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        found.update(len(content).to_bytes(8))
        found.update(content)
    return found.hexdigest()


@cache
def look_digest() -> str:
    """A digest of everything that decides how a page looks: templates, style, script, the code that draws.

    So a page that a newer podium would write otherwise is written again, and nobody has to count versions.
    """
    package = files("podium")
    found = [podium.__version__.encode()]
    for folder in ("pages", "charts"):
        for path, content in sorted(_contents(package / folder, folder)):
            found += [path.encode(), content]
    return digest_of(*found)


def _contents(folder: Traversable, called: str) -> Iterable[tuple[str, bytes]]:
    for entry in folder.iterdir():
        path = f"{called}/{entry.name}"
        if entry.is_dir():
            if entry.name != "__pycache__":
                yield from _contents(entry, path)
        else:
            yield path, entry.read_bytes()
