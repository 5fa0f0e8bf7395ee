"""The contract every rating system keeps, and what families of systems share to keep it."""
