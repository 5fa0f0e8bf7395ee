"""The online object: recording, predictions, explanations, saving; rating in bulk, one ladder or many."""
