"""Drivers that attack the program; see `scripts/attack.py`."""
