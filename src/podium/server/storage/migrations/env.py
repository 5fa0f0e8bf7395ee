"""Alembic runs this file; podium always hands it an open connection."""

from __future__ import annotations

from alembic import context

from podium.server.storage.tables import metadata


def migrate() -> None:
    """Run the steps that Alembic has chosen, in the transaction of the connection."""
    connection = context.config.attributes["connection"]
    context.configure(
        connection=connection,
        target_metadata=metadata,
        render_as_batch=connection.dialect.name == "sqlite",
        transaction_per_migration=False,
    )
    with context.begin_transaction():
        context.run_migrations()


if hasattr(context, "config"):  # it is not where somebody only imports this
    migrate()
