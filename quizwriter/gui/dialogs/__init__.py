"""Dialogs: each asks for something or shows how far something is, and goes away."""
