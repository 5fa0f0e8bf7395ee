"""Experiments with rating systems: how well they predict, and populations to try them on."""
