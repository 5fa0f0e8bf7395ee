"""What is on disk: atomic writing, checksummed containers, packing, TOML, kinds of files, encodings."""
