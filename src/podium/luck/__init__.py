"""Games of chance: luck functions, and the model of Cowan in full."""
