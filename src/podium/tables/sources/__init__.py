"""Where tables come from: files of every kind, folders, open files."""
