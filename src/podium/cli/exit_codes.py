"""What a command ends with where it does not succeed."""

BAD_INPUT, BAD_USAGE, INTERRUPTED, PIPE_CLOSED = 1, 2, 130, 141
