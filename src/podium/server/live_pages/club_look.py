"""The club of a service's pages: its name, words, colour and logo, as settings have them."""

from __future__ import annotations

import re
from functools import cache
from hashlib import blake2b
from pathlib import Path

from podium.errors import ParameterError
from podium.pages.links import Club
from podium.server.live_pages.live_links import ASSET_DIGEST_BYTES, ASSETS
from podium.server.settings import ServerSettings
from podium.text import shorten

NAMELESS = "podium"
"""The name of a service that nobody has named."""
STYLE, LOGO = "club.css", "logo"
LARGEST_LOGO = 500_000
LOGO_KINDS = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
    ".svg": "image/svg+xml",
}
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def check_club(settings: ServerSettings) -> None:
    """Refuse a colour or a logo that pages cannot show, before the service starts."""
    if settings.club_colour is not None and not _COLOUR.fullmatch(settings.club_colour):
        raise ParameterError(
            f"club_colour is {shorten(settings.club_colour)!r}", hint='a colour is written as "#1f6f43"'
        )
    if settings.club_logo is not None:
        _logo(settings.club_logo)


def club_file(settings: ServerSettings, name: str) -> tuple[bytes, str] | None:
    """The content and kind of a file that pages load for the club; None if it has no such file."""
    if name == STYLE and settings.club_colour is not None:
        return f".top {{ border-top: 0.3rem solid {settings.club_colour}; }}\n".encode(), "text/css"
    if name == LOGO and settings.club_logo is not None:
        return _logo(settings.club_logo)
    return None


def shown_club(settings: ServerSettings) -> Club:
    """The club as pages show it."""
    style, logo = (
        None if (found := club_file(settings, name)) is None else f"{ASSETS}/{_digest(found[0])}/{name}"
        for name in (STYLE, LOGO)
    )
    return Club(settings.club_words or "", settings.club_colour, style, logo)


@cache
def _logo(path: str) -> tuple[bytes, str]:
    """The logo, read once."""
    kind = LOGO_KINDS.get(Path(path).suffix.lower())
    if kind is None:
        raise ParameterError(f"{path}: a logo is a file of {', '.join(LOGO_KINDS)}")
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ParameterError(f"{path}: the logo cannot be read ({error.strerror})") from error
    if len(content) > LARGEST_LOGO:
        raise ParameterError(f"{path}: the logo has {len(content):,} bytes, more than {LARGEST_LOGO:,}")
    return content, kind


@cache
def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=ASSET_DIGEST_BYTES).hexdigest()
