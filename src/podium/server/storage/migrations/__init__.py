"""Changes of the tables, one file each, by Alembic."""
