"""TrueSkill, with its kernels."""
