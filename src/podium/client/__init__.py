"""A ladder that lives on a service."""
