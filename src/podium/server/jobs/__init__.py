"""Long work in a process of its own: imports, exports, ratings computed anew."""
