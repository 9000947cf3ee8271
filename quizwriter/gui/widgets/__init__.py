"""Widgets and helpers that several windows share. Nothing here knows what a tossup is, but for its status."""
