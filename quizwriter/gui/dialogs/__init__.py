"""Dialogs: each asks for something and goes away."""
