"""What is to be expected of a field of many: chances of places, mean places, mean scores."""
