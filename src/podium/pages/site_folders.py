"""The folder of a website: written anew beside the present one, which it then replaces.

Whoever writes a site holds a lock on a file beside the folder, which the system drops when the process ends.
Two renames switch: the present site steps aside, the new one takes its place. If a process is killed before
them, the present site is untouched; if between them, it is whole beside the folder, and the next run puts it
back. What a killed run leaves is removed by the next.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import podium
from podium.errors import InputError
from podium.files.atomic import make_folder, removed_at_end, writing
from podium.files.locks import file_lock
from podium.pages.urls import HTML, JSON

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


LITTER = (".DS_Store", "Thumbs.db", "desktop.ini")
"""What systems leave in folders that people look at; it may be lost."""


@contextmanager
def replaced_site(out: Path) -> Iterator[tuple[Path, Manifest | None]]:
    """A new folder that takes the place of `out` when the block ends well, and the present site's manifest.

    Refused if `out` holds anything that is not of a site of podium's, as it would be lost.
    """
    target = Path(os.path.realpath(out))
    if not target.parent.is_dir():
        make_folder(target.parent)
    with writing(out), file_lock(_beside(target, "lock"), _busy(out)):
        fresh = _beside(target, "new")
        _tidy(target)
        manifest = checked_site(target, called=out)
        with removed_at_end(fresh):
            fresh.mkdir()
            yield fresh, manifest
            _switch(fresh, target)


def checked_site(folder: Path, *, called: Path | None = None) -> Manifest | None:
    """The manifest of the site in a folder; None if the folder is missing or empty, and else refused."""
    name = called or folder
    if not folder.exists():
        return None
    if not folder.is_dir():
        raise InputError(f"{name} is a file", hint="give --out the name of a folder")
    if not set(os.listdir(folder)).difference(LITTER):
        return None
    manifest = Manifest.read(folder / MANIFEST)
    if manifest is None:
        raise InputError(
            f"{name} is not empty and not a podium website: the file {MANIFEST} is missing",
            hint="give --out a new or empty folder",
        )
    foreign = next((path for path in _files(folder) if path not in manifest.files), None)
    if foreign is not None:
        raise InputError(
            f"{name} contains {foreign}, which podium did not write and would remove with the old site",
            hint="keep your own files outside this folder, and copy them to your web server separately",
        )
    return manifest


def _files(folder: Path) -> Iterator[str]:
    """All files below a folder but for litter, by their paths with slashes; a link to a folder is a file."""
    pending = [""]
    while pending:
        below = pending.pop()
        with os.scandir(folder / below) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(f"{below}{entry.name}/")
                elif entry.name not in LITTER:
                    yield f"{below}{entry.name}"


def _switch(fresh: Path, target: Path) -> None:
    previous = _beside(target, "previous")
    shutil.rmtree(previous, ignore_errors=True)
    if target.exists():
        os.rename(target, previous)
    os.rename(fresh, target)
    shutil.rmtree(previous, ignore_errors=True)


def _tidy(target: Path) -> None:
    """Remove what a killed run left; a site that stepped aside for one that never came is put back."""
    shutil.rmtree(_beside(target, "new"), ignore_errors=True)
    previous = _beside(target, "previous")
    if previous.exists() and not target.exists():
        os.rename(previous, target)
    shutil.rmtree(previous, ignore_errors=True)


def _beside(target: Path, what: str) -> Path:
    return target.with_name(f".{target.name}.{what}")


def _busy(out: Path) -> InputError:
    return InputError(f"another process is writing {out}", hint="wait until it has finished")


def linked_or_copied(source: Path, target: Path) -> None:
    """The same file at another place: a hard link where the file system has them, else a copy."""
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:
        shutil.copyfile(source, target)
