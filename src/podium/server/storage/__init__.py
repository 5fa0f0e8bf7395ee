"""Where everything is kept: the database, its tables and how rows get there."""
