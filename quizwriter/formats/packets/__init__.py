"""Packets as people type them, in Word documents and plain text, and as MODAQ reads them."""
