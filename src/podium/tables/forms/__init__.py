"""How people write dates, numbers, durations and marks such as DNF."""
