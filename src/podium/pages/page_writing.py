"""Pages and scripts written to the folder of a site; one that shows what it showed before is linked there."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from podium.documents.plain_data import compact_json
from podium.pages.addresses import HTML, JSON
from podium.pages.site_folders import linked_or_copied
from podium.pages.site_manifests import Manifest, digest_of


@dataclass
class Writings:
    """What was written, and what was linked from the previous site."""

    manifest: Manifest = field(default_factory=Manifest)
    written: int = 0
    """Pages that were rendered."""
    linked: int = 0
    """Pages of the previous site that show the same."""

    def add(self, other: Writings, folder: str = "") -> None:
        """Take in what was written to a folder, whose name ends with a slash."""
        self.manifest.add(other.manifest, folder)
        self.written += other.written
        self.linked += other.linked


class PageWriter:
    """Writes files to `folder`; those that are the same as in `previous` are linked."""

    def __init__(self, folder: Path, previous: Path | None, before: Manifest, frame: str) -> None:
        """`frame` is a digest of all that pages show beside their documents."""
        self.done = Writings()
        self._folder = folder
        self._previous = previous
        self._before = before
        self._frame = frame
        self._folders: set[str] = set()

    def page(
        self,
        path: str,
        kind: str,
        document: Mapping[str, Any],
        render: Callable[[], str],
        *,
        also: str = "",
        timeless: Collection[str] = (),
    ) -> None:
        """Write a page and its JSON twin.

        `also` is what the page shows beside its document and the frame; a page that differs by the keys
        `timeless` alone counts as the same.
        """
        text = compact_json(kind, document)
        shown = text
        if timeless:
            shown = compact_json(kind, {key: value for key, value in document.items() if key not in timeless})
        digest = digest_of(self._frame, also, shown)
        self.done.manifest.pages[path] = digest
        if self._link_page(path, digest):
            self.done.linked += 1
            return
        self._place(f"{path}{HTML}").write_bytes(render().encode("utf-8", "replace"))
        self._place(f"{path}{JSON}").write_bytes(text.encode("utf-8", "replace"))
        self.done.written += 1

    def _link_page(self, path: str, digest: str) -> bool:
        if self._before.pages.get(path) != digest:
            return False
        return self._link(f"{path}{HTML}") and self._link(f"{path}{JSON}")

    def file(self, path: str, content: bytes) -> None:
        """Write any other file."""
        self.file_by(path, digest_of(content), lambda target: target.write_bytes(content))

    def file_by(self, path: str, digest: str, write: Callable[[Path], object]) -> int:
        """Write a file that is the same whenever the digest is; returns its size."""
        self.done.manifest.others[path] = digest
        if self._before.others.get(path) != digest or not self._link(path):
            write(self._place(path))
        return self._place(path).stat().st_size

    def _link(self, path: str) -> bool:
        """Take a file from the previous site; false if somebody has removed it there."""
        if self._previous is None:
            return False
        try:
            linked_or_copied(self._previous / path, self._place(path))
        except FileNotFoundError:
            return False
        return True

    def _place(self, path: str) -> Path:
        """Where a file goes; its folder is made."""
        below = path.rpartition("/")[0]
        if below not in self._folders:
            (self._folder / below).mkdir(parents=True, exist_ok=True)
            self._folders.add(below)
        return self._folder / path
