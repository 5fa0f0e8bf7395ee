"""The address of a link, as text and as a QR code.

The secret stands behind `#`, which browsers keep to themselves: no server on the way writes it down.
"""

from __future__ import annotations

import io

from podium.documents.access_documents import CreatedLinkDocument, LinkDocument
from podium.server.access.tokens import Token
from podium.server.settings import ServerSettings

LOGIN_PATH = "/login"
QUIET_MODULES = 4
"""The width of the white border that a QR code needs, in squares."""


def link_address(token: Token, settings: ServerSettings) -> str:
    """Where a browser opens a link."""
    return f"{settings.shown_address}{LOGIN_PATH}#{token.text}"


def created_link(made: LinkDocument, token: Token, settings: ServerSettings) -> CreatedLinkDocument:
    """A link with its address, which is told once."""
    address = link_address(token, settings)
    return {**made, "address": address, "qr": qr_picture(address)}


def qr_picture(text: str) -> str:
    """A QR code as SVG, black on white in every theme, as large as the place it is put in.

    >>> qr_picture("https://ladder.example.org").startswith("<svg ")
    True
    """
    import segno

    picture = io.BytesIO()
    code = segno.make(text, error="m", micro=False)
    code.save(
        picture,
        kind="svg",
        xmldecl=False,
        svgns=True,
        omitsize=True,
        border=QUIET_MODULES,
        dark="#000",
        light="#fff",
    )
    return picture.getvalue().decode().strip()
