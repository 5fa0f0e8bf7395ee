"""What is on disk: atomic writing, pipes, checksummed containers, packing, TOML, kinds of files, letters."""
